// Compiled once per instruction set with -DET_ISA=<name> and the flags of that
// set. Includes nothing with inline functions that others see: see the rules in
// README.md.
#include "kernels/optimized/vec/loops.h"
#include "kernels/optimized/vec/loops_isa.h"
#include "kernels/optimized/vec/math_isa.h"

namespace executorch::kernels::vec {
namespace {

template <F (*kFn)(F)>
constexpr Loops::Run each = unary<float, F, kFn>;
template <F (*kFn)(F, F)>
constexpr Loops::Binary both = {binary<float, F, kFn>,
                                binary_value<float, F, kFn>};
// Comparisons are left to the vectorizer, which knows how to narrow to bytes.
template <bool (*kFn)(float, float)>
void compare(const void* const* in, void* out, int64_t n, const void*) {
  const auto* a = static_cast<const float*>(in[0]);
  const auto* b = static_cast<const float*>(in[1]);
  auto* r = static_cast<bool*>(out);
  for (int64_t i = 0; i < n; ++i) {
    r[i] = kFn(a[i], b[i]);
  }
}
template <bool (*kFn)(float, float)>
void compare_value(const void* const* in, void* out, int64_t n, const void*) {
  const auto* a = static_cast<const float*>(in[0]);
  const float b = *static_cast<const float*>(in[1]);
  auto* r = static_cast<bool*>(out);
  for (int64_t i = 0; i < n; ++i) {
    r[i] = kFn(a[i], b);
  }
}
template <bool (*kFn)(float, float)>
constexpr Loops::Binary comparison = {compare<kFn>, compare_value<kFn>};

inline bool eq(float a, float b) { return a == b; }
inline bool ne(float a, float b) { return a != b; }
inline bool lt(float a, float b) { return a < b; }
inline bool le(float a, float b) { return a <= b; }
inline bool gt(float a, float b) { return a > b; }
inline bool ge(float a, float b) { return a >= b; }

template <class T>
void select(const void* const* in, void* out, int64_t n, const void*) {
  const auto* mask = static_cast<const uint8_t*>(in[0]);
  const auto* unset = static_cast<const T*>(in[1]);
  const auto* set = static_cast<const T*>(in[2]);
  auto* r = static_cast<T*>(out);
  for (int64_t i = 0; i < n; ++i) {
    const T a = unset[i], b = set[i];
    r[i] = mask[i] == 0 ? a : b;
  }
}
template <class T>
void select_value(const void* const* in, void* out, int64_t n, const void*) {
  const auto* mask = static_cast<const uint8_t*>(in[0]);
  const auto* unset = static_cast<const T*>(in[1]);
  const T set = *static_cast<const T*>(in[2]);
  auto* r = static_cast<T*>(out);
  for (int64_t i = 0; i < n; ++i) {
    const T a = unset[i];
    r[i] = mask[i] == 0 ? a : set;
  }
}
template <class T>
constexpr Loops::Binary selection = {select<T>, select_value<T>};

}  // namespace

#define ET_TABLE_(isa) loops_##isa
#define ET_TABLE(isa) ET_TABLE_(isa)

extern const Loops ET_TABLE(ET_ISA);
const Loops ET_TABLE(ET_ISA) = {
    cpu::Isa::ET_ISA,
    both<add>,
    both<sub>,
    both<mul>,
    both<div>,
    both<maximum>,
    both<minimum>,
    both<pow>,
    comparison<eq>,
    comparison<ne>,
    comparison<lt>,
    comparison<le>,
    comparison<gt>,
    comparison<ge>,
    each<abs>,
    each<neg>,
    each<reciprocal>,
    each<relu>,
    each<rsqrt>,
    each<sqrt>,
    each<ceil>,
    each<floor>,
    each<round>,
    each<trunc>,
    each<cos>,
    each<erf>,
    each<exp>,
    each<expm1>,
    each<log>,
    each<log1p>,
    each<sigmoid>,
    each<sin>,
    each<tanh>,
    each<gelu>,
    each<gelu_tanh>,
    {selection<uint8_t>, selection<uint16_t>, selection<uint32_t>,
     selection<uint64_t>},
    with_params<float, F, clamp, 2>,
    with_params<float, F, leaky_relu, 1>,
};

}  // namespace executorch::kernels::vec
