// Loops of reductions over contiguous floats, and of the normalizations that
// follow them, per instruction set.
#pragma once

#include <stdint.h>

#include "src/threadpool/cpu.h"

namespace executorch::kernels::vec {

struct Reduce {
  cpu::Isa isa;
  // The sum. At most 18 additions in a row are rounded to float, all others to
  // double.
  double (*sum)(const float* x, int64_t n);
  // sums[i] += x[i]
  void (*add)(double* sums, const float* x, int64_t n);
  // The extreme of `start` and x; a NaN wins.
  float (*max)(float start, const float* x, int64_t n);
  float (*min)(float start, const float* x, int64_t n);
  // extremes[i] becomes the extreme of itself and x[i]; a NaN wins.
  void (*max_each)(float* extremes, const float* x, int64_t n);
  void (*min_each)(float* extremes, const float* x, int64_t n);
  // Adds the sums of (x - shift) and of its square to sums[0] and sums[1].
  void (*moments)(const float* x, int64_t n, double shift, double* sums);
  // out[i] = (x[i] - mean) * scale * weight[i] + bias[i]; a null array stands
  // for ones or zeros.
  void (*normalize)(const float* x, float* out, int64_t n, float mean,
                    float scale, const float* weight, const float* bias);
  // out[i] = x[i] * scale + shift
  void (*affine)(const float* x, float* out, int64_t n, float scale,
                 float shift);
};

const Reduce& reduce();

}  // namespace executorch::kernels::vec
