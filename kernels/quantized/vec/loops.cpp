#include "kernels/quantized/vec/loops.h"

namespace executorch::kernels::vec {

extern const Loops loops_baseline;
#if defined(__x86_64__)
extern const Loops loops_avx2, loops_avx512;
#endif

const Loops& loops() {
#if defined(__x86_64__)
  static const Loops& chosen =
      cpu::choose({&loops_avx512, &loops_avx2, &loops_baseline});
#else
  static const Loops& chosen = cpu::choose({&loops_baseline});
#endif
  return chosen;
}

}  // namespace executorch::kernels::vec
