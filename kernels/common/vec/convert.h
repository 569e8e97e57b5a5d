// Conversions of contiguous numbers, per instruction set.
//
// Every real dtype converts from and to three pivots: float, double and int64.
// Other pairs go through the pivot that keeps the value.
#pragma once

#include <stdint.h>

#include "src/threadpool/cpu.h"

namespace executorch::kernels::vec {

struct Convert {
  using Run = void (*)(const void* src, void* dst, int64_t n);

  enum Pivot { kFloat, kDouble, kInt64, kPivots };
  enum Item {
    kU8,
    kI8,
    kI16,
    kI32,
    kI64,
    kF16,
    kF32,
    kF64,
    kBool,
    kBF16,
    kU16,
    kItems
  };
  struct Row {
    Run to[kPivots];
    Run from[kPivots];
  };

  cpu::Isa isa;
  Row items[kItems];
};

const Convert& convert();

}  // namespace executorch::kernels::vec
