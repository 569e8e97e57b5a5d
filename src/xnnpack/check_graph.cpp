#include "src/xnnpack/check_graph.h"

#include <executorch/runtime/platform/log.h>

#include <memory>
#include <new>

#include "src/xnnpack/datatypes.h"

namespace executorch::xnnpack {

using fb::XNodeUnion;
using runtime::Error;
using runtime::Result;

namespace {

constexpr uint32_t kMaxExterns = 4096;
constexpr uint64_t kMaxPadding = 1 << 12;
constexpr uint64_t kMaxElements = uint64_t{1} << 31;

template <class T>
uint32_t length(const flatbuffers::Vector<T>* vector) {
  return vector == nullptr ? 0 : vector->size();
}

// ---- values ----------------------------------------------------------------

Error check_sizes(uint32_t id, const fb::XNNTensorValue& t) {
  ET_CHECK_OR_RETURN_ERROR(
      t.dims() != nullptr && t.num_dims() == length(t.dims()) &&
          t.num_dims() <= kMaxDims,
      InvalidProgram,
      "XNNPACK graph, value %u: %u sizes for %u dimensions, at "
      "most %zu are supported",
      id, length(t.dims()), t.num_dims(), kMaxDims);
  uint64_t count = 1;
  for (const uint32_t size : *t.dims()) {
    count = size == 0 || count <= kMaxElements / size ? count * size
                                                      : kMaxElements + 1;
    ET_CHECK_OR_RETURN_ERROR(count <= kMaxElements, InvalidProgram,
                             "XNNPACK graph, value %u: its sizes are too large",
                             id);
  }
  return Error::Ok;
}

Error check_place(uint32_t id, const fb::XNNTensorValue& t,
                  const fb::XNNGraph& graph, bool* taken) {
  const uint32_t flags = t.flags();
  ET_CHECK_OR_RETURN_ERROR(
      t.id_out() == id && flags <= kExternalOutput, InvalidProgram,
      "XNNPACK graph, value %u: id %u and flags %u are not valid", id,
      t.id_out(), flags);
  ET_CHECK_OR_RETURN_ERROR(
      (flags == 0) == (t.external_id() == kNoValue) &&
          (flags == 0 || t.external_id() < graph.num_externs()),
      InvalidProgram, "XNNPACK graph, value %u: external id %u of %u", id,
      t.external_id(), graph.num_externs());
  if (flags != 0) {
    ET_CHECK_OR_RETURN_ERROR(
        !taken[t.external_id()] && t.constant_buffer_idx() == 0, InvalidProgram,
        "XNNPACK graph, value %u: external id %u is taken or constant", id,
        t.external_id());
    taken[t.external_id()] = true;
  }
  const uint32_t buffers =
      length(graph.constant_data()) + length(graph.constant_buffer());
  ET_CHECK_OR_RETURN_ERROR(
      t.constant_buffer_idx() == 0 || t.constant_buffer_idx() < buffers,
      InvalidProgram, "XNNPACK graph, value %u: constant %u of %u", id,
      t.constant_buffer_idx(), buffers);
  return Error::Ok;
}

// Scales are given here, or as constant `buffer`; `count` of them are needed.
bool has_scales(const fb::XNNGraph& graph, uint32_t given, uint32_t buffer,
                uint64_t buffer_count, uint64_t count) {
  if (buffer == 0) {
    return given == count;
  }
  return buffer < length(graph.constant_data()) && buffer_count == count;
}

Error check_quantization(uint32_t id, const Payload& payload) {
  const fb::XNNQuantizedTensorValue& q = *payload.quantized(id);
  const fb::XNNTensorValue& t = *q.tensor_value();
  const fb::XNNGraph& graph = *payload.graph;
  const uint32_t rank = t.num_dims();
  bool valid = false;
  if (q.quant_params_as_PerTensorQuant() != nullptr) {
    valid = true;
  } else if (const auto* c = q.quant_params_as_PerChannelQuant()) {
    valid = c->channel_dim() >= 0 &&
            static_cast<uint32_t>(c->channel_dim()) < rank &&
            has_scales(graph, length(c->scale()), c->scale_buffer_idx(),
                       c->num_scales(), t.dims()->Get(c->channel_dim()));
  } else if (const auto* d = q.quant_params_as_PerTokenDynamicQuant()) {
    valid = d->num_nonbatch_dims() >= 0 &&
            static_cast<uint32_t>(d->num_nonbatch_dims()) <= rank &&
            t.flags() == 0 && t.constant_buffer_idx() == 0;
  } else if (const auto* g = q.quant_params_as_PerChannelGroupQuant()) {
    const uint32_t k = rank == 2 ? t.dims()->Get(1) : 0;
    valid = g->channel_dim() == 0 && g->group_size() > 0 && rank == 2 &&
            g->group_size() % XNN_MIN_BLOCKSIZE == 0 &&
            k % static_cast<uint32_t>(g->group_size()) == 0 &&
            has_scales(graph, length(g->scale()), g->scale_buffer_idx(),
                       g->num_scales(),
                       uint64_t{t.dims()->Get(0)} *
                           (k / static_cast<uint32_t>(g->group_size())));
    ET_CHECK_OR_RETURN_ERROR(
        valid, Internal,
        "XNNPACK graph, value %u: its %u scales do not fit "
        "its groups",
        id, g->num_scales());
  } else {
    ET_LOG(Error, "XNNPACK graph, value %u: unknown quantization %d", id,
           static_cast<int>(q.quant_params_type()));
    return Error::NotImplemented;
  }
  ET_CHECK_OR_RETURN_ERROR(
      valid, InvalidProgram,
      "XNNPACK graph, value %u: its quantization does not fit its sizes", id);
  return Error::Ok;
}

Error check_value(uint32_t id, const Payload& payload, bool* taken) {
  const fb::XValue* value = payload.graph->xvalues()->Get(id);
  const bool quantized = value->xvalue_union_as_XNNQuantizedTensorValue();
  ET_CHECK_OR_RETURN_ERROR(
      quantized || value->xvalue_union_as_XNNTensorValue() != nullptr,
      NotImplemented, "XNNPACK graph, value %u: unknown kind %d", id,
      static_cast<int>(value->xvalue_union_type()));
  ET_CHECK_OR_RETURN_ERROR(
      !quantized || payload.quantized(id)->tensor_value() != nullptr,
      InvalidProgram, "XNNPACK graph, value %u has no tensor", id);
  const fb::XNNTensorValue& t = payload.tensor(id);
  ET_CHECK_OK_OR_RETURN_ERROR(check_sizes(id, t));
  ET_CHECK_OK_OR_RETURN_ERROR(check_place(id, t, *payload.graph, taken));
  ET_CHECK_OR_RETURN_ERROR(
      datatype(t.datatype()) != nullptr &&
          t.dq_datatype() == fb::XNNDatatype::invalid,
      NotImplemented, "XNNPACK graph, value %u: datatype %d is not supported",
      id, static_cast<int>(t.datatype()));
  return quantized ? check_quantization(id, payload) : Error::Ok;
}

// ---- nodes -----------------------------------------------------------------

struct NodeCheck {
  const Payload& payload;
  uint32_t index;
  const fb::XNode& node;

  Error fail(const char* what) const {
    ET_LOG(Error, "XNNPACK graph, node %u (%s): %s", index, node_name(node),
           what);
    return Error::InvalidProgram;
  }
  bool is_constant(uint32_t id) const {
    return payload.tensor(id).constant_buffer_idx() != 0;
  }
  // XNNPACK reads as many weights as the node tells, whatever their sizes.
  Error check_weights(uint32_t filter, uint32_t bias, uint64_t weights,
                      uint64_t channels) const {
    if (!is_constant(filter) || numel(payload.tensor(filter)) != weights) {
      return fail("the filter is not constant, or of another size");
    }
    if (bias != kNoValue &&
        (!is_constant(bias) || numel(payload.tensor(bias)) != channels)) {
      return fail("the bias is not constant, or of another size");
    }
    return Error::Ok;
  }
  // The size of dimension `dim` that the graph gives; 0 beyond its rank. Sizes
  // that follow from a node's numbers must stay within it: memory for them is
  // taken without asking again.
  uint64_t size(uint32_t id, uint32_t dim) const {
    const auto& dims = *payload.tensor(id).dims();
    return dim < dims.size() ? dims.Get(dim) : 0;
  }
  Error check_planes(uint32_t input, uint32_t output,
                     const uint64_t (&extra)[2],
                     const uint64_t (&stride)[2]) const {
    for (uint32_t i = 0; i < 2; ++i) {
      const uint64_t in = size(input, 1 + i), out = size(output, 1 + i);
      if (in == 0 || (in - 1) * stride[i] + extra[i] > out) {
        return fail("the output is larger than the graph says");
      }
    }
    return Error::Ok;
  }
  // What a convolution adds around its input is at most a kernel on each side.
  Error check_padding(const fb::_XNNNodeConv& c) const {
    const uint64_t high = uint64_t{c.kernel_height()} * c.dilation_height();
    const uint64_t wide = uint64_t{c.kernel_width()} * c.dilation_width();
    return c.padding_top() <= high && c.padding_bottom() <= high &&
                   c.padding_left() <= wide && c.padding_right() <= wide &&
                   high <= kMaxPadding && wide <= kMaxPadding
               ? Error::Ok
               : fail("the padding is larger than the kernel");
  }
  Error check_upsampling(const fb::_XNNNodeConv& c) const {
    const uint64_t pads[] = {uint64_t{c.padding_top()} + c.padding_bottom(),
                             uint64_t{c.padding_left()} + c.padding_right()};
    const uint64_t kernels[] = {
        uint64_t{c.kernel_height() - 1} * c.dilation_height() + 1 +
            c.adjustment_height(),
        uint64_t{c.kernel_width() - 1} * c.dilation_width() + 1 +
            c.adjustment_width()};
    if (pads[0] > kernels[0] || pads[1] > kernels[1]) {
      return fail("the padding is larger than the kernel");
    }
    return check_planes(c.input1_id(), c.output_id(),
                        {kernels[0] - pads[0], kernels[1] - pads[1]},
                        {c.subsampling_height(), c.subsampling_width()});
  }
  Error check_pooling(const fb::_XNNPooling2D& p) const {
    const uint64_t high = uint64_t{p.pooling_height()} *
                          (p.dilation_height() == 0 ? 1 : p.dilation_height());
    const uint64_t wide = uint64_t{p.pooling_width()} *
                          (p.dilation_width() == 0 ? 1 : p.dilation_width());
    return high <= kMaxPadding && wide <= kMaxPadding &&
                   p.padding_top() <= high && p.padding_bottom() <= high &&
                   p.padding_left() <= wide && p.padding_right() <= wide
               ? Error::Ok
               : fail("the padding is larger than the window");
  }
  Error check_constant_pad(const fb::XNNStaticConstantPad& p) const {
    for (uint32_t d = 0; d < p.pre_paddings()->size(); ++d) {
      if (uint64_t{p.pre_paddings()->Get(d)} + p.post_paddings()->Get(d) >
          size(p.output_id(), d)) {
        return fail("the padding is larger than the output");
      }
    }
    return Error::Ok;
  }
  Error check_conv(const fb::_XNNNodeConv& c, bool depthwise) const {
    const uint64_t sizes[] = {c.groups(), c.group_input_channels(),
                              c.group_output_channels(), c.kernel_height(),
                              c.kernel_width()};
    uint64_t weights = 1;
    for (const uint64_t size : sizes) {
      if (size == 0 || weights > kMaxElements / size) {
        return fail("the sizes of the filter are zero or too large");
      }
      weights *= size;
    }
    if (depthwise &&
        c.group_output_channels() % c.group_input_channels() != 0) {
      return fail("the depth multiplier is not a whole number");
    }
    if (c.subsampling_height() == 0 || c.subsampling_width() == 0) {
      return fail("a stride is zero");
    }
    ET_CHECK_OK_OR_RETURN_ERROR(check_padding(c));
    return check_weights(c.filter_id(), c.bias_id(), weights,
                         uint64_t{c.groups()} * c.group_output_channels());
  }
  Error check_fully_connected(const fb::XNNFullyConnected& c) const {
    const fb::XNNTensorValue& filter = payload.tensor(c.filter_id());
    if (filter.num_dims() != 2) {
      return fail("the filter is not a matrix");
    }
    if (!is_constant(c.filter_id())) {
      return Error::Ok;  // XNNPACK checks it when it gets its shape
    }
    const bool transposed = (c.flags() & XNN_FLAG_TRANSPOSE_WEIGHTS) != 0;
    return check_weights(c.filter_id(), c.bias_id(), numel(filter),
                         filter.dims()->Get(transposed ? 1 : 0));
  }
  Error check_vector(const flatbuffers::Vector<uint32_t>* vector,
                     uint32_t count) const {
    return vector != nullptr && vector->size() == count && count <= kMaxDims
               ? Error::Ok
               : fail("a list of sizes has the wrong length");
  }
  Error check_permutation(const fb::XNNStaticTranspose& t) const {
    ET_CHECK_OK_OR_RETURN_ERROR(check_vector(t.perm(), t.num_dims()));
    uint32_t seen = 0;
    for (const uint32_t dim : *t.perm()) {
      if (dim >= t.num_dims() || (seen >> dim & 1) != 0) {
        return fail("the permutation is not one");
      }
      seen |= 1u << dim;
    }
    return t.num_dims() == payload.tensor(t.input_id()).num_dims()
               ? Error::Ok
               : fail("the permutation has another rank than the input");
  }

  Error check_parameters() const {
    switch (node.xnode_union_type()) {
      case XNodeUnion::XNNFullyConnected:
        return check_fully_connected(*node.xnode_union_as_XNNFullyConnected());
      case XNodeUnion::XNNConv2d:
        return check_conv(*node.xnode_union_as_XNNConv2d(), false);
      case XNodeUnion::XNNDepthwiseConv2d:
        return check_conv(*node.xnode_union_as_XNNDepthwiseConv2d(), true);
      case XNodeUnion::XNNConvTranspose2d:
        ET_CHECK_OK_OR_RETURN_ERROR(
            check_conv(*node.xnode_union_as_XNNConvTranspose2d(), false));
        return check_upsampling(*node.xnode_union_as_XNNConvTranspose2d());
      case XNodeUnion::XNNAvgPooling2d:
        return check_pooling(*node.xnode_union_as_XNNAvgPooling2d());
      case XNodeUnion::XNNMaxPooling2d:
        return check_pooling(*node.xnode_union_as_XNNMaxPooling2d());
      case XNodeUnion::XNNStaticResizeBilinear2D: {
        const auto& r = *node.xnode_union_as_XNNStaticResizeBilinear2D();
        return r.new_height() <= size(r.output_id(), 1) &&
                       r.new_width() <= size(r.output_id(), 2)
                   ? Error::Ok
                   : fail("the output is larger than the graph says");
      }
      case XNodeUnion::XNNStaticTranspose:
        return check_permutation(*node.xnode_union_as_XNNStaticTranspose());
      case XNodeUnion::XNNStaticReshape: {
        const auto& r = *node.xnode_union_as_XNNStaticReshape();
        return check_vector(r.new_shape(), r.num_dims());
      }
      case XNodeUnion::XNNStaticSlice: {
        const auto& s = *node.xnode_union_as_XNNStaticSlice();
        ET_CHECK_OK_OR_RETURN_ERROR(check_vector(s.offsets(), s.num_dims()));
        ET_CHECK_OK_OR_RETURN_ERROR(check_vector(s.sizes(), s.num_dims()));
        return s.num_dims() == payload.tensor(s.input_id()).num_dims()
                   ? Error::Ok
                   : fail("the slice has another rank than the input");
      }
      case XNodeUnion::XNNStaticConstantPad: {
        const auto& p = *node.xnode_union_as_XNNStaticConstantPad();
        const uint32_t rank = payload.tensor(p.input_id()).num_dims();
        ET_CHECK_OK_OR_RETURN_ERROR(check_vector(p.pre_paddings(), rank));
        ET_CHECK_OK_OR_RETURN_ERROR(check_vector(p.post_paddings(), rank));
        return check_constant_pad(p);
      }
      default:
        return Error::Ok;
    }
  }

  // Every value is given from outside, constant, or the output of one earlier
  // node, and somebody reads what a node computes.
  Error check(bool* computed, bool* read) const {
    const NodeValues values = ET_UNWRAP(node_values(node));
    for (int i = 0; i < values.num_inputs; ++i) {
      const uint32_t id = values.inputs[i];
      if (id != kNoValue && (id >= payload.num_values() || !computed[id])) {
        return fail("an input does not exist or was not computed");
      }
      if (id != kNoValue) {
        read[id] = true;
      }
    }
    for (int i = 0; i < values.num_outputs; ++i) {
      const uint32_t id = values.outputs[i];
      if (id >= payload.num_values() || computed[id]) {
        return fail("an output does not exist or is computed twice");
      }
    }
    ET_CHECK_OK_OR_RETURN_ERROR(check_parameters());
    for (int i = 0; i < values.num_outputs; ++i) {
      computed[values.outputs[i]] = true;
    }
    return Error::Ok;
  }
};

}  // namespace

Error check_graph(const Payload& payload) {
  const fb::XNNGraph& graph = *payload.graph;
  const uint32_t values = length(graph.xvalues());
  const uint32_t nodes = length(graph.xnodes());
  ET_CHECK_OR_RETURN_ERROR(
      values > 0 && nodes > 0 && graph.num_externs() <= kMaxExterns,
      InvalidProgram, "XNNPACK graph: %u values, %u nodes, %u externals",
      values, nodes, graph.num_externs());
  const std::unique_ptr<bool[]> taken(
      new (std::nothrow) bool[graph.num_externs() + 1]());
  const std::unique_ptr<bool[]> computed(new (std::nothrow) bool[values]());
  const std::unique_ptr<bool[]> used(new (std::nothrow) bool[values]());
  ET_CHECK_OR_RETURN_ERROR(
      taken != nullptr && computed != nullptr && used != nullptr,
      MemoryAllocationFailed, "no memory to check %u values", values);
  for (uint32_t id = 0; id < values; ++id) {
    ET_CHECK_OK_OR_RETURN_ERROR(check_value(id, payload, taken.get()));
    const fb::XNNTensorValue& t = payload.tensor(id);
    computed[id] = t.flags() == kExternalInput || t.constant_buffer_idx() != 0;
  }
  for (uint32_t i = 0; i < nodes; ++i) {
    const NodeCheck check{payload, i, *graph.xnodes()->Get(i)};
    ET_CHECK_OK_OR_RETURN_ERROR(check.check(computed.get(), used.get()));
  }
  for (uint32_t id = 0; id < values; ++id) {
    ET_CHECK_OR_RETURN_ERROR(
        payload.tensor(id).flags() != kExternalOutput || computed[id],
        InvalidProgram, "XNNPACK graph: output value %u is never computed", id);
    const bool is_given = payload.tensor(id).flags() != 0 ||
                          payload.tensor(id).constant_buffer_idx() != 0;
    ET_CHECK_OR_RETURN_ERROR(
        is_given || !computed[id] || used[id], InvalidProgram,
        "XNNPACK graph: value %u is computed and never read", id);
  }
  return Error::Ok;
}

}  // namespace executorch::xnnpack
