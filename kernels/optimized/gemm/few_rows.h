// Products whose left operand has few rows: a matrix times a vector, and the
// like. The right operand is read once and never copied; items of its columns
// lie side by side.
#pragma once

#include "kernels/optimized/gemm/matrix.h"

namespace executorch::kernels::gemm {

// Whether multiply_few_rows() takes such a product.
bool takes_few_rows(int64_t m, const MatrixView& right);

// The product of m x k and k x n matrices, `batch` of them.
runtime::Error multiply_few_rows(int64_t batch, int64_t m, int64_t n, int64_t k,
                                 const MatrixView& left,
                                 const MatrixView& right,
                                 const Output<float>& out);

}  // namespace executorch::kernels::gemm
