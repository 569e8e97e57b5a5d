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

// A worker for run_rows().
class Dequantizer {
 public:
  Dequantizer(const Dequantization& q, const void* x, ScalarType in, void* out,
              ScalarType out_type);

  void load(const int64_t at[2], const int64_t step[2], int64_t n);
  void run(int64_t offset, int64_t n);

 private:
  bool loops_fit() const;
  template <class T>
  void run_loop(const vec::Dequantize<T>& loop, const T* scale, const T* zero,
                int64_t offset, int64_t n);
  void run_exact(int64_t offset, int64_t n);

  const char* x_;
  char* out_;
  ScalarType in_, out_type_;
  Dequantization q_;
  // The types of the difference to the zero point and of the product.
  ScalarType difference_, product_;
  vec::Params kind_ = vec::kOne;
  int64_t loaded_ = 0;
  bool use_loops_ = false;
  double scale_[kPiece], zero_[kPiece];
  float scale32_[kPiece], zero32_[kPiece];
};

// All of it: `block` as in Rows. The caller has checked the arguments.
void dequantize(const Tensor& x, const int64_t* block, const Dequantization& q,
                Tensor& out);

}  // namespace executorch::kernels
