// Loops of softmax over contiguous floats, per instruction set.
#pragma once

#include <stdint.h>

#include "src/threadpool/cpu.h"

namespace executorch::kernels::vec {

struct Softmax {
  cpu::Isa isa;
  // The sum of exp(x[i] - max); also writes the summands if `out` is not null.
  double (*exp_sum)(const float* x, int64_t n, float max, float* out);
};

const Softmax& softmax();

}  // namespace executorch::kernels::vec
