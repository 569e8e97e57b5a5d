// Integers to floating-point elements: the worker behind every dequantize_* and
// behind the embeddings.
#pragma once

#include <optional>

#include "kernels/quantized/affine.h"

namespace executorch::kernels {

struct Dequantization {
  Param scale;
  std::optional<Param> zero_point;
  // The integers become the type of the result first; else the zero point is
  // taken off in the type that both meet in.
  bool converts_first = false;
};

class Dequantizer {
 public:
  Dequantizer(const Dequantization& q, ScalarType in, ScalarType out);

  // Takes `n` parameters, or one if they are constant, for the next calls.
  void load(const int64_t at[2], const int64_t step[2], int64_t n);
  void run(const void* x, void* out, int64_t n) const;

 private:
  bool loops_fit() const;
  template <class T>
  void run_loop(const vec::Dequantize<T>& loop,
                const vec::DequantizeParams<T>& params, const char* x,
                void* out, int64_t n) const;
  void run_exact(const void* x, void* out, int64_t n) const;

  ScalarType in_, out_;
  Dequantization q_;
  // The types of the difference to the zero point and of the product.
  ScalarType difference_, product_;
  // Between these, a zero point leaves the difference without loss.
  double least_zero_ = 0, most_zero_ = 0;
  Fit to_difference_, to_product_;
  vec::Params kind_ = vec::kOne;
  int64_t loaded_ = 0;
  bool use_loops_ = false;
  bool in_float_ = false;  // though the product is double
  double scale_[kPiece], zero_[kPiece];
  float scale32_[kPiece], zero32_[kPiece];
};

// All of it: `block` as in Rows. The caller has checked the arguments.
void dequantize(const Tensor& x, const int64_t* block, const Dequantization& q,
                Tensor& out);

}  // namespace executorch::kernels
