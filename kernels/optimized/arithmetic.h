// Integer arithmetic that wraps, as PyTorch's does, for functors that are also
// instantiated for floating types.
#pragma once

#include <complex>
#include <cstdint>

namespace executorch::kernels {

template <class T>
T wrap_add(T a, T b) {
  return a + b;
}
inline int64_t wrap_add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) +
                              static_cast<uint64_t>(b));
}
template <class T>
T wrap_sub(T a, T b) {
  return a - b;
}
inline int64_t wrap_sub(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) -
                              static_cast<uint64_t>(b));
}
template <class T>
T wrap_mul(T a, T b) {
  return a * b;
}
inline int64_t wrap_mul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) *
                              static_cast<uint64_t>(b));
}
// The plain formula: std::complex repairs products of infinities, PyTorch does
// not.
template <class T>
std::complex<T> wrap_mul(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(),
          a.real() * b.imag() + a.imag() * b.real()};
}

}  // namespace executorch::kernels
