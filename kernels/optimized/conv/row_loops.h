// The loops of rows.h for all element types: the fast ones for float, plain
// ones for the others.
#pragma once

#include <cstdint>
#include <limits>

#include "kernels/optimized/conv/rows.h"

namespace executorch::kernels::conv {

template <class T>
void weigh_rows(T* out, int64_t n, const T* in, const int64_t* offsets,
                const T* weights, int64_t taps, T bias) {
  for (int64_t i = 0; i < n; ++i) {
    T sum = bias;
    for (int64_t t = 0; t < taps; ++t) {
      sum += weights[t] * in[offsets[t] + i];
    }
    out[i] = sum;
  }
}
inline void weigh_rows(float* out, int64_t n, const float* in,
                       const int64_t* offsets, const float* weights,
                       int64_t taps, float bias) {
  rows().weigh(out, n, in, offsets, weights, taps, bias);
}

template <class T>
void max_row(T* out, int32_t* places, int64_t n, const T* in,
             const int64_t* offsets, const int32_t* steps, int64_t taps,
             const MaxPlaces& where) {
  for (int64_t i = 0; i < n; ++i) {
    T best = std::numeric_limits<T>::has_infinity
                 ? -std::numeric_limits<T>::infinity()
                 : std::numeric_limits<T>::lowest();
    int32_t place = where.first + where.firsts[i];
    for (int64_t t = 0; t < taps; ++t) {
      const T x = in[offsets[t] + i];
      if (x > best || x != x) {
        best = x;
        place = where.origin + static_cast<int32_t>(i) * where.step + steps[t];
      }
    }
    out[i] = best;
    places[i] = place;
  }
}
inline void max_row(float* out, int32_t* places, int64_t n, const float* in,
                    const int64_t* offsets, const int32_t* steps, int64_t taps,
                    const MaxPlaces& where) {
  rows().max(out, places, n, in, offsets, steps, taps, where);
}

}  // namespace executorch::kernels::conv
