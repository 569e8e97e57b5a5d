// Compiled once per instruction set with -DET_ISA=<name> and the flags of that
// set. Includes nothing with inline functions that others see: see the rules in
// README.md.
//
// Results are those of float32, rounded once. One + - * / or square root of
// float16 gives the same bits in float16: float32 has more than twice its
// precision, so that rounding there first changes nothing.
#include "kernels/optimized/vec/loops.h"
#include "kernels/optimized/vec/loops_isa.h"

namespace executorch::kernels::vec {
namespace {

#if defined(__ARM_FEATURE_FP16_VECTOR_ARITHMETIC)

// GCC 12 takes comparisons of these vectors apart, so they are not left to it.
typedef float16x8_t H;
typedef uint16x8_t Mask;

template <>
inline H all<H, float>(float x) {
  return vdupq_n_f16(static_cast<Half>(x));
}
bool is_half(float x) { return static_cast<float>(static_cast<Half>(x)) == x; }

inline Mask eq(H a, H b) { return vceqq_f16(a, b); }
inline Mask ne(H a, H b) { return vmvnq_u16(vceqq_f16(a, b)); }
inline Mask lt(H a, H b) { return vcltq_f16(a, b); }
inline Mask le(H a, H b) { return vcleq_f16(a, b); }
inline Mask gt(H a, H b) { return vcgtq_f16(a, b); }
inline Mask ge(H a, H b) { return vcgeq_f16(a, b); }

inline H maximum(H a, H b) {
  return vbslq_f16(vorrq_u16(gt(a, b), ne(a, a)), a, b);
}
inline H minimum(H a, H b) {
  return vbslq_f16(vorrq_u16(lt(a, b), ne(a, a)), a, b);
}
inline H relu(H x) {
  return bit_cast<H>(vbicq_u16(bit_cast<Mask>(x), vcltzq_f16(x)));
}
// Bounds may be rounded first: the values between stay where they are.
inline H clamp(H x, float low, float high) {
  return vminq_f16(vmaxq_f16(x, all<H>(low)), all<H>(high));
}
inline H abs(H x) { return vabsq_f16(x); }
inline H sqrt(H x) { return vsqrtq_f16(x); }
inline H ceil(H x) { return vrndpq_f16(x); }
inline H floor(H x) { return vrndmq_f16(x); }
inline H round(H x) { return vrndnq_f16(x); }
inline H trunc(H x) { return vrndq_f16(x); }

inline void store_bools(uint8_t* p, Mask mask) {
  vst1_u8(p, vand_u8(vmovn_u16(mask), vdup_n_u8(1)));
}

template <Mask (*kFn)(H, H)>
void compare(const void* const* in, void* out, int64_t n, const void*) {
  const auto* a = static_cast<const Half*>(in[0]);
  const auto* b = static_cast<const Half*>(in[1]);
  auto* r = static_cast<uint8_t*>(out);
  int64_t i = 0;
  for (; i + lanes<H> <= n; i += lanes<H>) {
    store_bools(r + i, kFn(load_as<H>(a + i), load_as<H>(b + i)));
  }
  for (; i < n; ++i) {
    r[i] = kFn(vdupq_n_f16(a[i]), vdupq_n_f16(b[i]))[0] & 1;
  }
}
template <Mask (*kFn)(H, H)>
void compare_value(const void* const* in, void* out, int64_t n, const void*) {
  const auto* a = static_cast<const Half*>(in[0]);
  const H b = all<H>(*static_cast<const float*>(in[1]));
  auto* r = static_cast<uint8_t*>(out);
  int64_t i = 0;
  for (; i + lanes<H> <= n; i += lanes<H>) {
    store_bools(r + i, kFn(load_as<H>(a + i), b));
  }
  for (; i < n; ++i) {
    r[i] = kFn(vdupq_n_f16(a[i]), b)[0] & 1;
  }
}
template <Mask (*kFn)(H, H)>
constexpr Loops::Binary comparison = {compare<kFn>, compare_value<kFn>};

#elif defined(__aarch64__) || defined(__F16C__)

typedef F H;
bool is_half(float) { return true; }

enum { eq, ne, lt, le, gt, ge };
template <int>
constexpr Loops::Binary comparison = {};

#endif

#if defined(__aarch64__) || defined(__F16C__)

template <H (*kFn)(H)>
constexpr Loops::Run each = unary<Half, H, kFn>;

// A number that is no float16 takes part as a float.
template <H (*kFn)(H, H), F (*kWide)(F, F)>
void with_number(const void* const* in, void* out, int64_t n,
                 const void* params) {
  is_half(*static_cast<const float*>(in[1]))
      ? binary_value<Half, H, kFn>(in, out, n, params)
      : binary_value<Half, F, kWide>(in, out, n, params);
}
template <H (*kFn)(H, H), F (*kWide)(F, F)>
constexpr Loops::Binary both = {binary<Half, H, kFn>, with_number<kFn, kWide>};

#endif

}  // namespace

#define ET_TABLE_(isa) halves_##isa
#define ET_TABLE(isa) ET_TABLE_(isa)

extern const Loops ET_TABLE(ET_ISA);
const Loops ET_TABLE(ET_ISA) = {
#if defined(__aarch64__) || defined(__F16C__)
    cpu::Isa::ET_ISA,
    both<add, add>,
    both<sub, sub>,
    both<mul, mul>,
    both<div, div>,
    both<maximum, maximum>,
    both<minimum, minimum>,
    {},  // pow
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
    unary<Half, F, rsqrt>,
    each<sqrt>,
    each<ceil>,
    each<floor>,
    each<round>,
    each<trunc>,
    // Of these most of the time is arithmetic in float.
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,  // cos ... log1p
    nullptr,
    nullptr,
    nullptr,  // sigmoid, sin, tanh
    nullptr,
    nullptr,  // gelu, gelu_tanh
    {},       // select
    with_params<Half, H, clamp, 2>,
    with_params<Half, F, leaky_relu, 1>,
#endif
};

}  // namespace executorch::kernels::vec
