// Splitting a loop over the shared thread pool.
#pragma once

#include <algorithm>
#include <cstdint>

#include "src/core/parallel.h"

namespace executorch::kernels {

// Below this many bytes touched per thread a split costs more than it saves.
inline constexpr int64_t kGrainBytes = 64 * 1024;

// Plain moves are so fast that threads pay only for larger pieces.
inline constexpr int64_t kMoveGrain = 4 * kGrainBytes;

// Calls f(begin, end) on disjoint pieces of [0, n), each of at least `grain`
// items, perhaps at the same time. `f` must not depend on how n is cut.
template <class F>
void parallel(int64_t n, int64_t grain, F&& f) {
  if (n <= grain) {
    if (n > 0) {
      f(int64_t{0}, n);
    }
    return;
  }
  core::parallel_chunks(n, std::max<int64_t>(grain, 1), f);
}

}  // namespace executorch::kernels
