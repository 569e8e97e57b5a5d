// choose_qparams*: a scale and a zero point from the extremes of the values.
//
// As in PyTorch each step is rounded to the type of the input; `fit` says how.
// Comparisons are written so that NaN passes through, as it does there.
#include <cmath>
#include <limits>

#include "kernels/quantized/checks.h"
#include "kernels/quantized/extremes.h"

namespace executorch::kernels {
namespace {

struct QParams {
  double scale;
  int64_t zero_point;
};

// -- For a whole tensor ------------------------------------------------------

QParams affine(Extremes x, int64_t min, int64_t max, double eps, Fit type) {
  const Fit float32 = fit(ScalarType::Float);
  const double low = at_most(x.min, 0), high = at_least(x.max, 0);
  const double range = float32(static_cast<double>(max - min));
  const double scale = at_least(type(type(high - low) / range), float32(eps));
  const int32_t steps = cast_to<int32_t>(std::nearbyint(float32(low / scale)));
  // int32 arithmetic that wraps
  const int64_t zero = static_cast<int32_t>(static_cast<uint64_t>(min) -
                                            static_cast<uint64_t>(steps));
  return {scale, std::min(std::max(zero, min), max)};
}

QParams symmetric(Extremes x, int64_t min, int64_t max, double eps, Fit type,
                  ScalarType dtype) {
  const Fit float32 = fit(ScalarType::Float);
  const double low = at_most(x.min, 0), high = at_least(x.max, 0);
  const double range = float32(static_cast<double>(max - min) / 2);
  const double widest = at_least(high, -low);
  return {at_least(type(widest / range), float32(eps)),
          dtype == ScalarType::Byte ? 128 : 0};
}

template <bool kSymmetric>
Error choose(KernelRuntimeContext&, const Tensor& x, int64_t min, int64_t max,
             double eps, ScalarType dtype, Tensor& scale, Tensor& zero_point) {
  ET_CHECK_OR_RETURN_ERROR(contains(QuantizedTypes{}, dtype), InvalidArgument,
                           "dtype %s is not one for quantized values",
                           runtime::toString(dtype));
  ET_CHECK_OR_RETURN_ERROR(
      min <= 0 && 0 <= max && min < max, InvalidArgument,
      "the range from quant_min %lld to quant_max %lld must include 0",
      (long long)min, (long long)max);
  ET_CHECK_OR_RETURN_ERROR(x.numel() > 0, InvalidArgument,
                           "an empty tensor has no extremes");
  ET_CHECK_OK_OR_RETURN_ERROR(
      check_type(scale, ScalarType::Double, "scale_out"));
  ET_CHECK_OK_OR_RETURN_ERROR(
      check_type(zero_point, ScalarType::Long, "zero_point_out"));
  const aten::SizesType one[] = {1};
  ET_CHECK_OK_OR_RETURN_ERROR(runtime::resize_tensor(scale, {one, 1}));
  ET_CHECK_OK_OR_RETURN_ERROR(runtime::resize_tensor(zero_point, {one, 1}));
  const Extremes all = extremes(x);
  const Fit type = fit(x.scalar_type());
  const QParams q = kSymmetric ? symmetric(all, min, max, eps, type, dtype)
                               : affine(all, min, max, eps, type);
  *scale.mutable_data_ptr<double>() = q.scale;
  *zero_point.mutable_data_ptr<int64_t>() = q.zero_point;
  return Error::Ok;
}

// -- For each row ------------------------------------------------------------

// Into int8, so that the zero point loses least of the larger extreme.
QParams asymmetric_row(Extremes x, Fit type) {
  const double low = at_most(x.min, 0), high = at_least(x.max, 0);
  const double eps = std::numeric_limits<float>::epsilon();
  const double scale = at_least(type(type(high - low) / 255), type(eps));
  const double least = type(low / scale), most = type(high / scale);
  const bool by_least = type(type(-128 + least) + type(127 + most)) > 0;
  const double zero = by_least ? type(-128 - least) : type(127 - most);
  return {scale,
          cast_to<int64_t>(std::nearbyint(at_most(at_least(zero, -128), 127)))};
}

QParams symmetric_row(Extremes x, Fit type) {
  const double widest = at_least(x.max, -x.min);
  return {type(at_least(widest, type(1e-5)) / 127), 0};
}

template <class F>
Error for_each_row(const Tensor& x, Tensor& scale, Tensor& zero_point, F f) {
  const int64_t dims = x.dim();
  ET_CHECK_OR_RETURN_ERROR(dims > 0 && (x.size(dims - 1) > 0 || x.numel() > 0),
                           InvalidArgument,
                           "the input has no rows with elements");
  aten::SizesType sizes[kMaxDims];
  std::copy(x.sizes().begin(), x.sizes().end(), sizes);
  sizes[dims - 1] = 1;
  for (Tensor* t : {&scale, &zero_point}) {
    ET_CHECK_OK_OR_RETURN_ERROR(
        runtime::resize_tensor(*t, {sizes, size_t(dims)}));
  }
  const int64_t length = x.size(dims - 1), count = x.numel() / length;
  parallel(count, std::max<int64_t>(1, kGrain / length),
           [&](int64_t begin, int64_t end) {
             for (int64_t row = begin; row < end; ++row) {
               const QParams q = f(row_extremes(x, row));
               put(scale, row, q.scale);
               put(zero_point, row, static_cast<double>(q.zero_point));
             }
           });
  return Error::Ok;
}

Error per_token_asymmetric(KernelRuntimeContext&, const Tensor& x, ScalarType,
                           Tensor& scale, Tensor& zero_point) {
  ET_CHECK_OK_OR_RETURN_ERROR(
      check_type(scale, ScalarType::Double, "scale_out"));
  ET_CHECK_OK_OR_RETURN_ERROR(
      check_type(zero_point, ScalarType::Long, "zero_point_out"));
  const Fit type = fit(x.scalar_type());
  return for_each_row(x, scale, zero_point,
                      [&](Extremes e) { return asymmetric_row(e, type); });
}

// Eager returns the type of the input (float32 for float16), an exported
// program expects float64 and int64: whatever holds the values will do.
Error per_token(KernelRuntimeContext&, const Tensor& x, ScalarType dtype,
                Tensor& scale, Tensor& zero_point) {
  ET_CHECK_OR_RETURN_ERROR(dtype == ScalarType::Char, InvalidArgument,
                           "dtype is %s, only Char is defined",
                           runtime::toString(dtype));
  ET_CHECK_OK_OR_RETURN_ERROR(check_type(scale, kFloats, "scale_out"));
  ET_CHECK_OK_OR_RETURN_ERROR(
      check_type(zero_point, kNumbers, "zero_point_out"));
  const bool half = x.scalar_type() == ScalarType::Half;
  const Fit type = fit(half ? ScalarType::Float : x.scalar_type());
  return for_each_row(x, scale, zero_point,
                      [&](Extremes e) { return symmetric_row(e, type); });
}

const Op kOps[] = {
    op<kNarrowFloats, choose<false>>(
        "quantized_decomposed::choose_qparams.Tensor_out"),
    op<kNarrowFloats, choose<false>>(
        "quantized_decomposed::choose_qparams.tensor_out"),
    op<kNarrowFloats, choose<true>>(
        "quantized_decomposed::choose_qparams_symmetric.tensor_out"),
    op<kFloats, per_token_asymmetric>(
        "quantized_decomposed::choose_qparams_per_token_asymmetric.out"),
    op<kFloats, per_token>(
        "quantized_decomposed::choose_qparams_per_token.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
