// Loops over float and float16 arrays, per instruction set.
//
// loops_isa.cpp and halves_isa.cpp are compiled once per set and define one
// table each time. An operator names its entry next to its functor (see map.h).
#pragma once

#include <stdint.h>

#include "src/threadpool/cpu.h"

namespace executorch::kernels::vec {

struct Loops {
  // As BlockFn in kernels/common/elementwise.h: the inputs, the result and the
  // params are arrays of float; comparisons write bools.
  using Run = void (*)(const void* const* in, void* out, int64_t n,
                       const void* params);
  // Two forms: with arrays, and with one value for the last input.
  struct Binary {
    Run arrays, value;
  };

  cpu::Isa isa;

  Binary add, sub, mul, div, maximum, minimum, pow;
  Binary eq, ne, lt, le, gt, ge;

  Run abs, neg, reciprocal, relu, rsqrt, sqrt;
  Run ceil, floor, round, trunc;
  Run cos, erf, exp, expm1, log, log1p, sigmoid, sin, tanh;
  Run gelu, gelu_tanh;
  // in: bytes that are 0 or not, the result where they are 0, where they are
  // not. For elements of 1, 2, 4 and 8 bytes.
  Binary select[4];

  Run clamp;       // params: the lower and the upper bound
  Run leaky_relu;  // params: the factor of negative values
};

using LoopMember = Loops::Run Loops::*;
using BinaryLoopMember = Loops::Binary Loops::*;

const Loops& loops();

// The same on arrays of float16; params, and a value for the last input, are
// floats all the same. Entries are null where a conversion of whole blocks does
// as well.
const Loops& halves();

}  // namespace executorch::kernels::vec
