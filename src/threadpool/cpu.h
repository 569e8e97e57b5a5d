// What this CPU can run, and which variant of a kernel table to use.
//
// A table of kernels is compiled once per instruction set. Its owner lists the
// variants, best first, and choose() gives the first one that the CPU has and
// that the environment variable EXECUTORCH_ISA allows.
#pragma once

#include <executorch/runtime/platform/compiler.h>

#include <cstdint>
#include <initializer_list>

namespace executorch::cpu {

// Within an architecture a later name includes the earlier ones.
enum class Isa : uint8_t {
  baseline,    // x86-64 (SSE2), or ARMv8-A with NEON
  avx2,        // AVX2, FMA, F16C
  avx512,      // + AVX512 F, BW, DQ, VL
  avx512vnni,  // + AVX512 VNNI
  fp16,        // half-precision arithmetic (ARMv8.2-A)
  dotprod,     // + int8 dot product
  i8mm,        // + int8 matrix multiply
};

// Whether the CPU has it and EXECUTORCH_ISA is unset, or names it or a better
// one.
ET_EXPORT bool usable(Isa isa);

// Null, or why EXECUTORCH_ISA cannot be followed: it names no instruction set,
// or one that this CPU lacks. Kernels must not run then.
ET_EXPORT const char* isa_error();

// The name as EXECUTORCH_ISA spells it.
ET_EXPORT const char* isa_name(Isa isa);

// What choose() gave so far, bit i for Isa i: lets tests see that the variant
// they asked for is the one that ran.
ET_EXPORT uint32_t chosen_sets();
ET_EXPORT void note_chosen(Isa isa);

// The first usable table; the last one listed must be the baseline. A table has
// a member `isa`.
template <class Table>
const Table& choose(std::initializer_list<const Table*> best_first) {
  const Table* chosen = *(best_first.end() - 1);
  for (const Table* table : best_first) {
    if (usable(table->isa)) {
      chosen = table;
      break;
    }
  }
  note_chosen(chosen->isa);
  return *chosen;
}

}  // namespace executorch::cpu
