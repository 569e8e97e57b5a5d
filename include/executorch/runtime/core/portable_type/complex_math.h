// Functions of complex numbers, by way of std::complex.
#pragma once

#include <executorch/runtime/core/portable_type/complex.h>

#include <cmath>
#include <complex>

namespace executorch {
namespace runtime {
namespace etensor {
namespace internal {

template <typename T>
struct is_std_complex<std::complex<T>> : std::true_type {};

}  // namespace internal

#define ET_INTERNAL_COMPLEX_MATH(name__)                             \
  template <typename T>                                              \
  complex<T> name__(const complex<T>& z) {                           \
    return complex<T>(std::name__(static_cast<std::complex<T>>(z))); \
  }
ET_INTERNAL_COMPLEX_MATH(acos)
ET_INTERNAL_COMPLEX_MATH(acosh)
ET_INTERNAL_COMPLEX_MATH(asin)
ET_INTERNAL_COMPLEX_MATH(asinh)
ET_INTERNAL_COMPLEX_MATH(atan)
ET_INTERNAL_COMPLEX_MATH(atanh)
ET_INTERNAL_COMPLEX_MATH(cos)
ET_INTERNAL_COMPLEX_MATH(cosh)
ET_INTERNAL_COMPLEX_MATH(exp)
ET_INTERNAL_COMPLEX_MATH(log)
ET_INTERNAL_COMPLEX_MATH(log10)
ET_INTERNAL_COMPLEX_MATH(sin)
ET_INTERNAL_COMPLEX_MATH(sinh)
ET_INTERNAL_COMPLEX_MATH(sqrt)
ET_INTERNAL_COMPLEX_MATH(tan)
ET_INTERNAL_COMPLEX_MATH(tanh)
#undef ET_INTERNAL_COMPLEX_MATH

template <typename T>
complex<T> log2(const complex<T>& z) {
  return log(z) / complex<T>(std::log(T(2)));
}

/// log(1 + z), exact for small z.
template <typename T>
complex<T> log1p(const complex<T>& z) {
  const T x = z.real();
  const T y = z.imag();
  const T real = std::abs(x) < T(0.5) && std::abs(y) < T(0.5)
                     ? std::log1p(x * (T(2) + x) + y * y) / T(2)
                     : std::log(std::hypot(T(1) + x, y));
  return complex<T>(real, std::atan2(y, T(1) + x));
}

/// exp(z) - 1, exact for small z.
template <typename T>
complex<T> expm1(const complex<T>& z) {
  const T half_sine = std::sin(z.imag() / T(2));
  const T real = std::expm1(z.real());
  return complex<T>(real * std::cos(z.imag()) - T(2) * half_sine * half_sine,
                    (real + T(1)) * std::sin(z.imag()));
}

template <typename T>
complex<T> pow(const complex<T>& a, const complex<T>& b) {
  return complex<T>(std::pow(static_cast<std::complex<T>>(a),
                             static_cast<std::complex<T>>(b)));
}
template <typename T>
complex<T> pow(const complex<T>& a, const T& b) {
  return complex<T>(std::pow(static_cast<std::complex<T>>(a), b));
}
template <typename T>
complex<T> pow(const T& a, const complex<T>& b) {
  return complex<T>(std::pow(a, static_cast<std::complex<T>>(b)));
}

/// Magnitude, its square, angle, and the number with a given magnitude and
/// angle.
template <typename T>
T abs(const complex<T>& z) {
  return std::hypot(z.real(), z.imag());
}
template <typename T>
constexpr T norm(const complex<T>& z) {
  return z.real() * z.real() + z.imag() * z.imag();
}
template <typename T>
T arg(const complex<T>& z) {
  return std::atan2(z.imag(), z.real());
}
template <typename T>
complex<T> polar(const T& r, const T& theta = T()) {
  return complex<T>(std::polar(r, theta));
}
template <typename T>
constexpr T real(const complex<T>& z) {
  return z.real();
}
template <typename T>
constexpr T imag(const complex<T>& z) {
  return z.imag();
}
template <typename T>
constexpr complex<T> conj(const complex<T>& z) {
  return complex<T>(z.real(), -z.imag());
}

/// 2.0_if and 2.0_id: imaginary numbers.
namespace complex_literals {
constexpr complex<float> operator""_if(long double imag) {
  return complex<float>(0.0f, static_cast<float>(imag));
}
constexpr complex<double> operator""_id(long double imag) {
  return complex<double>(0.0, static_cast<double>(imag));
}
}  // namespace complex_literals

}  // namespace etensor
}  // namespace runtime
}  // namespace executorch

// Generic code says std::exp(x) for all numbers.
namespace std {
using executorch::runtime::etensor::abs;
using executorch::runtime::etensor::acos;
using executorch::runtime::etensor::acosh;
using executorch::runtime::etensor::arg;
using executorch::runtime::etensor::asin;
using executorch::runtime::etensor::asinh;
using executorch::runtime::etensor::atan;
using executorch::runtime::etensor::atanh;
using executorch::runtime::etensor::conj;
using executorch::runtime::etensor::cos;
using executorch::runtime::etensor::cosh;
using executorch::runtime::etensor::exp;
using executorch::runtime::etensor::expm1;
using executorch::runtime::etensor::imag;
using executorch::runtime::etensor::log;
using executorch::runtime::etensor::log10;
using executorch::runtime::etensor::log1p;
using executorch::runtime::etensor::log2;
using executorch::runtime::etensor::norm;
using executorch::runtime::etensor::pow;
using executorch::runtime::etensor::real;
using executorch::runtime::etensor::sin;
using executorch::runtime::etensor::sinh;
using executorch::runtime::etensor::sqrt;
using executorch::runtime::etensor::tan;
using executorch::runtime::etensor::tanh;
}  // namespace std
