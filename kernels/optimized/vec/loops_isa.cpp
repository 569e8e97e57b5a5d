// Compiled once per instruction set with -DET_ISA=<name> and the flags of that
// set. Includes nothing with inline functions that others see: see the rules in
// README.md.
#include "kernels/optimized/vec/loops.h"
#include "kernels/optimized/vec/math_isa.h"

namespace executorch::kernels::vec {
namespace {

inline F add(F a, F b) { return a + b; }
inline F sub(F a, F b) { return a - b; }
inline F mul(F a, F b) { return a * b; }
inline F div(F a, F b) { return a / b; }
// A NaN on either side wins.
inline F maximum(F a, F b) { return ((a > b) | (a != a)) ? a : b; }
inline F minimum(F a, F b) { return ((a < b) | (a != a)) ? a : b; }

inline F neg(F x) { return -x; }
inline F reciprocal(F x) { return 1.0f / x; }
inline F relu(F x) { return x < 0.0f ? F{} : x; }
inline F rsqrt(F x) { return 1.0f / sqrt(x); }

// Values from 2^23 on have no fraction; infinities and NaNs stay.
inline F trunc(F x) {
  const I has_fraction = abs(x) < 0x1p23f;
  const F whole = to_float(to_int(has_fraction ? x : F{}));
  return has_fraction ? with_sign(abs(whole), x) : x;
}
inline F floor(F x) {
  const F t = trunc(x);
  return t > x ? t - 1.0f : t;
}
inline F ceil(F x) {
  const F t = trunc(x);
  return t < x ? with_sign(abs(t + 1.0f), x) : t;
}
inline F round(F x) {  // half to even
  const F a = abs(x);
  return a < 0x1p23f ? with_sign((a + 0x1p23f) - 0x1p23f, x) : x;
}

template <F (*kFn)(F)>
void unary(const void* const* in, void* out, int64_t n, const void*) {
  const auto* x = static_cast<const float*>(in[0]);
  auto* r = static_cast<float*>(out);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    store(r + i, kFn(load(x + i)));
  }
  if (i < n) {
    store(r + i, kFn(load(x + i, n - i)), n - i);
  }
}

template <F (*kFn)(F, F)>
void binary(const void* const* in, void* out, int64_t n, const void*) {
  const auto* a = static_cast<const float*>(in[0]);
  const auto* b = static_cast<const float*>(in[1]);
  auto* r = static_cast<float*>(out);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    store(r + i, kFn(load(a + i), load(b + i)));
  }
  if (i < n) {
    store(r + i, kFn(load(a + i, n - i), load(b + i, n - i)), n - i);
  }
}

template <F (*kFn)(F, F)>
void binary_value(const void* const* in, void* out, int64_t n, const void*) {
  const auto* a = static_cast<const float*>(in[0]);
  const F b = all<F>(*static_cast<const float*>(in[1]));
  auto* r = static_cast<float*>(out);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    store(r + i, kFn(load(a + i), b));
  }
  if (i < n) {
    store(r + i, kFn(load(a + i, n - i), b), n - i);
  }
}

template <F (*kFn)(F, F)>
constexpr Loops::Binary both = {binary<kFn>, binary_value<kFn>};

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

// A unary function of x and one or two numbers, the params.
template <F (*kFn)(F, float, float), int kParams>
void with_params(const void* const* in, void* out, int64_t n,
                 const void* params) {
  const auto* x = static_cast<const float*>(in[0]);
  const auto* p = static_cast<const float*>(params);
  const float first = p[0], second = p[kParams - 1];
  auto* r = static_cast<float*>(out);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    store(r + i, kFn(load(x + i), first, second));
  }
  if (i < n) {
    store(r + i, kFn(load(x + i, n - i), first, second), n - i);
  }
}
inline F clamp(F x, float low, float high) {
  return at_most(at_least(x, all<F>(low)), all<F>(high));
}
inline F leaky_relu(F x, float slope, float) {
  return x > 0.0f ? x : x * slope;
}

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
    unary<abs>,
    unary<neg>,
    unary<reciprocal>,
    unary<relu>,
    unary<rsqrt>,
    unary<sqrt>,
    unary<ceil>,
    unary<floor>,
    unary<round>,
    unary<trunc>,
    unary<cos>,
    unary<erf>,
    unary<exp>,
    unary<expm1>,
    unary<log>,
    unary<log1p>,
    unary<sigmoid>,
    unary<sin>,
    unary<tanh>,
    unary<gelu>,
    unary<gelu_tanh>,
    {selection<uint8_t>, selection<uint16_t>, selection<uint32_t>,
     selection<uint64_t>},
    with_params<clamp, 2>,
    with_params<leaky_relu, 1>,
};

}  // namespace executorch::kernels::vec
