// Loops over rows of floats for depthwise convolution, per instruction set.
#pragma once

#include <stdint.h>

#include "src/threadpool/cpu.h"

namespace executorch::kernels::conv {

struct Rows {
  cpu::Isa isa;

  // out[i] = bias + sum over t of weights[t] * in[offsets[t] + i] for i < n.
  // May read kSlack items past the last one.
  void (*weigh)(float* out, int64_t n, const float* in, const int64_t* offsets,
                const float* weights, int64_t taps, float bias);
};

const Rows& rows();

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

}  // namespace executorch::kernels::conv
