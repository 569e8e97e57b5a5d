// Loops that combine shifted copies of a plane of floats, for depthwise
// convolution and pooling, per instruction set.
#pragma once

#include <stdint.h>

#include "src/threadpool/cpu.h"

namespace executorch::kernels::conv {

// Result (y, x) combines in[y * in_step + x + offsets[t]] for all t < taps.
// Loops may read up to kSlack items past the end of a row of `in` or of an
// array with an item per column.
template <class T>
struct Sweep {
  T* out;
  int64_t out_step;  // from one row to the next
  const T* in;
  int64_t in_step;
  int64_t rows, columns;
  const int64_t* offsets;
  int64_t taps;
};

// How maxima are told: tap t of result (y, x) is at
//   origin + y * row_step + x * column_step + tap_steps[t]
// and where all of them are -infinity, row_firsts[y] + column_firsts[x] is
// told.
struct MaxPlaces {
  int64_t* places;
  int64_t places_step;  // from one row to the next
  int32_t origin, row_step, column_step;
  const int32_t* tap_steps;
  const int32_t* row_firsts;
  const int32_t* column_firsts;
};

struct Sweeps {
  cpu::Isa isa;

  // bias + sum over t of weights[t] * in, but at least limits[0] and at most
  // limits[1]
  void (*weigh)(const Sweep<float>& s, const float* weights, float bias,
                const float* limits);

  // row_scales[y] * column_scales[x] * sum over t of in
  void (*mean)(const Sweep<float>& s, const float* row_scales,
               const float* column_scales);

  // The greatest, or a NaN.
  void (*max)(const Sweep<float>& s);

  // The greatest, or the last NaN, and which it is.
  void (*find_max)(const Sweep<float>& s, const MaxPlaces& where);

  // Copies rows of `columns` items.
  void (*copy)(float* to, int64_t to_step, const float* from, int64_t from_step,
               int64_t rows, int64_t columns);

  // The same, with items 0, 2, ... going to `even` and 1, 3, ... to `odd`.
  void (*split)(float* even, float* odd, int64_t to_step, const float* from,
                int64_t from_step, int64_t rows, int64_t columns);
};

const Sweeps& sweeps();

}  // namespace executorch::kernels::conv
