// Loops over float arrays, per instruction set.
//
// loops_isa.cpp is compiled once per set and defines one table each time. An
// operator names its entry next to its functor (see map.h).
#pragma once

#include <stdint.h>

#include "src/threadpool/cpu.h"

namespace executorch::kernels::vec {

struct Loops {
  // As BlockFn in kernels/common/elementwise.h: the inputs, the result and the
  // params are arrays of float.
  using Run = void (*)(const void* const* in, void* out, int64_t n,
                       const void* params);

  cpu::Isa isa;
  Run add, sub, mul, div;
  // The same with one value for the last input.
  Run add_value, sub_value, mul_value, div_value;
};

using LoopMember = Loops::Run Loops::*;

const Loops& loops();

}  // namespace executorch::kernels::vec
