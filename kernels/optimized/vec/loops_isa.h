// What the tables of loops on float and on float16 have in common: functions of
// a vector V, and loops that call them on arrays of T. For *_isa.cpp files
// only.
//
// V is a vector of T, or the vector F of float where T is narrower.
#pragma once

#include <stdint.h>

#include "kernels/optimized/vec/simd_isa.h"

namespace executorch::kernels::vec {
namespace {

template <class V>
inline V add(V a, V b) {
  return a + b;
}
template <class V>
inline V sub(V a, V b) {
  return a - b;
}
template <class V>
inline V mul(V a, V b) {
  return a * b;
}
template <class V>
inline V div(V a, V b) {
  return a / b;
}
// A NaN on either side wins.
inline F maximum(F a, F b) { return ((a > b) | (a != a)) ? a : b; }
inline F minimum(F a, F b) { return ((a < b) | (a != a)) ? a : b; }

template <class V>
inline V neg(V x) {
  return -x;
}
template <class V>
inline V reciprocal(V x) {
  return all<V>(1.0f) / x;
}
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

inline F clamp(F x, float low, float high) {
  return at_most(at_least(x, all<F>(low)), all<F>(high));
}
inline F leaky_relu(F x, float slope, float) {
  return x > 0.0f ? x : x * slope;
}

template <class V>
constexpr int64_t lanes = sizeof(V) / sizeof(V{}[0]);

// A whole vector, or its first n lanes; the others are 0 then.
template <class V, class T>
inline V load_as(const T* p) {
  V x;
  if constexpr (sizeof(V) == lanes<V> * sizeof(T)) {
    __builtin_memcpy(&x, p, sizeof(x));
  } else {
    x = widen(p);
  }
  return x;
}
template <class V, class T>
inline void store_as(T* p, V x) {
  if constexpr (sizeof(V) == lanes<V> * sizeof(T)) {
    __builtin_memcpy(p, &x, sizeof(x));
  } else {
    narrow(x, p);
  }
}
template <class V, class T>
inline V load_as(const T* p, int64_t n) {
  T some[lanes<V>] = {};
  for (int64_t i = 0; i < n; ++i) {
    some[i] = p[i];
  }
  return load_as<V>(some);
}
template <class V, class T>
inline void store_as(T* p, V x, int64_t n) {
  T some[lanes<V>];
  store_as(some, x);
  for (int64_t i = 0; i < n; ++i) {
    p[i] = some[i];
  }
}

template <class T, class V, V (*kFn)(V)>
void unary(const void* const* in, void* out, int64_t n, const void*) {
  const auto* x = static_cast<const T*>(in[0]);
  auto* r = static_cast<T*>(out);
  int64_t i = 0;
  for (; i + lanes<V> <= n; i += lanes<V>) {
    store_as(r + i, kFn(load_as<V>(x + i)));
  }
  if (i < n) {
    store_as(r + i, kFn(load_as<V>(x + i, n - i)), n - i);
  }
}

template <class T, class V, V (*kFn)(V, V)>
void binary(const void* const* in, void* out, int64_t n, const void*) {
  const auto* a = static_cast<const T*>(in[0]);
  const auto* b = static_cast<const T*>(in[1]);
  auto* r = static_cast<T*>(out);
  int64_t i = 0;
  for (; i + lanes<V> <= n; i += lanes<V>) {
    store_as(r + i, kFn(load_as<V>(a + i), load_as<V>(b + i)));
  }
  if (i < n) {
    store_as(r + i, kFn(load_as<V>(a + i, n - i), load_as<V>(b + i, n - i)),
             n - i);
  }
}

template <class T, class V, V (*kFn)(V, V)>
void binary_value(const void* const* in, void* out, int64_t n, const void*) {
  const auto* a = static_cast<const T*>(in[0]);
  const V b = all<V>(*static_cast<const float*>(in[1]));
  auto* r = static_cast<T*>(out);
  int64_t i = 0;
  for (; i + lanes<V> <= n; i += lanes<V>) {
    store_as(r + i, kFn(load_as<V>(a + i), b));
  }
  if (i < n) {
    store_as(r + i, kFn(load_as<V>(a + i, n - i), b), n - i);
  }
}

// A unary function of x and one or two numbers, the params.
template <class T, class V, V (*kFn)(V, float, float), int kParams>
void with_params(const void* const* in, void* out, int64_t n,
                 const void* params) {
  const auto* x = static_cast<const T*>(in[0]);
  const auto* p = static_cast<const float*>(params);
  const float first = p[0], second = p[kParams - 1];
  auto* r = static_cast<T*>(out);
  int64_t i = 0;
  for (; i + lanes<V> <= n; i += lanes<V>) {
    store_as(r + i, kFn(load_as<V>(x + i), first, second));
  }
  if (i < n) {
    store_as(r + i, kFn(load_as<V>(x + i, n - i), first, second), n - i);
  }
}

}  // namespace
}  // namespace executorch::kernels::vec
