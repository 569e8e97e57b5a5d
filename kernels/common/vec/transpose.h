// Transposes of matrices of 1, 2, 4 and 8 byte items, per instruction set.
#pragma once

#include <stdint.h>

#include "src/threadpool/cpu.h"

namespace executorch::kernels::vec {

struct Transpose {
  cpu::Isa isa;

  // dst[c][r] = src[r][c] for r < rows and c < cols. The items of a row lie
  // side by side, in both matrices; strides are between rows, in bytes.
  using Run = void (*)(char* dst, int64_t dst_stride, const char* src,
                       int64_t src_stride, int64_t rows, int64_t cols);
  Run item1, item2, item4, item8;
};

const Transpose& transpose();

}  // namespace executorch::kernels::vec
