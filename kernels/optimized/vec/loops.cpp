#include "kernels/optimized/vec/loops.h"

namespace executorch::kernels::vec {

extern const Loops loops_baseline;
#if defined(__x86_64__)
extern const Loops loops_avx2, loops_avx512;
#endif

const Loops& loops() {
  static const Loops& chosen = cpu::choose({
#if defined(__x86_64__)
    &loops_avx512, &loops_avx2,
#endif
        &loops_baseline,
  });
  return chosen;
}

}  // namespace executorch::kernels::vec
