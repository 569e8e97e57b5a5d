// Compiled once per instruction set with -DET_ISA=<name> and the flags of that
// set. Includes nothing with inline functions that others see.
#include "kernels/optimized/vec/math_isa.h"
#include "kernels/optimized/vec/softmax.h"

namespace executorch::kernels::vec {
namespace {

double total(D sums) {
  double sum = 0;
  for (int i = 0; i < kLanes / 2; ++i) {
    sum += sums[i];
  }
  return sum;
}

// e^x for x up to 0 and NaN.
F exp_not_above_1(F x) { return exp_in_range(at_least(x, all<F>(-104.0f))); }

double exp_sum(const float* x, int64_t n, float max, float* out) {
  // So many vectors are added as floats before they go into the doubles.
  constexpr int64_t kDepth = 16;
  D sums_so_far = {};
  int64_t i = 0;
  while (i + kLanes <= n) {
    F sums = {};
    for (int64_t k = 0; k < kDepth && i + kLanes <= n; ++k, i += kLanes) {
      const F e = exp_not_above_1(load(x + i) - max);
      sums += e;
      // Lines come one after the other, and the next one is read first for its
      // maximum, with nothing to compute while it comes from memory.
      __builtin_prefetch(x + n + i);
      __builtin_prefetch(out + n + i, 1);
      if (out != nullptr) {
        store(out + i, e);
      }
    }
    const Doubles wide = widen(sums);
    sums_so_far += wide.low + wide.high;
  }
  double sum = total(sums_so_far);
  if (i < n) {
    const F e = exp_not_above_1(load(x + i, n - i) - max);
    for (int64_t k = 0; k < n - i; ++k) {
      sum += static_cast<double>(e[k]);
    }
    if (out != nullptr) {
      store(out + i, e, n - i);
    }
  }
  return sum;
}

}  // namespace

#define ET_PASTE_(a, b) a##b
#define ET_PASTE(a, b) ET_PASTE_(a, b)

extern const Softmax ET_PASTE(softmax_, ET_ISA);
const Softmax ET_PASTE(softmax_, ET_ISA) = {cpu::Isa::ET_ISA, exp_sum};

}  // namespace executorch::kernels::vec
