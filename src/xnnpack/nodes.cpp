// From a node of the payload to the call that defines it. To support another
// type: its values in node_values(), and its call in define_node().
#include "src/xnnpack/nodes.h"

#include <executorch/runtime/platform/log.h>

#include <cmath>

namespace executorch::xnnpack {

using fb::XNodeUnion;
using runtime::Error;
using runtime::Result;

namespace {

// ---- nodes with one input and one output of a plain table ------------------

xnn_unary_operator unary_of(XNodeUnion type) {
  switch (type) {
    case XNodeUnion::XNNSigmoid:
      return xnn_unary_sigmoid;
    case XNodeUnion::XNNClamp:
      return xnn_unary_clamp;
    case XNodeUnion::XNNFloor:
      return xnn_unary_floor;
    case XNodeUnion::XNNConvert:
      return xnn_unary_convert;
    case XNodeUnion::XNNSquareRoot:
      return xnn_unary_square_root;
    case XNodeUnion::XNNCeiling:
      return xnn_unary_ceiling;
    case XNodeUnion::XNNHardswish:
      return xnn_unary_hardswish;
    case XNodeUnion::XNNNegate:
      return xnn_unary_negate;
    case XNodeUnion::XNNSquare:
      return xnn_unary_square;
    case XNodeUnion::XNNAbs:
      return xnn_unary_abs;
    case XNodeUnion::XNNReciprocalSquareRoot:
      return xnn_unary_reciprocal_square_root;
    case XNodeUnion::XNNLog:
      return xnn_unary_log;
    case XNodeUnion::XNNGelu:
      return xnn_unary_gelu;
    case XNodeUnion::XNNTanh:
      return xnn_unary_tanh;
    case XNodeUnion::XNNExp:
      return xnn_unary_exp;
    case XNodeUnion::XNNSin:
      return xnn_unary_sine;
    case XNodeUnion::XNNCos:
      return xnn_unary_cosine;
    default:
      return xnn_unary_invalid;
  }
}

xnn_binary_operator binary_of(XNodeUnion type) {
  switch (type) {
    case XNodeUnion::XNNAdd:
      return xnn_binary_add;
    case XNodeUnion::XNNSubtract:
      return xnn_binary_subtract;
    case XNodeUnion::XNNMultiply:
      return xnn_binary_multiply;
    case XNodeUnion::XNNDiv:
      return xnn_binary_divide;
    case XNodeUnion::XNNMinimum:
      return xnn_binary_minimum;
    case XNodeUnion::XNNMaximum:
      return xnn_binary_maximum;
    case XNodeUnion::XNNPReLU:
      return xnn_binary_prelu;
    default:
      return xnn_binary_invalid;
  }
}

template <class T>
const T& table(const fb::XNode& node) {
  return *static_cast<const T*>(node.xnode_union());
}

NodeValues one_to_one(uint32_t input, uint32_t output) {
  return {{input}, 1, {output}, 1};
}

// ---- the calls --------------------------------------------------------------

struct Limits {
  float min = -INFINITY, max = INFINITY;
};
Limits limits(const fb::XNode& node) {
  const auto* given = node.output_min_max();
  return given != nullptr ? Limits{given->output_min(), given->output_max()}
                          : Limits{};
}

// A list of sizes as XNNPACK takes it; its length was checked.
struct Sizes {
  explicit Sizes(const flatbuffers::Vector<uint32_t>* from) {
    for (const uint32_t size : *from) {
      values[count++] = size;
    }
  }
  size_t values[kMaxDims] = {};
  size_t count = 0;
};

xnn_status define_unary(const Graph& g, const fb::XNode& node) {
  const auto& n = table<fb::_XNNNode1x1>(node);
  const Limits l = limits(node);
  xnn_unary_params params;
  params.clamp = {l.min, l.max};
  return xnn_define_unary(g.subgraph, unary_of(node.xnode_union_type()),
                          &params, g.id(n.input_id()), g.id(n.output_id()),
                          n.flags());
}

xnn_status define_binary(const Graph& g, const fb::XNode& node) {
  const auto& n = table<fb::_XNNNode2x1>(node);
  const XNodeUnion type = node.xnode_union_type();
  const Limits l = limits(node);
  const xnn_binary_params params = {l.min, l.max};
  const bool clamps =
      type == XNodeUnion::XNNAdd || type == XNodeUnion::XNNSubtract ||
      type == XNodeUnion::XNNMultiply || type == XNodeUnion::XNNDiv;
  return xnn_define_binary(g.subgraph, binary_of(type),
                           clamps ? &params : nullptr, g.id(n.input1_id()),
                           g.id(n.input2_id()), g.id(n.output_id()), n.flags());
}

xnn_status define_conv(const Graph& g, const fb::XNode& node) {
  const auto& n = table<fb::_XNNNodeConv>(node);
  const Limits l = limits(node);
  const uint32_t input = g.id(n.input1_id()), filter = g.id(n.filter_id()),
                 bias = g.id(n.bias_id()), output = g.id(n.output_id());
  switch (node.xnode_union_type()) {
    case XNodeUnion::XNNConv2d:
      return xnn_define_convolution_2d(
          g.subgraph, n.padding_top(), n.padding_right(), n.padding_bottom(),
          n.padding_left(), n.kernel_height(), n.kernel_width(),
          n.subsampling_height(), n.subsampling_width(), n.dilation_height(),
          n.dilation_width(), n.groups(), n.group_input_channels(),
          n.group_output_channels(), l.min, l.max, input, filter, bias, output,
          n.flags());
    case XNodeUnion::XNNDepthwiseConv2d:
      return xnn_define_depthwise_convolution_2d(
          g.subgraph, n.padding_top(), n.padding_right(), n.padding_bottom(),
          n.padding_left(), n.kernel_height(), n.kernel_width(),
          n.subsampling_height(), n.subsampling_width(), n.dilation_height(),
          n.dilation_width(),
          n.group_output_channels() / n.group_input_channels(), n.groups(),
          l.min, l.max, input, filter, bias, output, n.flags());
    default:
      return xnn_define_deconvolution_2d(
          g.subgraph, n.padding_top(), n.padding_right(), n.padding_bottom(),
          n.padding_left(), n.adjustment_height(), n.adjustment_width(),
          n.kernel_height(), n.kernel_width(), n.subsampling_height(),
          n.subsampling_width(), n.dilation_height(), n.dilation_width(),
          n.groups(), n.group_input_channels(), n.group_output_channels(),
          l.min, l.max, input, filter, bias, output, n.flags());
  }
}

xnn_status define_pooling(const Graph& g, const fb::XNode& node) {
  const auto& n = table<fb::_XNNPooling2D>(node);
  const Limits l = limits(node);
  const uint32_t input = g.id(n.input_id()), output = g.id(n.output_id());
  if (node.xnode_union_type() == XNodeUnion::XNNAvgPooling2d) {
    return xnn_define_average_pooling_2d(
        g.subgraph, n.padding_top(), n.padding_right(), n.padding_bottom(),
        n.padding_left(), n.pooling_height(), n.pooling_width(),
        n.stride_height(), n.stride_width(), l.min, l.max, input, output,
        n.flags());
  }
  return xnn_define_max_pooling_2d(
      g.subgraph, n.padding_top(), n.padding_right(), n.padding_bottom(),
      n.padding_left(), n.pooling_height(), n.pooling_width(),
      n.stride_height(), n.stride_width(), n.dilation_height(),
      n.dilation_width(), l.min, l.max, input, output, n.flags());
}

xnn_status define_concatenate(const Graph& g, const fb::XNode& node) {
  const auto& n = table<fb::_XNNCat>(node);
  const auto axis = static_cast<int32_t>(n.axis());
  const uint32_t a = g.id(n.input1_id()), b = g.id(n.input2_id()),
                 output = g.id(n.output_id());
  switch (node.xnode_union_type()) {
    case XNodeUnion::XNNConcatenate2:
      return xnn_define_concatenate2(g.subgraph, axis, a, b, output, n.flags());
    case XNodeUnion::XNNConcatenate3:
      return xnn_define_concatenate3(g.subgraph, axis, a, b,
                                     g.id(n.input3_id()), output, n.flags());
    case XNodeUnion::XNNConcatenate4:
      return xnn_define_concatenate4(g.subgraph, axis, a, b,
                                     g.id(n.input3_id()), g.id(n.input4_id()),
                                     output, n.flags());
    default:
      return xnn_define_concatenate5(g.subgraph, axis, a, b,
                                     g.id(n.input3_id()), g.id(n.input4_id()),
                                     g.id(n.input5_id()), output, n.flags());
  }
}

xnn_status define_shape_node(const Graph& g, const fb::XNode& node) {
  switch (node.xnode_union_type()) {
    case XNodeUnion::XNNStaticTranspose: {
      const auto& n = table<fb::XNNStaticTranspose>(node);
      const Sizes perm(n.perm());
      return xnn_define_static_transpose(g.subgraph, perm.count, perm.values,
                                         g.id(n.input_id()),
                                         g.id(n.output_id()), n.flags());
    }
    case XNodeUnion::XNNStaticReshape: {
      const auto& n = table<fb::XNNStaticReshape>(node);
      const Sizes shape(n.new_shape());
      return xnn_define_static_reshape(g.subgraph, shape.count, shape.values,
                                       g.id(n.input_id()), g.id(n.output_id()),
                                       n.flags());
    }
    case XNodeUnion::XNNStaticSlice: {
      const auto& n = table<fb::XNNStaticSlice>(node);
      const Sizes offsets(n.offsets()), sizes(n.sizes());
      return xnn_define_static_slice(g.subgraph, sizes.count, offsets.values,
                                     sizes.values, g.id(n.input_id()),
                                     g.id(n.output_id()), n.flags());
    }
    case XNodeUnion::XNNStaticConstantPad: {
      const auto& n = table<fb::XNNStaticConstantPad>(node);
      const Sizes pre(n.pre_paddings()), post(n.post_paddings());
      return xnn_define_static_constant_pad(
          g.subgraph, pre.values, post.values, n.padding_value(),
          g.id(n.input_id()), g.id(n.output_id()), n.flags());
    }
    default: {
      const auto& n = table<fb::XNNStaticResizeBilinear2D>(node);
      return xnn_define_static_resize_bilinear_2d(
          g.subgraph, n.new_height(), n.new_width(), g.id(n.input_id()),
          g.id(n.output_id()), n.flags());
    }
  }
}

xnn_status define_parametric(const Graph& g, const fb::XNode& node) {
  xnn_unary_params params;
  if (node.xnode_union_type() == XNodeUnion::XNNELU) {
    const auto& n = table<fb::XNNELU>(node);
    params.elu = {n.alpha()};
    return xnn_define_unary(g.subgraph, xnn_unary_elu, &params,
                            g.id(n.input_id()), g.id(n.output_id()), n.flags());
  }
  const auto& n = table<fb::XNNLeakyReLU>(node);
  params.leaky_relu = {n.negative_slope()};
  return xnn_define_unary(g.subgraph, xnn_unary_leaky_relu, &params,
                          g.id(n.input_id()), g.id(n.output_id()), n.flags());
}

xnn_status define_arg_max(const Graph& g, const fb::XNode& node) {
  const auto& n = table<fb::XNNArgMaxPooling2d>(node);
  return xnn_define_argmax_pooling_2d(
      g.subgraph, n.padding_top(), n.padding_right(), n.padding_bottom(),
      n.padding_left(), n.pooling_height(), n.pooling_width(),
      g.id(n.input_id()), g.id(n.output_value_id()), g.id(n.output_index_id()),
      n.flags());
}

xnn_status define_global_average(const Graph& g, const fb::XNode& node) {
  const auto& n = table<fb::_XNNNode1x1>(node);
  const Limits l = limits(node);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  return xnn_define_global_average_pooling_2d(g.subgraph, l.min, l.max,
                                              g.id(n.input_id()),
                                              g.id(n.output_id()), n.flags());
#pragma GCC diagnostic pop
}

xnn_status convert(const Graph& g, uint32_t from, uint32_t to) {
  return xnn_define_unary(g.subgraph, xnn_unary_convert, nullptr, from, to, 0);
}

// XNNPACK has no bfloat16 product: the filter was widened, input and output are
// converted around it.
xnn_status define_fully_connected(const Graph& g, const fb::XNode& node) {
  const auto& n = table<fb::XNNFullyConnected>(node);
  const Limits l = limits(node);
  uint32_t input = g.id(n.input1_id()), output = g.id(n.output_id());
  const bool widen_input =
      g.is_bfloat16(n.filter_id()) && g.is_bfloat16(n.input1_id());
  const bool narrow_output =
      g.is_bfloat16(n.filter_id()) && g.is_bfloat16(n.output_id());
  xnn_status status = xnn_status_success;
  if (widen_input) {
    status = g.define_float_twin(n.input1_id(), &input);
    if (status == xnn_status_success) {
      status = convert(g, g.id(n.input1_id()), input);
    }
  }
  if (narrow_output && status == xnn_status_success) {
    status = g.define_float_twin(n.output_id(), &output);
  }
  if (status == xnn_status_success) {
    status = xnn_define_fully_connected(g.subgraph, l.min, l.max, input,
                                        g.id(n.filter_id()), g.id(n.bias_id()),
                                        output, n.flags());
  }
  return narrow_output && status == xnn_status_success
             ? convert(g, output, g.id(n.output_id()))
             : status;
}

}  // namespace

const char* node_name(const fb::XNode& node) {
  constexpr int kPrefix = 3;  // "XNN"
  const char* name = fb::EnumNameXNodeUnion(node.xnode_union_type());
  return *name != '\0' && node.xnode_union_type() != XNodeUnion::NONE
             ? name + kPrefix
             : "unknown";
}

Result<NodeValues> node_values(const fb::XNode& node) {
  const XNodeUnion type = node.xnode_union_type();
  if (unary_of(type) != xnn_unary_invalid) {
    const auto& n = table<fb::_XNNNode1x1>(node);
    return one_to_one(n.input_id(), n.output_id());
  }
  if (binary_of(type) != xnn_binary_invalid) {
    const auto& n = table<fb::_XNNNode2x1>(node);
    return NodeValues{{n.input1_id(), n.input2_id()}, 2, {n.output_id()}, 1};
  }
  switch (type) {
    case XNodeUnion::XNNSoftmax:
    case XNodeUnion::XNNCopy:
    case XNodeUnion::XNNGlobalAvgPooling2d: {
      const auto& n = table<fb::_XNNNode1x1>(node);
      return one_to_one(n.input_id(), n.output_id());
    }
    case XNodeUnion::XNNBatchMatrixMultiply: {
      const auto& n = table<fb::_XNNNode2x1>(node);
      return NodeValues{{n.input1_id(), n.input2_id()}, 2, {n.output_id()}, 1};
    }
    case XNodeUnion::XNNFullyConnected: {
      const auto& n = table<fb::XNNFullyConnected>(node);
      return NodeValues{
          {n.input1_id(), n.filter_id(), n.bias_id()}, 3, {n.output_id()}, 1};
    }
    case XNodeUnion::XNNConv2d:
    case XNodeUnion::XNNDepthwiseConv2d:
    case XNodeUnion::XNNConvTranspose2d: {
      const auto& n = table<fb::_XNNNodeConv>(node);
      return NodeValues{
          {n.input1_id(), n.filter_id(), n.bias_id()}, 3, {n.output_id()}, 1};
    }
    case XNodeUnion::XNNAvgPooling2d:
    case XNodeUnion::XNNMaxPooling2d: {
      const auto& n = table<fb::_XNNPooling2D>(node);
      return one_to_one(n.input_id(), n.output_id());
    }
    case XNodeUnion::XNNConcatenate2:
    case XNodeUnion::XNNConcatenate3:
    case XNodeUnion::XNNConcatenate4:
    case XNodeUnion::XNNConcatenate5: {
      const auto& n = table<fb::_XNNCat>(node);
      const int inputs = type == XNodeUnion::XNNConcatenate2   ? 2
                         : type == XNodeUnion::XNNConcatenate3 ? 3
                         : type == XNodeUnion::XNNConcatenate4 ? 4
                                                               : 5;
      return NodeValues{{n.input1_id(), n.input2_id(), n.input3_id(),
                         n.input4_id(), n.input5_id()},
                        inputs,
                        {n.output_id()},
                        1};
    }
    case XNodeUnion::XNNStaticTranspose: {
      const auto& n = table<fb::XNNStaticTranspose>(node);
      return one_to_one(n.input_id(), n.output_id());
    }
    case XNodeUnion::XNNStaticReshape: {
      const auto& n = table<fb::XNNStaticReshape>(node);
      return one_to_one(n.input_id(), n.output_id());
    }
    case XNodeUnion::XNNStaticSlice: {
      const auto& n = table<fb::XNNStaticSlice>(node);
      return one_to_one(n.input_id(), n.output_id());
    }
    case XNodeUnion::XNNStaticConstantPad: {
      const auto& n = table<fb::XNNStaticConstantPad>(node);
      return one_to_one(n.input_id(), n.output_id());
    }
    case XNodeUnion::XNNStaticResizeBilinear2D: {
      const auto& n = table<fb::XNNStaticResizeBilinear2D>(node);
      return one_to_one(n.input_id(), n.output_id());
    }
    case XNodeUnion::XNNELU: {
      const auto& n = table<fb::XNNELU>(node);
      return one_to_one(n.input_id(), n.output_id());
    }
    case XNodeUnion::XNNLeakyReLU: {
      const auto& n = table<fb::XNNLeakyReLU>(node);
      return one_to_one(n.input_id(), n.output_id());
    }
    case XNodeUnion::XNNArgMaxPooling2d: {
      const auto& n = table<fb::XNNArgMaxPooling2d>(node);
      return NodeValues{
          {n.input_id()}, 1, {n.output_value_id(), n.output_index_id()}, 2};
    }
    default:
      ET_LOG(Error,
             "XNNPACK graph: nodes of type %s (%d) are not supported; export "
             "without delegating them",
             node_name(node), static_cast<int>(type));
      return Error::NotImplemented;
  }
}

xnn_status define_node(const Graph& g, const fb::XNode& node) {
  const XNodeUnion type = node.xnode_union_type();
  if (unary_of(type) != xnn_unary_invalid) {
    return define_unary(g, node);
  }
  if (binary_of(type) != xnn_binary_invalid) {
    return define_binary(g, node);
  }
  switch (type) {
    case XNodeUnion::XNNSoftmax: {
      const auto& n = table<fb::_XNNNode1x1>(node);
      return xnn_define_softmax(g.subgraph, g.id(n.input_id()),
                                g.id(n.output_id()), n.flags());
    }
    case XNodeUnion::XNNCopy: {
      const auto& n = table<fb::_XNNNode1x1>(node);
      return xnn_define_copy(g.subgraph, g.id(n.input_id()),
                             g.id(n.output_id()), n.flags());
    }
    case XNodeUnion::XNNBatchMatrixMultiply: {
      const auto& n = table<fb::_XNNNode2x1>(node);
      return xnn_define_batch_matrix_multiply(g.subgraph, g.id(n.input1_id()),
                                              g.id(n.input2_id()),
                                              g.id(n.output_id()), n.flags());
    }
    case XNodeUnion::XNNGlobalAvgPooling2d:
      return define_global_average(g, node);
    case XNodeUnion::XNNFullyConnected:
      return define_fully_connected(g, node);
    case XNodeUnion::XNNConv2d:
    case XNodeUnion::XNNDepthwiseConv2d:
    case XNodeUnion::XNNConvTranspose2d:
      return define_conv(g, node);
    case XNodeUnion::XNNAvgPooling2d:
    case XNodeUnion::XNNMaxPooling2d:
      return define_pooling(g, node);
    case XNodeUnion::XNNConcatenate2:
    case XNodeUnion::XNNConcatenate3:
    case XNodeUnion::XNNConcatenate4:
    case XNodeUnion::XNNConcatenate5:
      return define_concatenate(g, node);
    case XNodeUnion::XNNELU:
    case XNodeUnion::XNNLeakyReLU:
      return define_parametric(g, node);
    case XNodeUnion::XNNArgMaxPooling2d:
      return define_arg_max(g, node);
    default:
      return define_shape_node(g, node);
  }
}

}  // namespace executorch::xnnpack
