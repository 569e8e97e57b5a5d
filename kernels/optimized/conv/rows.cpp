#include "kernels/optimized/conv/rows.h"

namespace executorch::kernels::conv {

extern const Rows rows_baseline;
#if defined(__x86_64__)
extern const Rows rows_avx2, rows_avx512;
#endif

const Rows& rows() {
  static const Rows& chosen = cpu::choose({
#if defined(__x86_64__)
    &rows_avx512, &rows_avx2,
#endif
        &rows_baseline,
  });
  return chosen;
}

}  // namespace executorch::kernels::conv
