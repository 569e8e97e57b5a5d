// aten::convolution. What it computes is described by conv/shape.h; the work is
// done in conv/convolution.cpp.
#include <algorithm>
#include <string>

#include "kernels/optimized/conv/convolution.h"
#include "kernels/optimized/conv/depthwise.h"

namespace executorch::kernels {
namespace {

using conv::Params;
using conv::Prepared;
using conv::Shape;

constexpr DtypeSet kConvolved = kReal & ~dtype_bit(ScalarType::UInt16);
constexpr DtypeSet kTransposed = kFloats | dtype_bit(ScalarType::Long);

Error convolution(KernelRuntimeContext&, const Prepared* prepared,
                  const Tensor& in, const Tensor& weight,
                  std::optional<Tensor> bias, ArrayRef<int64_t> stride,
                  ArrayRef<int64_t> padding, ArrayRef<int64_t> dilation,
                  bool transposed, ArrayRef<int64_t> output_padding,
                  int64_t groups, Tensor& out) {
  if (transposed) {
    ET_CHECK_OK_OR_RETURN_ERROR(check_dtype(in.scalar_type(), kTransposed));
  }
  const Params params = {stride,     padding,        dilation,
                         transposed, output_padding, groups};
  const Result<Shape> shape = conv::check(in, weight, bias, params, &out);
  ET_CHECK_OK_OR_RETURN_ERROR(shape.error());
  return conv::run(*shape, in.const_data_ptr(), weight.const_data_ptr(),
                   bias.has_value() ? bias->const_data_ptr() : nullptr,
                   bias.has_value() ? bias->strides()[0] : 0,
                   out.mutable_data_ptr(), prepared);
}

// What packed weights depend on, beside the weight itself.
std::string recipe_of(const Shape& s, const conv::Window& w,
                      const Prepared& prepared) {
  std::string text =
      prepared.side == gemm::Side::left ? "conv left" : "conv right";
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
  return text + prepared.fused.identity;
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

void prepare_weights(PrepareContext& ctx, const Shape& s, const void* weight,
                     Prepared& prepared) {
  prepared.side = conv::weight_side(s, conv::window(s, 0));
  const float* scale =
      prepared.fused.scale.empty() ? nullptr : prepared.fused.scale.data();
  const int64_t windows =
      std::min(conv::num_windows(s), Prepared::kMostWindows);
  for (int64_t i = 0; i < windows; ++i) {
    const conv::Window w = conv::window(s, i);
    const std::string recipe = recipe_of(s, w, prepared);
    prepared.weights[i] = std::static_pointer_cast<const gemm::Packed<float>>(
        ctx.share(weight, recipe.c_str(), [&] {
          return gemm::Packed<float>::make(
              conv::Weights<float>(s, w, weight, scale), prepared.side,
              s.groups, s.out_channels, s.in_channels * w.taps());
        }));
  }
  if (is_complete(prepared, s)) {
    ctx.release(1);
  }
}

// The weights of a depthwise convolution, before anything is taken over.
bool copy_taps(const Shape& s, const void* weight, Prepared& prepared) {
  Scratch memory;
  const float* taps = conv::depthwise_taps<float>(s, weight, memory);
  if (taps != nullptr) {
    const int64_t count = s.groups * s.out_channels * conv::window(s, 0).taps();
    prepared.taps.assign(taps, taps + count);
  }
  return taps != nullptr;
}

void scale_taps(Prepared& prepared) {
  const std::vector<float>& scale = prepared.fused.scale;
  const size_t count = scale.empty() ? 0 : prepared.taps.size() / scale.size();
  for (size_t i = 0; i < scale.size() * count; ++i) {
    prepared.taps[i] *= scale[i / count];
  }
}

// The bias that a batch norm makes of the one that is given.
void prepare_bias(const std::optional<Tensor>& bias, Prepared& prepared) {
  const Fused& fused = prepared.fused;
  if (fused.scale.empty()) {
    return;
  }
  prepared.bias = fused.shift;
  for (size_t c = 0; bias.has_value() && c < fused.scale.size(); ++c) {
    prepared.bias[c] +=
        fused.scale[c] * bias->const_data_ptr<float>()[c * bias->strides()[0]];
  }
  prepared.bias.resize(prepared.bias.size() + gemm::Output<float>::kPadding);
}

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
  if (!shape.ok() || out.dim() != in.dim()) {
    return nullptr;
  }
  conv::set_strides(*shape, in, weight, out);
  auto prepared = std::make_shared<Prepared>();
  const bool is_depthwise = conv::is_depthwise(*shape);
  if (is_depthwise && !copy_taps(*shape, weight.const_data_ptr(), *prepared)) {
    return nullptr;
  }
  if (dtype == ScalarType::Float) {
    // Without a batch, batch norm takes another dimension for the channels.
    const bool has_batch = in.dim() == weight.dim();
    const bool has_known_bias = !bias.has_value() || ctx.is_constant(2);
    prepared->fused = absorb_followers(
        ctx,
        has_batch && has_known_bias ? shape->groups * shape->out_channels : 0);
  }
  prepare_bias(bias, *prepared);
  if (is_depthwise) {
    scale_taps(*prepared);
    ctx.release(1);
  } else {
    prepare_weights(ctx, *shape, weight.const_data_ptr(), *prepared);
  }
  return prepared;
}

const Op kOps[] = {
    op<kConvolved, convolution, prepare>("aten::convolution.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
