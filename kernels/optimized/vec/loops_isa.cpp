// Compiled once per instruction set with -DET_ISA=<name> and the flags of that
// set. Includes nothing with inline functions: see the rules in README.md.
#include "kernels/optimized/vec/loops.h"

namespace executorch::kernels::vec {
namespace {

struct Add {
  static float of(float a, float b) { return a + b; }
};
struct Sub {
  static float of(float a, float b) { return a - b; }
};
struct Mul {
  static float of(float a, float b) { return a * b; }
};
struct Div {
  static float of(float a, float b) { return a / b; }
};

template <class F>
void binary(const void* const* in, void* out, int64_t n, const void*) {
  const auto* a = static_cast<const float*>(in[0]);
  const auto* b = static_cast<const float*>(in[1]);
  auto* r = static_cast<float*>(out);
  for (int64_t i = 0; i < n; ++i) {
    r[i] = F::of(a[i], b[i]);
  }
}

template <class F>
void binary_value(const void* const* in, void* out, int64_t n, const void*) {
  const auto* a = static_cast<const float*>(in[0]);
  const float b = *static_cast<const float*>(in[1]);
  auto* r = static_cast<float*>(out);
  for (int64_t i = 0; i < n; ++i) {
    r[i] = F::of(a[i], b);
  }
}

}  // namespace

#define ET_TABLE_(isa) loops_##isa
#define ET_TABLE(isa) ET_TABLE_(isa)

extern const Loops ET_TABLE(ET_ISA);
const Loops ET_TABLE(ET_ISA) = {
    cpu::Isa::ET_ISA,  //
    binary<Add>,       binary<Sub>,       binary<Mul>,       binary<Div>,
    binary_value<Add>, binary_value<Sub>, binary_value<Mul>, binary_value<Div>,
};

}  // namespace executorch::kernels::vec
