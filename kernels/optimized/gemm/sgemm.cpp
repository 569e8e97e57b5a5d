#include "kernels/optimized/gemm/sgemm.h"

namespace executorch::kernels::gemm {

extern const Sgemm sgemm_baseline;
#if defined(__x86_64__)
extern const Sgemm sgemm_avx2, sgemm_avx512;
#endif

const Sgemm& sgemm() {
  static const Sgemm& chosen = cpu::choose({
#if defined(__x86_64__)
    &sgemm_avx512, &sgemm_avx2,
#endif
        &sgemm_baseline,
  });
  return chosen;
}

}  // namespace executorch::kernels::gemm
