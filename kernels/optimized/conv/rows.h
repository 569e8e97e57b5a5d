// Loops over rows of floats that combine shifted copies of them, for depthwise
// convolution and pooling, per instruction set.
#pragma once

#include <stdint.h>

#include "src/threadpool/cpu.h"

namespace executorch::kernels::conv {

// How maxima are told: tap t of result i is at origin + i * step + steps[t].
// Where all of them are -infinity it is first + firsts[i].
struct MaxPlaces {
  int32_t origin;
  int32_t step;
  const int32_t* firsts;
  int32_t first;
};

// All may read up to kSlack items past the end of a row of `in` or of an array
// with an item per result; they write n results.
struct Rows {
  cpu::Isa isa;

  // out[i] = bias + sum over t of weights[t] * in[offsets[t] + i] for i < n.
  void (*weigh)(float* out, int64_t n, const float* in, const int64_t* offsets,
                const float* weights, int64_t taps, float bias);

  // out[i] = scale * scales[i] * sum over t of in[offsets[t] + i].
  void (*mean)(float* out, int64_t n, const float* in, const int64_t* offsets,
               int64_t taps, float scale, const float* scales);

  // out[i] is the greatest in[offsets[t] + i], or the last NaN among them, and
  // places[i] tells which.
  void (*max)(float* out, int32_t* places, int64_t n, const float* in,
              const int64_t* offsets, const int32_t* steps, int64_t taps,
              const MaxPlaces& where);
};

const Rows& rows();

}  // namespace executorch::kernels::conv
