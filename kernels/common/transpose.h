// Transposes of matrices.
#pragma once

#include <cstdint>

namespace executorch::kernels {

// dst[c][r] = src[r][c] for r < rows and c < cols. The items of a row lie side
// by side in both matrices; strides are between rows, in bytes.
using TransposeFn = void (*)(char* dst, int64_t dst_stride, const char* src,
                             int64_t src_stride, int64_t rows, int64_t cols);

// For items of 1, 2, 4, 8 or 16 bytes.
TransposeFn transpose_of(int64_t item);

}  // namespace executorch::kernels
