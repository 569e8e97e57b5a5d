// Splitting a loop over the shared thread pool.
#pragma once

#include <executorch/runtime/kernel/thread_parallel_interface.h>

#include <algorithm>
#include <cstdint>

namespace executorch::kernels {

// Below this many bytes touched per thread a split costs more than it saves.
inline constexpr int64_t kGrainBytes = 64 * 1024;

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
  extension::parallel_for(0, n, std::max<int64_t>(grain, 1),
                          [&](int64_t begin, int64_t end) { f(begin, end); });
}

}  // namespace executorch::kernels
