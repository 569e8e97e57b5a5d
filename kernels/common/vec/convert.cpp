#include "kernels/common/vec/convert.h"

namespace executorch::kernels::vec {

extern const Convert convert_baseline;
#if defined(__x86_64__)
extern const Convert convert_avx2, convert_avx512;
#endif

const Convert& convert() {
  static const Convert& chosen = cpu::choose({
#if defined(__x86_64__)
    &convert_avx512, &convert_avx2,
#endif
        &convert_baseline,
  });
  return chosen;
}

}  // namespace executorch::kernels::vec
