// Integer arithmetic that tells when a result does not fit, and comparisons
// across types.
#pragma once

#include <executorch/runtime/core/portable_type/complex.h>
#include <executorch/runtime/core/portable_type/reduced_float.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace executorch {
namespace runtime {
namespace etensor {

/// True if a + b or a * b does not fit into T; *out has the wrapped result.
template <typename T, std::enable_if_t<std::is_integral<T>::value, int> = 0>
bool add_overflows(T a, T b, T* out) {
  return __builtin_add_overflow(a, b, out);
}
template <typename T, std::enable_if_t<std::is_integral<T>::value, int> = 0>
bool mul_overflows(T a, T b, T* out) {
  return __builtin_mul_overflow(a, b, out);
}

/// True if the product of all elements does not fit.
template <typename It>
bool safe_multiplies_u64(It first, It last, uint64_t* out) {
  bool overflow = false;
  *out = 1;
  for (; first != last; ++first) {
    overflow |= mul_overflows(*out, static_cast<uint64_t>(*first), out);
  }
  return overflow;
}
template <typename Container>
bool safe_multiplies_u64(const Container& c, uint64_t* out) {
  return safe_multiplies_u64(c.begin(), c.end(), out);
}

/// False for unsigned types, without a warning.
template <typename T>
constexpr bool is_negative(const T& value) {
  if constexpr (std::is_unsigned<T>::value) {
    return false;
  } else {
    return value < T(0);
  }
}
/// -1, 0 or 1.
template <typename T>
constexpr int signum(const T& value) {
  return (T(0) < value ? 1 : 0) - (is_negative(value) ? 1 : 0);
}
template <typename T, typename U>
constexpr bool signs_differ(const T& a, const U& b) {
  return is_negative(a) != is_negative(b);
}
/// Whether the integer is above or below every Limit.
template <typename Limit, typename T>
constexpr bool greater_than_max(const T& value) {
  using Max = std::numeric_limits<Limit>;
  return !is_negative(value) &&
         static_cast<uint64_t>(value) > static_cast<uint64_t>((Max::max)());
}
template <typename Limit, typename T>
constexpr bool less_than_lowest(const T& value) {
  return is_negative(value) &&
         (std::is_unsigned<Limit>::value ||
          static_cast<int64_t>(value) <
              static_cast<int64_t>(std::numeric_limits<Limit>::lowest()));
}

/// Whether a number does not fit into To: a fraction is cut, infinities and NaN
/// fit into types that have them; `strict_unsigned` refuses negative numbers
/// that would wrap around within the type.
template <typename To, typename From>
bool overflows(From value, bool strict_unsigned = false) {
  if constexpr (is_complex<From>::value) {
    using Part = typename scalar_value_type<To>::type;
    return (!is_complex<To>::value && value.imag() != 0) ||
           overflows<Part>(value.real(), strict_unsigned) ||
           overflows<Part>(value.imag(), strict_unsigned);
  } else if constexpr (is_complex<To>::value) {
    return overflows<typename To::value_type>(value, strict_unsigned);
  } else if constexpr (std::is_same<To, bool>::value) {
    return false;
  } else if constexpr (std::is_integral<From>::value &&
                       std::is_integral<To>::value) {
    if (!strict_unsigned && std::is_unsigned<To>::value && value < From(0)) {
      return greater_than_max<To>(uint64_t(0) - static_cast<uint64_t>(value));
    }
    return less_than_lowest<To>(value) || greater_than_max<To>(value);
  } else {
    using Limits = std::numeric_limits<To>;
    const double wide = static_cast<double>(value);
    if (wide != wide) {
      return !Limits::has_quiet_NaN;
    }
    if (wide - wide != 0) {
      return !Limits::has_infinity;
    }
    const double max = static_cast<double>((Limits::max)());
    if constexpr (std::is_integral<To>::value) {
      // The largest integers are no doubles: compare with the one above.
      const double above = 2.0 * static_cast<double>((Limits::max)() / 2 + 1);
      const double lowest = static_cast<double>(Limits::lowest());
      const bool wraps = !strict_unsigned && std::is_unsigned<To>::value;
      return wide >= above || wide < (wraps ? -max : lowest);
    } else {
      return wide < -max || wide > max;
    }
  }
}

}  // namespace etensor
}  // namespace runtime
}  // namespace executorch
