// out[i] = x[i] * scale + shift
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/optimized/vec/reduce.h"

namespace executorch::kernels {

template <class T>
void affine(const T* x, T* out, int64_t n, T scale, T shift) {
  if constexpr (std::is_same_v<T, float>) {
    vec::reduce().affine(x, out, n, scale, shift);
  } else {
    for (int64_t i = 0; i < n; ++i) {
      out[i] = x[i] * scale + shift;
    }
  }
}

}  // namespace executorch::kernels
