#include "kernels/optimized/vec/softmax.h"

namespace executorch::kernels::vec {

extern const Softmax softmax_baseline;
#if defined(__x86_64__)
extern const Softmax softmax_avx2, softmax_avx512;
#endif

const Softmax& softmax() {
  static const Softmax& chosen = cpu::choose({
#if defined(__x86_64__)
    &softmax_avx512, &softmax_avx2,
#endif
        &softmax_baseline
  });
  return chosen;
}

}  // namespace executorch::kernels::vec
