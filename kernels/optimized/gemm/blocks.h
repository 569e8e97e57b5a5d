// How a matrix product is cut into tasks for the thread pool.
#pragma once

#include "kernels/optimized/gemm/gemm.h"

namespace executorch::kernels::gemm {

// Below this many multiplications a thread is not worth waking.
inline constexpr int64_t kMinTask = 128 * 1024;

// A task computes a block of row and column panels.
struct Blocks {
  int64_t row_panels, column_panels;  // of a block, at most
  int64_t row_blocks, column_blocks;
};

// The blocks that take the least time on the threads there are. `macs` are the
// multiplications of all `batch` products.
Blocks choose_blocks(int64_t batch, double macs, const Panels& rows,
                     const Panels& columns);

}  // namespace executorch::kernels::gemm
