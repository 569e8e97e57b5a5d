// The loops of sweep.h for all element types: the fast ones for float, plain
// ones for the others.
#pragma once

#include <cstdint>
#include <limits>

#include "kernels/optimized/conv/sweep.h"

namespace executorch::kernels::conv {

// Calls f(y, x, pointer to the point of tap offset 0) for every result.
template <class T, class F>
void for_results(const Sweep<T>& s, F f) {
  for (int64_t y = 0; y < s.rows; ++y) {
    for (int64_t x = 0; x < s.columns; ++x) {
      f(y, x, s.in + y * s.in_step + x);
    }
  }
}

// `limits` is null for none; other types than float have none.
template <class T>
void weigh(const Sweep<T>& s, const T* weights, T bias, const float*) {
  for_results(s, [&](int64_t y, int64_t x, const T* in) {
    T sum = bias;
    for (int64_t t = 0; t < s.taps; ++t) {
      sum += weights[t] * in[s.offsets[t]];
    }
    s.out[y * s.out_step + x] = sum;
  });
}
inline void weigh(const Sweep<float>& s, const float* weights, float bias,
                  const float* limits) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNone[] = {-kInfinity, kInfinity};
  sweeps().weigh(s, weights, bias, limits != nullptr ? limits : kNone);
}

// The least value there is.
template <class T>
constexpr T lowest() {
  return std::numeric_limits<T>::has_infinity
             ? -std::numeric_limits<T>::infinity()
             : std::numeric_limits<T>::lowest();
}

template <class T>
void max(const Sweep<T>& s) {
  for_results(s, [&](int64_t y, int64_t x, const T* in) {
    T best = lowest<T>();
    for (int64_t t = 0; t < s.taps; ++t) {
      const T item = in[s.offsets[t]];
      best = item > best || item != item ? item : best;
    }
    s.out[y * s.out_step + x] = best;
  });
}
inline void max(const Sweep<float>& s) { sweeps().max(s); }

template <class T>
void find_max(const Sweep<T>& s, const MaxPlaces& where) {
  for_results(s, [&](int64_t y, int64_t x, const T* in) {
    T best = lowest<T>();
    int64_t place = where.row_firsts[y] + where.column_firsts[x];
    for (int64_t t = 0; t < s.taps; ++t) {
      const T item = in[s.offsets[t]];
      if (item > best || item != item) {
        best = item;
        place = where.origin + y * where.row_step + x * where.column_step +
                where.tap_steps[t];
      }
    }
    s.out[y * s.out_step + x] = best;
    where.places[y * where.places_step + x] = place;
  });
}
inline void find_max(const Sweep<float>& s, const MaxPlaces& where) {
  sweeps().find_max(s, where);
}

}  // namespace executorch::kernels::conv
