// Functions of <cmath> for Half and BFloat16: through float, rounded once.
#pragma once

#include <executorch/runtime/core/portable_type/reduced_float.h>

#include <cmath>
#include <cstdint>

namespace std {

#define ET_INTERNAL_REDUCED_MATH(name__)                              \
  template <typename T,                                               \
            executorch::runtime::etensor::internal::IfReduced<T> = 0> \
  T name__(T value) {                                                 \
    return T(std::name__(static_cast<float>(value)));                 \
  }
ET_INTERNAL_REDUCED_MATH(abs)
ET_INTERNAL_REDUCED_MATH(acos)
ET_INTERNAL_REDUCED_MATH(asin)
ET_INTERNAL_REDUCED_MATH(atan)
ET_INTERNAL_REDUCED_MATH(atanh)
ET_INTERNAL_REDUCED_MATH(ceil)
ET_INTERNAL_REDUCED_MATH(cos)
ET_INTERNAL_REDUCED_MATH(cosh)
ET_INTERNAL_REDUCED_MATH(erf)
ET_INTERNAL_REDUCED_MATH(erfc)
ET_INTERNAL_REDUCED_MATH(exp)
ET_INTERNAL_REDUCED_MATH(expm1)
ET_INTERNAL_REDUCED_MATH(floor)
ET_INTERNAL_REDUCED_MATH(lgamma)
ET_INTERNAL_REDUCED_MATH(log)
ET_INTERNAL_REDUCED_MATH(log10)
ET_INTERNAL_REDUCED_MATH(log1p)
ET_INTERNAL_REDUCED_MATH(log2)
ET_INTERNAL_REDUCED_MATH(nearbyint)
ET_INTERNAL_REDUCED_MATH(sin)
ET_INTERNAL_REDUCED_MATH(sinh)
ET_INTERNAL_REDUCED_MATH(sqrt)
ET_INTERNAL_REDUCED_MATH(tan)
ET_INTERNAL_REDUCED_MATH(tanh)
ET_INTERNAL_REDUCED_MATH(trunc)
#undef ET_INTERNAL_REDUCED_MATH

template <typename T, executorch::runtime::etensor::internal::IfReduced<T> = 0>
bool isfinite(T value) {
  return std::isfinite(static_cast<float>(value));
}
template <typename T, executorch::runtime::etensor::internal::IfReduced<T> = 0>
T rsqrt(T value) {
  return T(1.0f / std::sqrt(static_cast<float>(value)));
}
template <typename T, executorch::runtime::etensor::internal::IfReduced<T> = 0>
T fmod(T a, T b) {
  return T(std::fmod(static_cast<float>(a), static_cast<float>(b)));
}
template <typename T, executorch::runtime::etensor::internal::IfReduced<T> = 0>
T pow(T a, T b) {
  return T(std::pow(static_cast<float>(a), static_cast<float>(b)));
}
template <typename T, executorch::runtime::etensor::internal::IfReduced<T> = 0>
T pow(T a, double b) {
  return T(static_cast<float>(std::pow(static_cast<float>(a), b)));
}

/// The next number of the type on the way to `to`.
template <typename T, executorch::runtime::etensor::internal::IfReduced<T> = 0>
T nextafter(T from, T to) {
  const float a = from;
  const float b = to;
  if (a != a || b != b) {
    return a != a ? from : to;
  }
  if (a == b) {
    return to;
  }
  const uint16_t magnitude = from.x & 0x7fffu;
  if (magnitude == 0) {  // the smallest number, with the sign of `to`
    return T(static_cast<uint16_t>((to.x & 0x8000u) | 1u), T::from_bits());
  }
  const bool away_from_zero = (a < b) == (a > 0);
  return T(static_cast<uint16_t>(away_from_zero ? from.x + 1 : from.x - 1),
           T::from_bits());
}

}  // namespace std
