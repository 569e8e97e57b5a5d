// What the operators on matrices share: tensors as operands, checks, and how a
// constant right operand is prepared.
#pragma once

#include <algorithm>
#include <optional>

#include "kernels/optimized/gemm/matrix.h"

namespace executorch::kernels::gemm {

// What is prepared when the right operand is constant. Its data may be gone
// then.
struct MatmulState {
  std::shared_ptr<const Packed<float>> right;
};

struct Product {
  int64_t batch = 1, m, n, k;
  MatrixView left, right;
  const Packed<float>* packed = nullptr;  // of `right`
};

// The last two dimensions of `t`, and the first as batch when there are three.
MatrixView matrix_of(const Tensor& t);

// All must have the same dtype, one that matrices are multiplied in.
Error check_matmul_dtypes(const Tensor& a, const Tensor& b, const Tensor& out);

// `count` items of a bias in T, with the padding that the driver asks for.
template <class T>
const T* read_bias(const void* data, ScalarType dtype, int64_t stride,
                   int64_t count, Scratch& memory) {
  constexpr int64_t kPadding = Output<T>::kPadding;
  T* bias = memory.array<T>(count + kPadding);
  if (bias != nullptr) {
    Cast<T>(dtype).read(static_cast<const char*>(data), stride, bias, count);
    std::fill(bias + count, bias + count + kPadding, T(0));
  }
  return bias;
}

// Runs a product whose result is described by `out`.
template <class T>
Error run(Product p, MatrixOutput<T>& out);

// The right operand of one instruction, packed once for all its runs, unless so
// few `rows` of the left one meet it in all of them that it is read fastest
// where it is.
std::shared_ptr<const MatmulState> prepare_right(PrepareContext& ctx,
                                                 size_t index,
                                                 const MatrixView& right,
                                                 int64_t k, int64_t n,
                                                 std::optional<int64_t> rows);

inline const Packed<float>* packed_right(const MatmulState* state) {
  return state != nullptr ? state->right.get() : nullptr;
}

// The number of rows of argument `index`, if it is the same in every run.
std::optional<int64_t> fixed_rows(PrepareContext& ctx, size_t index,
                                  const Tensor& left);

}  // namespace executorch::kernels::gemm
