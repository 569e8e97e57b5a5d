#include "kernels/optimized/gemm/q8.h"

namespace executorch::kernels::gemm {

extern const Q8Kernels q8_baseline;
#if defined(ET_MOE_OPTIMIZED) && defined(__x86_64__)
extern const Q8Kernels q8_avx2, q8_avx512vnni;
#elif defined(ET_MOE_OPTIMIZED) && defined(__aarch64__)
extern const Q8Kernels q8_dotprod, q8_i8mm;
#endif

const Q8Kernels& q8() {
  static const Q8Kernels& chosen = cpu::choose({
#if defined(ET_MOE_OPTIMIZED) && defined(__x86_64__)
    &q8_avx512vnni, &q8_avx2,
#elif defined(ET_MOE_OPTIMIZED) && defined(__aarch64__)
    &q8_i8mm, &q8_dotprod,
#endif
        &q8_baseline
  });
  return chosen;
}

}  // namespace executorch::kernels::gemm
