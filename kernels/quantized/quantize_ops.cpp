// quantize_*: floating-point tensors to integers.
//
// To add one: say how its parameters lie over the input (checks.h) and in which
// order it rounds (Quantization); the arithmetic is the Quantizer's.
#include "kernels/quantized/checks.h"
#include "kernels/quantized/quantizer.h"

namespace executorch::kernels {
namespace {

Error per_tensor(KernelRuntimeContext&, const Tensor& x, double scale,
                 double zero_point, int64_t min, int64_t max, ScalarType dtype,
                 Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_range(min, max, dtype));
  ET_CHECK_OR_RETURN_ERROR(scale != 0, InvalidArgument, "the scale is 0");
  ET_CHECK_OK_OR_RETURN_ERROR(resize_like(x, dtype, out));
  quantize(x, nullptr, {Param(scale), Param(zero_point), min, max}, out);
  return Error::Ok;
}

Error per_tensor_by_tensors(KernelRuntimeContext& context, const Tensor& x,
                            const Tensor& scale, const Tensor& zero_point,
                            int64_t min, int64_t max, ScalarType dtype,
                            Tensor& out) {
  const Result<double> s = number(scale, "scale");
  ET_CHECK_OK_OR_RETURN_ERROR(s.error());
  const Result<double> z = number(zero_point, "zero_point");
  ET_CHECK_OK_OR_RETURN_ERROR(z.error());
  return per_tensor(context, x, *s, *z, min, max, dtype, out);
}

Error per_tensor_all_tensors(KernelRuntimeContext& context, const Tensor& x,
                             const Tensor& scale, const Tensor& zero_point,
                             const Tensor& min, const Tensor& max,
                             ScalarType dtype, Tensor& out) {
  const Result<double> low = number(min, "quant_min");
  ET_CHECK_OK_OR_RETURN_ERROR(low.error());
  const Result<double> high = number(max, "quant_max");
  ET_CHECK_OK_OR_RETURN_ERROR(high.error());
  return per_tensor_by_tensors(context, x, scale, zero_point,
                               cast_to<int64_t>(*low), cast_to<int64_t>(*high),
                               dtype, out);
}

Error per_channel(KernelRuntimeContext&, const Tensor& x, const Tensor& scales,
                  const Tensor& zero_points, int64_t axis, int64_t min,
                  int64_t max, ScalarType dtype, Tensor& out) {
  Quantization q = {Param(scales), Param(zero_points), min, max};
  ET_CHECK_OK_OR_RETURN_ERROR(check_params(scales, &zero_points));
  ET_CHECK_OK_OR_RETURN_ERROR(check_range(min, max, dtype));
  ET_CHECK_OK_OR_RETURN_ERROR(
      lay_per_channel(x, axis, scales, "scales", q.scale));
  ET_CHECK_OK_OR_RETURN_ERROR(
      lay_per_channel(x, axis, zero_points, "zero points", q.zero_point));
  ET_CHECK_OK_OR_RETURN_ERROR(resize_like(x, dtype, out));
  quantize(x, nullptr, q, out);
  return Error::Ok;
}

Error per_token(KernelRuntimeContext&, const Tensor& x, const Tensor& scales,
                const Tensor& zero_points, int64_t min, int64_t max,
                ScalarType dtype, Tensor& out) {
  Quantization q = {Param(scales), Param(zero_points), min,
                    max,           vec::kRoundLast,    /*in_float32=*/false};
  ET_CHECK_OK_OR_RETURN_ERROR(check_params(scales, &zero_points));
  ET_CHECK_OK_OR_RETURN_ERROR(check_range(min, max, dtype));
  ET_CHECK_OK_OR_RETURN_ERROR(lay_per_token(x, scales, "scales", q.scale));
  ET_CHECK_OK_OR_RETURN_ERROR(
      lay_per_token(x, zero_points, "zero points", q.zero_point));
  ET_CHECK_OK_OR_RETURN_ERROR(resize_like(x, dtype, out));
  quantize(x, nullptr, q, out);
  return Error::Ok;
}

Error per_channel_group(KernelRuntimeContext&, const Tensor& x,
                        const Tensor& scales, const Tensor& zero_points,
                        int64_t min, int64_t max, ScalarType dtype,
                        int64_t group_size, Tensor& out) {
  Quantization q = {Param(scales), Param(zero_points), min,
                    max,           vec::kRoundLast,    /*in_float32=*/false};
  ET_CHECK_OK_OR_RETURN_ERROR(check_params(scales, &zero_points));
  ET_CHECK_OK_OR_RETURN_ERROR(check_range(min, max, dtype));
  const Result<Blocks> groups = groups_of(x, group_size, scales);
  ET_CHECK_OK_OR_RETURN_ERROR(groups.error());
  ET_CHECK_OK_OR_RETURN_ERROR(
      lay_per_block(x, *groups, scales, "scales", q.scale));
  ET_CHECK_OK_OR_RETURN_ERROR(
      lay_per_block(x, *groups, zero_points, "zero points", q.zero_point));
  ET_CHECK_OK_OR_RETURN_ERROR(resize_like(x, dtype, out));
  quantize(x, groups->size, q, out);
  return Error::Ok;
}

Error per_tensor_by_numbers(KernelRuntimeContext& context, const Tensor& x,
                            double scale, int64_t zero_point, int64_t min,
                            int64_t max, ScalarType dtype, Tensor& out) {
  return per_tensor(context, x, scale, static_cast<double>(zero_point), min,
                    max, dtype, out);
}

const Op kOps[] = {
    op<kNarrowFloats, per_tensor_by_numbers>(
        "quantized_decomposed::quantize_per_tensor.out"),
    op<kNarrowFloats, per_tensor_by_tensors>(
        "quantized_decomposed::quantize_per_tensor.Tensor_out"),
    op<kNarrowFloats, per_tensor_by_tensors>(
        "quantized_decomposed::quantize_per_tensor.tensor_out"),
    op<kNarrowFloats, per_tensor_all_tensors>(
        "quantized_decomposed::quantize_per_tensor.tensor2_out"),
    op<kNarrowFloats, per_channel>(
        "quantized_decomposed::quantize_per_channel.out"),
    op<kFloats, per_token>("quantized_decomposed::quantize_per_token.out"),
    op<kFloats, per_channel_group>(
        "quantized_decomposed::quantize_per_channel_group.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
