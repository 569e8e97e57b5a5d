// Whether XNNPACK computes in float16 on this CPU: it has no kernels for those
// without half-precision arithmetic.
#pragma once

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace executorch::test {

inline bool cpu_has_float16() {
#if defined(__aarch64__)
  return (getauxval(AT_HWCAP) & HWCAP_ASIMDHP) != 0;
#elif defined(__x86_64__)
  return __builtin_cpu_supports("avx2");
#else
  return false;
#endif
}

}  // namespace executorch::test
