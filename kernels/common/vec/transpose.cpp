#include "kernels/common/vec/transpose.h"

namespace executorch::kernels::vec {

extern const Transpose transpose_baseline;
#if defined(__x86_64__)
extern const Transpose transpose_avx2, transpose_avx512;
#endif

const Transpose& transpose() {
  static const Transpose& chosen = cpu::choose({
#if defined(__x86_64__)
    &transpose_avx512, &transpose_avx2,
#endif
        &transpose_baseline,
  });
  return chosen;
}

}  // namespace executorch::kernels::vec
