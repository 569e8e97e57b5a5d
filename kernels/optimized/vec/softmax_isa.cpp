// Compiled once per instruction set with -DET_ISA=<name> and the flags of that
// set. Includes nothing with inline functions that others see.
#include "kernels/optimized/vec/math_isa.h"
#include "kernels/optimized/vec/softmax.h"

namespace executorch::kernels::vec {
namespace {

double total(F sums) {
  double sum = 0;
  for (int i = 0; i < kLanes; ++i) {
    sum += static_cast<double>(sums[i]);
  }
  return sum;
}

double exp_sum(const float* x, int64_t n, float max, float* out) {
  // So many vectors are added as floats before they go into the double.
  constexpr int64_t kDepth = 16;
  double sum = 0;
  int64_t i = 0;
  while (i + kLanes <= n) {
    F sums = {};
    for (int64_t k = 0; k < kDepth && i + kLanes <= n; ++k, i += kLanes) {
      const F e = exp(load(x + i) - max);
      sums += e;
      if (out != nullptr) {
        store(out + i, e);
      }
    }
    sum += total(sums);
  }
  if (i < n) {
    const F e = exp(load(x + i, n - i) - max);
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
