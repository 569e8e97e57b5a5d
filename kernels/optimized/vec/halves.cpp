#include "kernels/optimized/vec/loops.h"

namespace executorch::kernels::vec {

extern const Loops halves_baseline;
#if defined(__x86_64__)
extern const Loops halves_avx2, halves_avx512;
#elif defined(__aarch64__)
extern const Loops halves_fp16;
#endif

const Loops& halves() {
  static const Loops& chosen = cpu::choose({
#if defined(__x86_64__)
    &halves_avx512, &halves_avx2,
#elif defined(__aarch64__)
    &halves_fp16,
#endif
        &halves_baseline,
  });
  return chosen;
}

}  // namespace executorch::kernels::vec
