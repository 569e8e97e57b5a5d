// aten::convolution. What it computes is described by conv/shape.h; the work is
// done in conv/convolution.cpp.
#include <algorithm>
#include <string>

#include "kernels/optimized/conv/convolution.h"

namespace executorch::kernels {
namespace {

using conv::Params;
using conv::Prepared;
using conv::Shape;

bool has_kernel(ScalarType dtype, bool transposed) {
  switch (dtype) {
    case ScalarType::Byte:
    case ScalarType::Char:
    case ScalarType::Short:
    case ScalarType::Int:
      return !transposed;
    case ScalarType::Long:
    case ScalarType::Half:
    case ScalarType::BFloat16:
    case ScalarType::Float:
    case ScalarType::Double:
      return true;
    default:
      return false;
  }
}

Error convolution(KernelRuntimeContext&, const Prepared* prepared,
                  const Tensor& in, const Tensor& weight,
                  std::optional<Tensor> bias, ArrayRef<int64_t> stride,
                  ArrayRef<int64_t> padding, ArrayRef<int64_t> dilation,
                  bool transposed, ArrayRef<int64_t> output_padding,
                  int64_t groups, Tensor& out) {
  ET_CHECK_OR_RETURN_ERROR(has_kernel(in.scalar_type(), transposed),
                           InvalidArgument, "no %sconvolution of dtype %s",
                           transposed ? "transposed " : "",
                           runtime::toString(in.scalar_type()));
  const Params params = {stride,     padding,        dilation,
                         transposed, output_padding, groups};
  const Result<Shape> shape = conv::check(in, weight, bias, params, &out);
  ET_CHECK_OK_OR_RETURN_ERROR(shape.error());
  return conv::run(*shape, in.const_data_ptr(), weight.const_data_ptr(),
                   bias.has_value() ? bias->const_data_ptr() : nullptr,
                   bias.has_value() ? bias->strides()[0] : 0,
                   out.mutable_data_ptr(), prepared);
}

// What the packed weights depend on, beside the weight itself.
std::string recipe_of(const Shape& s, const conv::Window& w, gemm::Side side) {
  std::string text = side == gemm::Side::left ? "conv left" : "conv right";
  const auto add = [&](int64_t x) { text += ' ' + std::to_string(x); };
  add(static_cast<int64_t>(s.dtype));
  add(s.groups);
  add(s.transposed);
  add(s.weight.output);
  add(s.weight.input);
  for (const conv::Axis& axis : w.axes) {
    add(axis.taps);
    add(axis.first_tap);
    add(axis.tap_step);
  }
  return text;
}

// Whether no window needs the weight itself any more.
bool is_complete(const Prepared& prepared, const Shape& s) {
  const int64_t windows = conv::num_windows(s);
  bool complete = windows <= Prepared::kMostWindows;
  for (int64_t i = 0; complete && i < windows; ++i) {
    complete = prepared.weights[i] != nullptr ||
               conv::window(s, i).taps() * s.in_channels == 0;
  }
  return complete;
}

// Packs the weights of every window.
std::shared_ptr<const Prepared> prepare(
    PrepareContext& ctx, const Tensor& in, const Tensor& weight,
    std::optional<Tensor> bias, ArrayRef<int64_t> stride,
    ArrayRef<int64_t> padding, ArrayRef<int64_t> dilation, bool transposed,
    ArrayRef<int64_t> output_padding, int64_t groups, Tensor& out) {
  const ScalarType dtype = in.scalar_type();
  const bool sums_in_float = dtype == ScalarType::Float ||
                             dtype == ScalarType::Half ||
                             dtype == ScalarType::BFloat16;
  if (!ctx.is_constant(1) || !sums_in_float) {
    return nullptr;
  }
  const Params params = {stride,     padding,        dilation,
                         transposed, output_padding, groups};
  Result<Shape> shape = conv::check(in, weight, bias, params, nullptr);
  if (!shape.ok() || conv::is_depthwise(*shape) || out.dim() != in.dim()) {
    return nullptr;
  }
  conv::set_strides(*shape, in, weight, out);
  auto prepared = std::make_shared<Prepared>();
  prepared->side = conv::weight_side(*shape, conv::window(*shape, 0));
  const int64_t windows =
      std::min(conv::num_windows(*shape), Prepared::kMostWindows);
  for (int64_t i = 0; i < windows; ++i) {
    const conv::Window w = conv::window(*shape, i);
    const std::string recipe = recipe_of(*shape, w, prepared->side);
    prepared->weights[i] = std::static_pointer_cast<const gemm::Packed<float>>(
        ctx.share(weight.const_data_ptr(), recipe.c_str(), [&] {
          return gemm::Packed<float>::make(
              conv::Weights<float>(*shape, w, weight.const_data_ptr()),
              prepared->side, groups, shape->out_channels,
              shape->in_channels * w.taps());
        }));
  }
  if (is_complete(*prepared, *shape)) {
    ctx.release(1);
  }
  return prepared;
}

const Op kOps[] = {
    op<convolution, prepare>("aten::convolution.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
