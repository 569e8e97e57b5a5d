// Complex numbers that are plain pairs, without the weight of <complex>.
// Functions such as exp() and abs() are in complex_math.h, and so is the
// conversion from and to std::complex.
#pragma once

#include <executorch/runtime/platform/compiler.h>

#include <limits>
#include <type_traits>

namespace executorch {
namespace runtime {
namespace etensor {
namespace internal {

// True for std::complex; said where <complex> is included.
template <typename T>
struct is_std_complex : std::false_type {};

}  // namespace internal

/// Real and imaginary part, in this order in memory.
template <typename T>
struct alignas(2 * sizeof(T)) complex {
  using value_type = T;

  T real_ = T(0);
  T imag_ = T(0);

  constexpr complex() = default;
  /*implicit*/ constexpr complex(const T& real, const T& imag = T(0))
      : real_(real), imag_(imag) {}

  /// A wider complex takes a narrower one by itself.
  template <typename U, std::enable_if_t<(sizeof(U) < sizeof(T)), int> = 0>
  /*implicit*/ constexpr complex(const complex<U>& other)
      : real_(static_cast<T>(other.real_)),
        imag_(static_cast<T>(other.imag_)) {}
  template <typename U, std::enable_if_t<(sizeof(U) >= sizeof(T)) &&
                                             !std::is_same<T, U>::value,
                                         int> = 0>
  explicit constexpr complex(const complex<U>& other)
      : real_(static_cast<T>(other.real_)),
        imag_(static_cast<T>(other.imag_)) {}

  template <typename C,
            std::enable_if_t<internal::is_std_complex<C>::value, int> = 0>
  explicit constexpr complex(const C& other)
      : real_(static_cast<T>(other.real())),
        imag_(static_cast<T>(other.imag())) {}
  template <typename C,
            std::enable_if_t<internal::is_std_complex<C>::value, int> = 0>
  explicit constexpr operator C() const {
    return C(real_, imag_);
  }

  /// Whether the number is not zero.
  explicit constexpr operator bool() const {
    return real_ != T(0) || imag_ != T(0);
  }

  constexpr T real() const { return real_; }
  constexpr T imag() const { return imag_; }
  constexpr void real(T value) { real_ = value; }
  constexpr void imag(T value) { imag_ = value; }

  constexpr complex& operator=(T real) {
    real_ = real;
    imag_ = T(0);
    return *this;
  }
  template <typename U>
  constexpr complex& operator=(const complex<U>& other) {
    return *this = static_cast<complex>(other);
  }

  constexpr complex& operator+=(const complex& b) { return *this = *this + b; }
  constexpr complex& operator-=(const complex& b) { return *this = *this - b; }
  constexpr complex& operator*=(const complex& b) { return *this = *this * b; }
  constexpr complex& operator/=(const complex& b) { return *this = *this / b; }

  friend constexpr complex operator+(const complex& a) { return a; }
  friend constexpr complex operator-(const complex& a) {
    return complex(-a.real_, -a.imag_);
  }
  friend constexpr complex operator+(const complex& a, const complex& b) {
    return complex(a.real_ + b.real_, a.imag_ + b.imag_);
  }
  friend constexpr complex operator-(const complex& a, const complex& b) {
    return complex(a.real_ - b.real_, a.imag_ - b.imag_);
  }
  friend constexpr complex operator*(const complex& a, const complex& b) {
    return complex(a.real_ * b.real_ - a.imag_ * b.imag_,
                   a.real_ * b.imag_ + a.imag_ * b.real_);
  }
  // Smith's method: scales by the larger part of the divisor, so that its
  // square does not overflow.
  friend constexpr complex operator/(const complex& a, const complex& b) {
    const T abs_real = b.real_ < T(0) ? -b.real_ : b.real_;
    const T abs_imag = b.imag_ < T(0) ? -b.imag_ : b.imag_;
    if (abs_real == T(0) && abs_imag == T(0)) {
      return complex(a.real_ / abs_real, a.imag_ / abs_imag);
    }
    if (abs_real >= abs_imag) {
      const T ratio = b.imag_ / b.real_;
      const T scale = T(1) / (b.real_ + b.imag_ * ratio);
      return complex((a.real_ + a.imag_ * ratio) * scale,
                     (a.imag_ - a.real_ * ratio) * scale);
    }
    const T ratio = b.real_ / b.imag_;
    const T scale = T(1) / (b.imag_ + b.real_ * ratio);
    return complex((a.real_ * ratio + a.imag_) * scale,
                   (a.imag_ * ratio - a.real_) * scale);
  }
  friend constexpr bool operator==(const complex& a, const complex& b) {
    return a.real_ == b.real_ && a.imag_ == b.imag_;
  }
  friend constexpr bool operator!=(const complex& a, const complex& b) {
    return !(a == b);
  }
};

template <typename T>
struct is_complex : internal::is_std_complex<T> {};
template <typename T>
struct is_complex<complex<T>> : std::true_type {};

/// The type of a part, or the type itself when it is not complex.
template <typename T, typename = void>
struct scalar_value_type {
  using type = T;
};
template <typename T>
struct scalar_value_type<T, std::enable_if_t<is_complex<T>::value>> {
  using type = typename T::value_type;
};

}  // namespace etensor
}  // namespace runtime
}  // namespace executorch

namespace std {

template <typename T>
class numeric_limits<executorch::runtime::etensor::complex<T>>
    : public numeric_limits<T> {};

}  // namespace std
