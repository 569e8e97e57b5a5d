#include "kernels/optimized/conv/sweep.h"

namespace executorch::kernels::conv {

extern const Sweeps sweeps_baseline;
#if defined(__x86_64__)
extern const Sweeps sweeps_avx2, sweeps_avx512;
#endif

const Sweeps& sweeps() {
  static const Sweeps& chosen = cpu::choose({
#if defined(__x86_64__)
    &sweeps_avx512, &sweeps_avx2,
#endif
        &sweeps_baseline,
  });
  return chosen;
}

}  // namespace executorch::kernels::conv
