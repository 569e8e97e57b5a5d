// Operators that limit values: maximum, minimum, clamp, relu, hardtanh. A NaN
// in any input gives a NaN.
#include <cmath>
#include <optional>

#include "kernels/optimized/map.h"

namespace executorch::kernels {
namespace {

template <class T>
T larger(T a, T b) {
  return a > b || a != a ? a : b;
}
template <class T>
T smaller(T a, T b) {
  return a < b || a != a ? a : b;
}

struct Maximum : Map<kRealBool> {
  static constexpr bool kCommutes = true;
  static constexpr auto kVecBinary = &vec::Loops::maximum;
  template <class T>
  T operator()(T a, T b) const {
    return larger(a, b);
  }
};
struct Minimum : Map<kRealBool> {
  static constexpr bool kCommutes = true;
  static constexpr auto kVecBinary = &vec::Loops::minimum;
  template <class T>
  T operator()(T a, T b) const {
    return smaller(a, b);
  }
};
struct ClampBetween : Map<kReal> {
  template <class T>
  T operator()(T x, T low, T high) const {
    return smaller(larger(x, low), high);
  }
};
// The bounds are params, and no NaNs.
struct Clamp : Map<kReal> {
  static constexpr auto kVec = &vec::Loops::clamp;
  template <class T>
  T operator()(T x, const T* bounds) const {
    x = x < bounds[0] ? bounds[0] : x;
    return x > bounds[1] ? bounds[1] : x;
  }
};
struct Relu : Map<kReal> {
  static constexpr auto kVec = &vec::Loops::relu;
  static constexpr bool kSameDtype = true;
  template <class T>
  T operator()(T x) const {
    return x < 0 ? T(0) : x;
  }
};

Error clamp_tensors(KernelRuntimeContext&, const Tensor& x,
                    std::optional<Tensor> low, std::optional<Tensor> high,
                    Tensor& out) {
  ET_CHECK_OR_RETURN_ERROR(low || high, InvalidArgument,
                           "clamp needs a lower or an upper bound");
  ResultType type;
  type.add(x);
  if (low) {
    type.add(*low);
  }
  if (high) {
    type.add(*high);
  }
  const ScalarType common = type.get();
  if (low && high) {
    return map(kMap<ClampBetween, 3>, common, {x, *low, *high}, out);
  }
  return low ? map(kMap<Maximum, 2>, common, {x, *low}, out)
             : map(kMap<Minimum, 2>, common, {x, *high}, out);
}

bool is_nan(const Scalar& x) { return std::isnan(to_double(x)); }

// Bounds of a dtype that they fit into.
Error clamp_to(ScalarType common, const Tensor& x, const Scalar* low,
               const Scalar* high, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_dtype(common, kReal));
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(common, out));
  for (const Scalar* bound : {low, high}) {
    if (bound != nullptr && is_in(common, kFloats) && is_nan(*bound)) {
      return map(kMap<Maximum, 2>, common, {x, number(*bound)}, out);
    }
  }
  for (const Scalar* bound : {low, high}) {
    if (bound != nullptr) {
      ET_CHECK_OK_OR_RETURN_ERROR(check_fits(*bound, common));
    }
  }
  if (low != nullptr && high != nullptr) {
    return map(kMap<Clamp, 1>, common, {x}, out, {*low, *high});
  }
  return low != nullptr
             ? map(kMap<Maximum, 2>, common, {x, number(*low)}, out)
             : map(kMap<Minimum, 2>, common, {x, number(*high)}, out);
}

Error clamp(KernelRuntimeContext&, const Tensor& x, std::optional<Scalar> low,
            std::optional<Scalar> high, Tensor& out) {
  ET_CHECK_OR_RETURN_ERROR(low || high, InvalidArgument,
                           "clamp needs a lower or an upper bound");
  ResultType type;
  type.add(x);
  if (low) {
    type.add(*low);
  }
  if (high) {
    type.add(*high);
  }
  return clamp_to(type.get(), x, low ? &*low : nullptr, high ? &*high : nullptr,
                  out);
}

int64_t to_int(const Scalar& x) {
  return x.isFloatingPoint() ? static_cast<int64_t>(x.to<double>())
                             : x.to<int64_t>();
}

// The bounds take the dtype of the input: those of integers lose their
// fraction.
Error hardtanh(KernelRuntimeContext&, const Tensor& x, const Scalar& low,
               const Scalar& high, Tensor& out) {
  const ScalarType dtype = x.scalar_type();
  const bool is_unsigned =
      dtype == ScalarType::Byte || dtype == ScalarType::UInt16;
  ET_CHECK_OR_RETURN_ERROR(
      !is_unsigned || (to_double(low) > -1 && to_double(high) > -1),
      InvalidArgument, "an unsigned tensor has no values for negative limits");
  if (!is_in(dtype, kInts)) {
    return clamp_to(dtype, x, &low, &high, out);
  }
  ET_CHECK_OK_OR_RETURN_ERROR(check_fits(low, ScalarType::Long));
  ET_CHECK_OK_OR_RETURN_ERROR(check_fits(high, ScalarType::Long));
  const Scalar int_low = to_int(low), int_high = to_int(high);
  return clamp_to(dtype, x, &int_low, &int_high, out);
}

const Op kOps[] = {
    binary_op<Maximum>("aten::maximum.out"),
    binary_op<Minimum>("aten::minimum.out"),
    unary_op<Relu>("aten::relu.out"),
    op<promoting_to(Clamp::kAllowed), clamp>("aten::clamp.out"),
    op<promoting_to(ClampBetween::kAllowed), clamp_tensors>(
        "aten::clamp.Tensor_out"),
    op<Clamp::kAllowed, hardtanh>("aten::hardtanh.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
