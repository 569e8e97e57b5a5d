// One-dimensional discrete Fourier transforms of any length, in double.
//
//   out[j] = sum over k of in[k] * exp(sign * 2 pi i * j * k / n)
//
// A length is split into its prime factors. A large prime factor, for which
// that gains nothing, is done as a convolution with a chirp, of a length that
// is a power of two (Bluestein).
#pragma once

#include <complex>
#include <cstdint>
#include <memory>

#include "kernels/common/scratch.h"

namespace executorch::kernels::fft {

using Complex = std::complex<double>;

class Plan {
 public:
  Plan();
  ~Plan();

  // Prepares transforms of n > 0 points; false when there is no memory.
  bool init(int64_t n, bool inverse);

  // Transforms n points in place. Not for several threads at a time.
  void run(Complex* data);

 private:
  static constexpr int64_t kLargestFactor = 31;

  bool init_chirp();
  void run_chirp(Complex* data);
  void split(const Complex* in, Complex* out, int64_t n, int64_t stride,
             const int* factor);
  void combine(Complex* out, int64_t n, int64_t stride, int64_t p);

  int64_t n_ = 0;
  bool inverse_ = false;
  int factors_[64] = {};
  Scratch memory_;
  Complex* roots_ = nullptr;  // exp(sign * 2 pi i * k / n)
  Complex* copy_ = nullptr;

  // For a length with a large prime factor.
  struct Chirp;
  std::unique_ptr<Chirp> chirp_;
};

}  // namespace executorch::kernels::fft
