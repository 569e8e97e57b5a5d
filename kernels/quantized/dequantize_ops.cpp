// dequantize_*: integers back to floating-point tensors.
//
// To add one: say how its parameters lie over the input (checks.h) and what is
// converted first (Dequantization); the arithmetic is the Dequantizer's.
#include "kernels/quantized/checks.h"
#include "kernels/quantized/dequantizer.h"

namespace executorch::kernels {
namespace {

using OptionalTensor = std::optional<Tensor>;
using OptionalType = std::optional<ScalarType>;

// Checks the input against the dtype that the program names for it, and `out`
// against the wanted result, and resizes `out`.
Error check_ends(const Tensor& x, ScalarType dtype, ScalarType wanted,
                 Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_type(x, dtype, "the input"));
  ET_CHECK_OK_OR_RETURN_ERROR(check_type(out, kFloats, "results"));
  return resize_like(x, wanted, out);
}

Error per_tensor(const Tensor& x, double scale, double zero_point,
                 ScalarType dtype, OptionalType out_dtype, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(
      check_ends(x, dtype, out_dtype.value_or(ScalarType::Float), out));
  dequantize(x, nullptr,
             {Param(scale), Param(zero_point), /*converts_first=*/true}, out);
  return Error::Ok;
}

Error per_tensor_by_numbers(KernelRuntimeContext&, const Tensor& x,
                            double scale, int64_t zero_point, int64_t, int64_t,
                            ScalarType dtype, OptionalType out_dtype,
                            Tensor& out) {
  return per_tensor(x, scale, static_cast<double>(zero_point), dtype, out_dtype,
                    out);
}

template <class Bound>
Error per_tensor_by_tensors(KernelRuntimeContext&, const Tensor& x,
                            const Tensor& scale, const Tensor& zero_point,
                            Bound, Bound, ScalarType dtype,
                            OptionalType out_dtype, Tensor& out) {
  const Result<double> s = number(scale, "scale");
  ET_CHECK_OK_OR_RETURN_ERROR(s.error());
  const Result<double> z = number(zero_point, "zero_point");
  ET_CHECK_OK_OR_RETURN_ERROR(z.error());
  return per_tensor(x, *s, *z, dtype, out_dtype, out);
}

Dequantization with(const Tensor& scales, const OptionalTensor& zero_points) {
  Dequantization q = {Param(scales), std::nullopt};
  if (zero_points) {
    q.zero_point.emplace(*zero_points);
  }
  return q;
}

Error per_channel(KernelRuntimeContext&, const Tensor& x, const Tensor& scales,
                  const OptionalTensor& zero_points, int64_t axis, int64_t min,
                  int64_t max, ScalarType dtype, OptionalType out_dtype,
                  Tensor& out) {
  Dequantization q = with(scales, zero_points);
  ET_CHECK_OK_OR_RETURN_ERROR(
      check_params(scales, zero_points ? &*zero_points : nullptr));
  ET_CHECK_OK_OR_RETURN_ERROR(check_range(min, max, dtype));
  ET_CHECK_OK_OR_RETURN_ERROR(
      lay_per_channel(x, axis, scales, "scales", q.scale));
  if (zero_points) {
    ET_CHECK_OK_OR_RETURN_ERROR(
        lay_per_channel(x, axis, *zero_points, "zero points", *q.zero_point));
  }
  ET_CHECK_OK_OR_RETURN_ERROR(
      check_ends(x, dtype, out_dtype.value_or(ScalarType::Float), out));
  dequantize(x, nullptr, q, out);
  return Error::Ok;
}

Error per_token(KernelRuntimeContext&, const Tensor& x, const Tensor& scales,
                const Tensor& zero_points, int64_t, int64_t, ScalarType dtype,
                ScalarType out_dtype, Tensor& out) {
  Dequantization q = with(scales, zero_points);
  ET_CHECK_OK_OR_RETURN_ERROR(check_params(scales, &zero_points));
  ET_CHECK_OK_OR_RETURN_ERROR(lay_per_token(x, scales, "scales", q.scale));
  ET_CHECK_OK_OR_RETURN_ERROR(
      lay_per_token(x, zero_points, "zero points", *q.zero_point));
  ET_CHECK_OK_OR_RETURN_ERROR(check_ends(x, dtype, out_dtype, out));
  dequantize(x, nullptr, q, out);
  return Error::Ok;
}

Error per_channel_group(KernelRuntimeContext&, const Tensor& x,
                        const Tensor& scales, const OptionalTensor& zero_points,
                        int64_t, int64_t, ScalarType dtype, int64_t group_size,
                        ScalarType out_dtype, Tensor& out) {
  Dequantization q = with(scales, zero_points);
  ET_CHECK_OK_OR_RETURN_ERROR(
      check_params(scales, zero_points ? &*zero_points : nullptr));
  const Result<Blocks> groups = groups_of(x, group_size, scales);
  ET_CHECK_OK_OR_RETURN_ERROR(groups.error());
  ET_CHECK_OK_OR_RETURN_ERROR(
      lay_per_block(x, *groups, scales, "scales", q.scale));
  if (zero_points) {
    ET_CHECK_OK_OR_RETURN_ERROR(
        lay_per_block(x, *groups, *zero_points, "zero points", *q.zero_point));
  }
  ET_CHECK_OK_OR_RETURN_ERROR(check_ends(x, dtype, out_dtype, out));
  dequantize(x, groups->size, q, out);
  return Error::Ok;
}

const Op kOps[] = {
    op<kQuantized, per_tensor_by_numbers>(
        "quantized_decomposed::dequantize_per_tensor.out"),
    op<kQuantized, per_tensor_by_tensors<int64_t>>(
        "quantized_decomposed::dequantize_per_tensor.Tensor_out"),
    op<kQuantized, per_tensor_by_tensors<int64_t>>(
        "quantized_decomposed::dequantize_per_tensor.tensor_out"),
    op<kQuantized, per_tensor_by_tensors<const Tensor&>>(
        "quantized_decomposed::dequantize_per_tensor.tensor2_out"),
    op<kQuantized, per_channel>(
        "quantized_decomposed::dequantize_per_channel.out"),
    op<kQuantized, per_token>("quantized_decomposed::dequantize_per_token.out"),
    op<kQuantized, per_channel_group>(
        "quantized_decomposed::dequantize_per_channel_group.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
