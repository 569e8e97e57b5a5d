#include "src/xnnpack/values.h"

#include <cpuinfo.h>
#include <executorch/runtime/platform/log.h>

#include <cstring>
#include <new>

#include "src/xnnpack/datatypes.h"
#include "src/xnnpack/status.h"

namespace executorch::xnnpack {

using fb::XNNDatatype;
using fb::XNodeUnion;
using runtime::Error;
using runtime::Result;

namespace {

// What nodes do with a value.
struct Use {
  bool weights = false;    // filter or bias: copied while it is packed
  bool other = false;      // read at every run
  bool shareable = false;  // packed without anything but its own bytes
};

bool is_static_int8(const Payload& payload, uint32_t id) {
  return payload.tensor(id).datatype() == XNNDatatype::qint8 ||
         payload.tensor(id).datatype() == XNNDatatype::quint8;
}

bool has_weights(XNodeUnion type) {
  return type == XNodeUnion::XNNFullyConnected ||
         type == XNodeUnion::XNNConv2d ||
         type == XNodeUnion::XNNDepthwiseConv2d ||
         type == XNodeUnion::XNNConvTranspose2d;
}

Error find_uses(const Payload& payload, Use* uses) {
  for (const fb::XNode* node : *payload.graph->xnodes()) {
    const NodeValues values = ET_UNWRAP(node_values(*node));
    const bool packs = has_weights(node->xnode_union_type());
    for (int i = 0; i < values.num_inputs; ++i) {
      if (values.inputs[i] == kNoValue) {
        continue;
      }
      Use& use = uses[values.inputs[i]];
      if (packs && i > 0) {
        // With static int8 the scales of input and output are packed too.
        use.shareable = (!use.weights || use.shareable) &&
                        !is_static_int8(payload, values.inputs[0]);
        use.weights = true;
      } else {
        use.other = true;
      }
    }
  }
  return Error::Ok;
}

struct Dims {
  explicit Dims(const fb::XNNTensorValue& tensor) {
    for (const uint32_t size : *tensor.dims()) {
      sizes[count++] = size;
    }
  }
  size_t sizes[kMaxDims] = {};
  size_t count = 0;
};

// Bytes of a constant; two 4-bit elements share a byte, rows begin with one.
size_t byte_size(const fb::XNNTensorValue& tensor, int bits) {
  const size_t count = numel(tensor);
  if (bits >= 8) {
    return count * static_cast<size_t>(bits) / 8;
  }
  const size_t row =
      tensor.num_dims() == 0 ? 1 : tensor.dims()->Get(tensor.num_dims() - 1);
  return row == 0 ? 0 : count / row * ((row + 1) / 2);
}

class Definer {
 public:
  Definer(const Payload& payload, xnn_subgraph_t subgraph, Constants& constants,
          CacheSession* cache)
      : payload_(payload),
        subgraph_(subgraph),
        constants_(constants),
        cache_(cache) {}

  Error define(uint32_t id, const Use& use, uint32_t* xnn_id) {
    const fb::XNNTensorValue& tensor = payload_.tensor(id);
    const Datatype* type = datatype(tensor.datatype());
    const bool widen =
        type->id == XNNDatatype::bf16 && use.weights && !use.other;
    const void* data = ET_UNWRAP(load(tensor, widen ? nullptr : type, use));
    const Dims dims(tensor);
    xnn_status status;
    if (const auto* quantized = payload_.quantized(id)) {
      const void* scales = ET_UNWRAP(load_scales(*quantized));
      status = define_quantized(*quantized, *type, scales, dims, data, xnn_id);
    } else {
      status = xnn_define_tensor_value(
          subgraph_, widen ? xnn_datatype_fp32 : type->xnn, dims.count,
          dims.sizes, data, tensor.external_id(), tensor.flags(), xnn_id);
    }
    if (status != xnn_status_success) {
      ET_LOG(Error,
             "XNNPACK refuses value %u (datatype %d, %zu dimensions): %s", id,
             static_cast<int>(tensor.datatype()), dims.count, words_of(status));
      return error_of(status);
    }
    name(id, use, data);
    return Error::Ok;
  }

 private:
  // Null for a value that is not constant. Without a type it is bfloat16 that
  // becomes float32.
  Result<const void*> load(const fb::XNNTensorValue& tensor,
                           const Datatype* type, const Use& use) {
    const uint32_t index = tensor.constant_buffer_idx();
    if (index == 0) {
      return static_cast<const void*>(nullptr);
    }
    return type == nullptr
               ? constants_.load_widened(index, numel(tensor))
               : constants_.load(index, byte_size(tensor, type->bits),
                                 use.weights && !use.other);
  }

  Result<const void*> load_scales(const fb::XNNQuantizedTensorValue& value) {
    if (const auto* c = value.quant_params_as_PerChannelQuant()) {
      return c->scale_buffer_idx() == 0
                 ? Result<const void*>(
                       static_cast<const void*>(c->scale()->data()))
                 : constants_.load(c->scale_buffer_idx(),
                                   c->num_scales() * sizeof(float), true);
    }
    if (const auto* g = value.quant_params_as_PerChannelGroupQuant()) {
      return g->scale_buffer_idx() == 0
                 ? narrow(*g->scale())
                 : constants_.load(g->scale_buffer_idx(),
                                   g->num_scales() * sizeof(uint16_t), true);
    }
    return static_cast<const void*>(nullptr);
  }

  // Old payloads give the scales of groups as floats. XNNPACK wants bfloat16:
  // half a step is added before the lower bits are cut.
  Result<const void*> narrow(const flatbuffers::Vector<float>& scales) {
    std::unique_ptr<uint16_t[]> narrow(new (std::nothrow)
                                           uint16_t[scales.size()]);
    ET_CHECK_OR_RETURN_ERROR(narrow != nullptr, MemoryAllocationFailed,
                             "no memory for %u scales", scales.size());
    for (uint32_t i = 0; i < scales.size(); ++i) {
      const float scaled = scales.Get(i) * 1.00389105f;
      uint32_t bits;
      std::memcpy(&bits, &scaled, sizeof(bits));
      narrow[i] = static_cast<uint16_t>(bits >> 16);
    }
    return constants_.keep(std::move(narrow));
  }

  // XNNPACK's kernels for x86 before AVX2 crash on an odd number of scales per
  // row of 4-bit weights: what follows them is not aligned then.
  static bool can_multiply([[maybe_unused]] size_t groups) {
#if defined(__x86_64__)
    if (groups % 2 != 0 && !cpuinfo_has_x86_avx2()) {
      ET_LOG(Error,
             "4-bit weights in an odd number of groups (%zu) need a CPU with "
             "AVX2; export with another group_size",
             groups);
      return false;
    }
#endif
    return true;
  }

  xnn_status define_quantized(const fb::XNNQuantizedTensorValue& value,
                              const Datatype& type, const void* scales,
                              const Dims& dims, const void* data,
                              uint32_t* xnn_id) {
    const fb::XNNTensorValue& t = *value.tensor_value();
    constexpr int32_t kNibbleZero = 8;
    switch (value.quant_params_type()) {
      case fb::XNNQuantParams::PerTensorQuant: {
        const auto& q = *value.quant_params_as_PerTensorQuant();
        return xnn_define_quantized_tensor_value(
            subgraph_, type.xnn, q.zero_point(), q.scale(), dims.count,
            dims.sizes, data, t.external_id(), t.flags(), xnn_id);
      }
      case fb::XNNQuantParams::PerChannelQuant: {
        const auto& q = *value.quant_params_as_PerChannelQuant();
        return xnn_define_channelwise_quantized_tensor_value_v2(
            subgraph_, type.xnn,
            type.id == XNNDatatype::qcint4 ? kNibbleZero : 0,
            static_cast<const float*>(scales), dims.count,
            static_cast<size_t>(q.channel_dim()), dims.sizes, data,
            t.external_id(), t.flags(), xnn_id);
      }
      case fb::XNNQuantParams::PerTokenDynamicQuant: {
        const auto& q = *value.quant_params_as_PerTokenDynamicQuant();
        return xnn_define_dynamically_quantized_tensor_value(
            subgraph_, type.xnn, dims.count,
            static_cast<size_t>(q.num_nonbatch_dims()), dims.sizes,
            t.external_id(), t.flags(), xnn_id);
      }
      default: {
        const auto& q = *value.quant_params_as_PerChannelGroupQuant();
        const size_t inputs = dims.sizes[dims.count - 1];
        if (!can_multiply(inputs / static_cast<size_t>(q.group_size()))) {
          return xnn_status_unsupported_hardware;
        }
        return xnn_define_blockwise_quantized_tensor_value(
            subgraph_, type.xnn, kNibbleZero,
            static_cast<const uint16_t*>(scales), dims.count,
            static_cast<size_t>(q.channel_dim()),
            static_cast<size_t>(q.group_size()), dims.sizes, data,
            t.external_id(), t.flags(), xnn_id);
      }
    }
  }

  // Tells the cache what packed weights are made of: bytes, datatype, scales.
  void name(uint32_t id, const Use& use, const void* data) {
    const fb::XNNTensorValue& tensor = payload_.tensor(id);
    const std::string key = constants_.name(tensor.constant_buffer_idx());
    if (cache_ == nullptr || data == nullptr || !use.shareable || key.empty()) {
      return;
    }
    std::string full =
        key + ':' + std::to_string(static_cast<int>(tensor.datatype()));
    if (const auto* quantized = payload_.quantized(id)) {
      const auto* c = quantized->quant_params_as_PerChannelQuant();
      const auto* g = quantized->quant_params_as_PerChannelGroupQuant();
      const uint32_t scales = c != nullptr   ? c->scale_buffer_idx()
                              : g != nullptr ? g->scale_buffer_idx()
                                             : 0;
      const std::string scale_key = constants_.name(scales);
      if (scales == 0 || scale_key.empty()) {
        return;
      }
      full += ':' + scale_key;
    }
    for (const uint32_t size : *tensor.dims()) {
      full += ',' + std::to_string(size);
    }
    cache_->set_name(data, std::move(full));
  }

  const Payload& payload_;
  xnn_subgraph_t subgraph_;
  Constants& constants_;
  CacheSession* cache_;
};

}  // namespace

Error define_values(const Payload& payload, xnn_subgraph_t subgraph,
                    Constants& constants, CacheSession* cache, uint32_t* ids) {
  const std::unique_ptr<Use[]> uses(new (std::nothrow)
                                        Use[payload.num_values()]);
  ET_CHECK_OR_RETURN_ERROR(uses != nullptr, MemoryAllocationFailed,
                           "no memory for %u values", payload.num_values());
  ET_CHECK_OK_OR_RETURN_ERROR(find_uses(payload, uses.get()));
  Definer definer(payload, subgraph, constants, cache);
  for (uint32_t id = 0; id < payload.num_values(); ++id) {
    ET_CHECK_OK_OR_RETURN_ERROR(definer.define(id, uses[id], &ids[id]));
  }
  return Error::Ok;
}

}  // namespace executorch::xnnpack
