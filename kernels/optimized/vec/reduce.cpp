#include "kernels/optimized/vec/reduce.h"

namespace executorch::kernels::vec {

extern const Reduce reduce_baseline;
#if defined(__x86_64__)
extern const Reduce reduce_avx2, reduce_avx512;
#endif

const Reduce& reduce() {
  static const Reduce& chosen = cpu::choose({
#if defined(__x86_64__)
    &reduce_avx512, &reduce_avx2,
#endif
        &reduce_baseline
  });
  return chosen;
}

}  // namespace executorch::kernels::vec
