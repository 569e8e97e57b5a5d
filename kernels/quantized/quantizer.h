// Floating-point elements to integers: the worker behind every quantize_*.
#pragma once

#include <executorch/runtime/core/error.h>

#include "kernels/quantized/affine.h"

namespace executorch::kernels {

struct Quantization {
  Param scale;
  Param zero_point;
  int64_t min;
  int64_t max;
  vec::Rounding rounding = vec::kRoundFirst;
  // Half and BFloat16 input becomes float first.
  bool in_float32 = true;
};

// A worker for run_rows().
class Quantizer {
 public:
  Quantizer(const Tensor& x, const Quantization& q, Tensor& out);

  void load(const int64_t at[2], const int64_t step[2], int64_t n);
  void run(int64_t offset, int64_t n);

 private:
  float float_margin(int64_t n) const;
  void run_exact(int64_t offset, int64_t n);
  template <class T>
  void run_loop(const vec::Quantize<T>& loop,
                const vec::QuantizeParams<T>& params, int64_t offset,
                int64_t n);

  const char* x_;
  char* out_;
  ScalarType in_, out_type_;
  Quantization q_;
  // The types of the product and of the sum with the zero point.
  ScalarType product_, sum_;
  Fit quotient_, to_product_, to_sum_;
  vec::Params kind_ = vec::kOne;
  double inverse_[kPiece], zero_[kPiece];
  float inverse32_[kPiece], zero32_[kPiece];
  float float_margin_ = 0;
};

// All of it: `block` as in Rows. The caller has checked the arguments.
void quantize(const Tensor& x, const int64_t* block, const Quantization& q,
              Tensor& out);

}  // namespace executorch::kernels
