// The two 16 bit floating-point types: Half and BFloat16.
//
// Both are storage: they convert to float without loss and from float to the
// nearest value, ties to even. Arithmetic goes through float and rounds once
// per operation; mixed with float or double it stays in that type, mixed with
// an integer it stays in the 16 bit type.
#pragma once

#include <executorch/runtime/platform/compiler.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace executorch {
namespace runtime {
namespace etensor {
namespace internal {

inline float fp32_from_bits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

inline uint32_t fp32_to_bits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

/// Bits of the half nearest to `value`.
inline uint16_t fp16_ieee_from_fp32_value(float value) {
#if defined(__F16C__)
  using Floats = float __attribute__((vector_size(16)));
  const Floats in = {value, 0, 0, 0};
  return static_cast<uint16_t>(__builtin_ia32_vcvtps2ph(in, 0)[0]);
#elif defined(__aarch64__)
  const __fp16 half = static_cast<__fp16>(value);
  uint16_t bits;
  std::memcpy(&bits, &half, sizeof(bits));
  return bits;
#else
  const uint32_t all = fp32_to_bits(value);
  const uint32_t sign = (all >> 16) & 0x8000u;
  const uint32_t bits = all & 0x7fffffffu;
  if (bits >= 0x38800000u && bits < 0x47800000u) {  // 2^-14 to 2^16: normal
    // Moves the exponent to its new bias and adds half a unit, or just less
    // where the half is even already; a carry goes into the exponent.
    return static_cast<uint16_t>(
        sign | ((bits - (112u << 23) + 0xfffu + ((bits >> 13) & 1u)) >> 13));
  }
  if (bits >= 0x47800000u) {  // too large, infinite or NaN
    return static_cast<uint16_t>(sign |
                                 (bits > 0x7f800000u ? 0x7e00u : 0x7c00u));
  }
  const uint32_t exponent = bits >> 23;
  if (exponent < 102) {  // less than half of the smallest half
    return static_cast<uint16_t>(sign);
  }
  const uint32_t mantissa = (bits & 0x7fffffu) | 0x800000u;
  const uint32_t shift = 126 - exponent;
  const uint32_t kept = mantissa >> shift;
  const uint32_t lost = mantissa & ((1u << shift) - 1);
  const uint32_t tie = 1u << (shift - 1);
  const uint32_t up = lost > tie || (lost == tie && (kept & 1u)) ? 1 : 0;
  return static_cast<uint16_t>(sign | (kept + up));
#endif
}

/// The half with these bits, as a float.
inline float fp16_ieee_to_fp32_value(uint16_t half) {
#if defined(__F16C__)
  using Halves = short __attribute__((vector_size(16)));
  const Halves in = {static_cast<short>(half), 0, 0, 0, 0, 0, 0, 0};
  return __builtin_ia32_vcvtph2ps(in)[0];
#elif defined(__aarch64__)
  __fp16 value;
  std::memcpy(&value, &half, sizeof(value));
  return static_cast<float>(value);
#else
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t bits = half & 0x7fffu;
  if (bits < 0x400u) {  // subnormal: an integer times 2^-24
    const float value = static_cast<float>(bits) * 0x1p-24f;
    return fp32_from_bits(sign | fp32_to_bits(value));
  }
  const uint32_t bias = bits < 0x7c00u ? 112u << 23 : 224u << 23;
  return fp32_from_bits(sign | ((bits << 13) + bias));
#endif
}

inline uint32_t fp16_ieee_to_fp32_bits(uint16_t half) {
  return fp32_to_bits(fp16_ieee_to_fp32_value(half));
}

/// The bfloat16 with these bits, as a float.
inline float f32_from_bits(uint16_t bits) {
  return fp32_from_bits(static_cast<uint32_t>(bits) << 16);
}

/// Bits of `value` rounded towards zero to a bfloat16.
inline uint16_t bits_from_f32(float value) {
  return static_cast<uint16_t>(fp32_to_bits(value) >> 16);
}

/// Bits of the bfloat16 nearest to `value`.
inline uint16_t round_to_nearest_even(float value) {
  const uint32_t bits = fp32_to_bits(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) {
    return 0x7fc0;
  }
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace internal

/// IEEE 754 binary16: 11 bits of precision, 6e-8 to 65504.
struct alignas(2) Half {
  uint16_t x;

  struct from_bits_t {};
  static constexpr from_bits_t from_bits() { return from_bits_t(); }

  Half() = default;
  constexpr Half(uint16_t bits, from_bits_t) : x(bits) {}
  /*implicit*/ Half(float value)
      : x(internal::fp16_ieee_from_fp32_value(value)) {}
  operator float() const { return internal::fp16_ieee_to_fp32_value(x); }
};

/// The upper half of a float: 8 bits of precision, the range of float.
struct alignas(2) BFloat16 {
  uint16_t x;

  struct from_bits_t {};
  static constexpr from_bits_t from_bits() { return from_bits_t(); }

  BFloat16() = default;
  constexpr BFloat16(uint16_t bits, from_bits_t) : x(bits) {}
  /*implicit*/ BFloat16(float value)
      : x(internal::round_to_nearest_even(value)) {}
  operator float() const { return internal::f32_from_bits(x); }
};

template <typename T>
struct is_reduced_floating_point
    : std::integral_constant<bool, std::is_same<T, Half>::value ||
                                       std::is_same<T, BFloat16>::value> {};
template <typename T>
constexpr bool is_reduced_floating_point_v =
    is_reduced_floating_point<T>::value;

namespace internal {

template <typename T>
using IfReduced = std::enable_if_t<is_reduced_floating_point<T>::value, int>;
template <typename T, typename I>
using IfReducedAndInteger = std::enable_if_t<
    is_reduced_floating_point<T>::value && std::is_integral<I>::value, int>;

template <typename T>
float wide(T value) {
  return static_cast<float>(value);
}

}  // namespace internal

template <typename T, internal::IfReduced<T> = 0>
T operator+(T a, T b) {
  return T(internal::wide(a) + internal::wide(b));
}
template <typename T, internal::IfReduced<T> = 0>
T operator-(T a, T b) {
  return T(internal::wide(a) - internal::wide(b));
}
template <typename T, internal::IfReduced<T> = 0>
T operator*(T a, T b) {
  return T(internal::wide(a) * internal::wide(b));
}
template <typename T, internal::IfReduced<T> = 0>
T operator/(T a, T b) {
  return T(internal::wide(a) / internal::wide(b));
}
template <typename T, internal::IfReduced<T> = 0>
T operator-(T a) {
  return T(static_cast<uint16_t>(a.x ^ 0x8000u), T::from_bits());
}

template <typename T, typename I, internal::IfReducedAndInteger<T, I> = 0>
T operator+(T a, I b) {
  return a + T(internal::wide(b));
}
template <typename T, typename I, internal::IfReducedAndInteger<T, I> = 0>
T operator-(T a, I b) {
  return a - T(internal::wide(b));
}
template <typename T, typename I, internal::IfReducedAndInteger<T, I> = 0>
T operator*(T a, I b) {
  return a * T(internal::wide(b));
}
template <typename T, typename I, internal::IfReducedAndInteger<T, I> = 0>
T operator/(T a, I b) {
  return a / T(internal::wide(b));
}
template <typename I, typename T, internal::IfReducedAndInteger<T, I> = 0>
T operator+(I a, T b) {
  return T(internal::wide(a)) + b;
}
template <typename I, typename T, internal::IfReducedAndInteger<T, I> = 0>
T operator-(I a, T b) {
  return T(internal::wide(a)) - b;
}
template <typename I, typename T, internal::IfReducedAndInteger<T, I> = 0>
T operator*(I a, T b) {
  return T(internal::wide(a)) * b;
}
template <typename I, typename T, internal::IfReducedAndInteger<T, I> = 0>
T operator/(I a, T b) {
  return T(internal::wide(a)) / b;
}

// The right side may be any number, it is rounded to the left type first.
template <typename T, typename U, internal::IfReduced<T> = 0>
T& operator+=(T& a, U b) {
  return a = a + static_cast<T>(b);
}
template <typename T, typename U, internal::IfReduced<T> = 0>
T& operator-=(T& a, U b) {
  return a = a - static_cast<T>(b);
}
template <typename T, typename U, internal::IfReduced<T> = 0>
T& operator*=(T& a, U b) {
  return a = a * static_cast<T>(b);
}
template <typename T, typename U, internal::IfReduced<T> = 0>
T& operator/=(T& a, U b) {
  return a = a / static_cast<T>(b);
}

namespace internal {

// What numeric_limits says about both types.
struct ReducedFloatLimits {
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool has_infinity = true;
  static constexpr bool has_quiet_NaN = true;
  static constexpr bool has_signaling_NaN = true;
  static constexpr bool is_iec559 = true;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr bool traps = false;
  static constexpr bool tinyness_before = false;
  static constexpr auto round_style = std::round_to_nearest;
  static constexpr int radix = 2;
};

}  // namespace internal
}  // namespace etensor
}  // namespace runtime
}  // namespace executorch

namespace std {

template <>
class numeric_limits<executorch::runtime::etensor::Half>
    : public executorch::runtime::etensor::internal::ReducedFloatLimits {
  using Half = executorch::runtime::etensor::Half;
  static constexpr Half from(uint16_t bits) {
    return Half(bits, Half::from_bits());
  }

 public:
  static constexpr auto has_denorm = denorm_present;
  static constexpr bool has_denorm_loss = false;
  static constexpr int digits = 11;
  static constexpr int digits10 = 3;
  static constexpr int max_digits10 = 5;
  static constexpr int min_exponent = -13;
  static constexpr int min_exponent10 = -4;
  static constexpr int max_exponent = 16;
  static constexpr int max_exponent10 = 4;
  static constexpr Half min() { return from(0x0400); }
  static constexpr Half lowest() { return from(0xfbff); }
  static constexpr Half max() { return from(0x7bff); }
  static constexpr Half epsilon() { return from(0x1400); }
  static constexpr Half round_error() { return from(0x3800); }
  static constexpr Half infinity() { return from(0x7c00); }
  static constexpr Half quiet_NaN() { return from(0x7e00); }
  static constexpr Half signaling_NaN() { return from(0x7d00); }
  static constexpr Half denorm_min() { return from(0x0001); }
};

template <>
class numeric_limits<executorch::runtime::etensor::BFloat16>
    : public executorch::runtime::etensor::internal::ReducedFloatLimits {
  using BFloat16 = executorch::runtime::etensor::BFloat16;
  static constexpr BFloat16 from(uint16_t bits) {
    return BFloat16(bits, BFloat16::from_bits());
  }

 public:
  static constexpr auto has_denorm = denorm_present;
  static constexpr bool has_denorm_loss = false;
  static constexpr int digits = 8;
  static constexpr int digits10 = 2;
  static constexpr int max_digits10 = 4;
  static constexpr int min_exponent = -125;
  static constexpr int min_exponent10 = -37;
  static constexpr int max_exponent = 128;
  static constexpr int max_exponent10 = 38;
  static constexpr BFloat16 min() { return from(0x0080); }
  static constexpr BFloat16 lowest() { return from(0xff7f); }
  static constexpr BFloat16 max() { return from(0x7f7f); }
  static constexpr BFloat16 epsilon() { return from(0x3c00); }
  static constexpr BFloat16 round_error() { return from(0x3f00); }
  static constexpr BFloat16 infinity() { return from(0x7f80); }
  static constexpr BFloat16 quiet_NaN() { return from(0x7fc0); }
  static constexpr BFloat16 signaling_NaN() { return from(0x7fa0); }
  static constexpr BFloat16 denorm_min() { return from(0x0001); }
};

}  // namespace std
