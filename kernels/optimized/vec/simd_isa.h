// Vectors of the instruction set that the including file is compiled for: F of
// float, I of int32, U of uint32, D of double, L of int64. For *_isa.cpp files
// only.
//
// They are vector types of the compiler: + - * / & | ^ << >> and comparisons
// work lane by lane and with a scalar on the right, a comparison gives a mask
// of integers, and `mask ? a : b` chooses. What the language lacks is below:
// first per instruction set, then for all of them.
#pragma once

#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace executorch::kernels::vec {
namespace {

#if defined(__AVX512F__)
constexpr int kBytes = 64;
#elif defined(__AVX2__)
constexpr int kBytes = 32;
#else
constexpr int kBytes = 16;
#endif
constexpr int kLanes = kBytes / 4;

typedef float F __attribute__((vector_size(kBytes)));
typedef int32_t I __attribute__((vector_size(kBytes)));
typedef uint32_t U __attribute__((vector_size(kBytes)));
typedef double D __attribute__((vector_size(kBytes)));
typedef int64_t L __attribute__((vector_size(kBytes)));

// A float16 in memory.
#if defined(__aarch64__)
typedef __fp16 Half;
#else
struct Half {
  uint16_t bits;
};
#endif

// A vector of floats in double: its first and its second half.
struct Doubles {
  D low, high;
};

template <class To, class From>
inline To bit_cast(From x) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &x, sizeof(to));
  return to;
}
template <class V, class T>
inline V all(T x) {
  return x - V{};  // a sum would lose the sign of -0
}

// fma:  a * b + c     fnma: c - a * b     each rounded once where the
// instruction set can; at_least, at_most: a NaN in x stays.

#if defined(__AVX512F__)

inline F fma(F a, F b, F c) { return _mm512_fmadd_ps(a, b, c); }
inline D fma(D a, D b, D c) { return _mm512_fmadd_pd(a, b, c); }
inline F fnma(F a, F b, F c) { return _mm512_fnmadd_ps(a, b, c); }
inline D fnma(D a, D b, D c) { return _mm512_fnmadd_pd(a, b, c); }
inline F sqrt(F x) { return _mm512_sqrt_ps(x); }
inline F at_least(F x, F low) { return _mm512_max_ps(low, x); }
inline F at_most(F x, F high) { return _mm512_min_ps(high, x); }
inline D at_least(D x, D low) { return _mm512_max_pd(low, x); }
inline D at_most(D x, D high) { return _mm512_min_pd(high, x); }
inline bool any(I mask) {
  return _mm512_movepi32_mask(bit_cast<__m512i>(mask)) != 0;
}
inline Doubles widen(F x) {
  return {_mm512_cvtps_pd(_mm512_castps512_ps256(x)),
          _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1))};
}
inline F narrow(Doubles x) {
  return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(x.low)),
                            _mm512_cvtpd_ps(x.high), 1);
}
inline F widen(const Half* p) {
  return _mm512_cvtph_ps(
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}
inline void narrow(F x, Half* p) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtps_ph(x, 0));
}

#elif defined(__AVX2__)

inline F fma(F a, F b, F c) { return _mm256_fmadd_ps(a, b, c); }
inline D fma(D a, D b, D c) { return _mm256_fmadd_pd(a, b, c); }
inline F fnma(F a, F b, F c) { return _mm256_fnmadd_ps(a, b, c); }
inline D fnma(D a, D b, D c) { return _mm256_fnmadd_pd(a, b, c); }
inline F sqrt(F x) { return _mm256_sqrt_ps(x); }
inline F at_least(F x, F low) { return _mm256_max_ps(low, x); }
inline F at_most(F x, F high) { return _mm256_min_ps(high, x); }
inline D at_least(D x, D low) { return _mm256_max_pd(low, x); }
inline D at_most(D x, D high) { return _mm256_min_pd(high, x); }
inline bool any(I mask) {
  return _mm256_movemask_ps(bit_cast<__m256>(mask)) != 0;
}
inline Doubles widen(F x) {
  return {_mm256_cvtps_pd(_mm256_castps256_ps128(x)),
          _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1))};
}
inline F narrow(Doubles x) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(x.low)),
                              _mm256_cvtpd_ps(x.high), 1);
}
inline F widen(const Half* p) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
inline void narrow(F x, Half* p) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_cvtps_ph(x, 0));
}

#elif defined(__x86_64__)

inline F fma(F a, F b, F c) { return a * b + c; }
inline D fma(D a, D b, D c) { return a * b + c; }
inline F fnma(F a, F b, F c) { return c - a * b; }
inline D fnma(D a, D b, D c) { return c - a * b; }
inline F sqrt(F x) { return _mm_sqrt_ps(x); }
inline F at_least(F x, F low) { return _mm_max_ps(low, x); }
inline F at_most(F x, F high) { return _mm_min_ps(high, x); }
inline D at_least(D x, D low) { return _mm_max_pd(low, x); }
inline D at_most(D x, D high) { return _mm_min_pd(high, x); }
inline bool any(I mask) { return _mm_movemask_ps(bit_cast<__m128>(mask)) != 0; }
inline Doubles widen(F x) {
  return {_mm_cvtps_pd(x), _mm_cvtps_pd(_mm_movehl_ps(x, x))};
}
inline F narrow(Doubles x) {
  return _mm_movelh_ps(_mm_cvtpd_ps(x.low), _mm_cvtpd_ps(x.high));
}

#elif defined(__aarch64__)

inline F fma(F a, F b, F c) { return vfmaq_f32(c, a, b); }
inline D fma(D a, D b, D c) { return vfmaq_f64(c, a, b); }
inline F fnma(F a, F b, F c) { return vfmsq_f32(c, a, b); }
inline D fnma(D a, D b, D c) { return vfmsq_f64(c, a, b); }
inline F sqrt(F x) { return vsqrtq_f32(x); }
inline F at_least(F x, F low) { return vmaxq_f32(x, low); }
inline F at_most(F x, F high) { return vminq_f32(x, high); }
inline D at_least(D x, D low) { return vmaxq_f64(x, low); }
inline D at_most(D x, D high) { return vminq_f64(x, high); }
inline bool any(I mask) { return vmaxvq_u32(bit_cast<uint32x4_t>(mask)) != 0; }
inline Doubles widen(F x) {
  return {vcvt_f64_f32(vget_low_f32(x)), vcvt_high_f64_f32(x)};
}
inline F narrow(Doubles x) {
  return vcvt_high_f32_f64(vcvt_f32_f64(x.low), x.high);
}
inline F widen(const Half* p) { return vcvt_f32_f16(vld1_f16(p)); }
inline void narrow(F x, Half* p) { vst1_f16(p, vcvt_f16_f32(x)); }

#else

inline F fma(F a, F b, F c) { return a * b + c; }
inline D fma(D a, D b, D c) { return a * b + c; }
inline F fnma(F a, F b, F c) { return c - a * b; }
inline D fnma(D a, D b, D c) { return c - a * b; }
inline F sqrt(F x) {
  for (int i = 0; i < kLanes; ++i) {
    x[i] = __builtin_sqrtf(x[i]);
  }
  return x;
}
inline F at_least(F x, F low) { return x < low ? low : x; }
inline F at_most(F x, F high) { return x > high ? high : x; }
inline D at_least(D x, D low) { return x < low ? low : x; }
inline D at_most(D x, D high) { return x > high ? high : x; }
inline bool any(I mask) { return (mask[0] | mask[1] | mask[2] | mask[3]) != 0; }
inline Doubles widen(F x) { return {D{x[0], x[1]}, D{x[2], x[3]}}; }
inline F narrow(Doubles x) {
  return F{static_cast<float>(x.low[0]), static_cast<float>(x.low[1]),
           static_cast<float>(x.high[0]), static_cast<float>(x.high[1])};
}

#endif

inline F load(const float* p) {
  F x;
  __builtin_memcpy(&x, p, sizeof(x));
  return x;
}
inline void store(float* p, F x) { __builtin_memcpy(p, &x, sizeof(x)); }
// The first n lanes, n < kLanes; the others are 0.
inline F load(const float* p, int64_t n) {
  float lanes[kLanes] = {};
  for (int64_t i = 0; i < n; ++i) {
    lanes[i] = p[i];
  }
  return load(lanes);
}
inline void store(float* p, F x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    p[i] = x[i];
  }
}

// c0 + c1 x + c2 x^2 + ...
inline F poly(F, double c) { return all<F>(static_cast<float>(c)); }
inline D poly(D, double c) { return all<D>(c); }
template <class V, class... C>
inline V poly(V x, double c, C... more) {
  return fma(poly(x, more...), x, poly(x, c));
}

inline F abs(F x) { return bit_cast<F>(bit_cast<I>(x) & 0x7FFFFFFF); }
inline D abs(D x) { return bit_cast<D>(bit_cast<L>(x) & INT64_MAX); }
// The sign bit of `sign` on a value that is not negative.
inline F with_sign(F magnitude, F sign) {
  return bit_cast<F>(bit_cast<I>(magnitude) | (bit_cast<I>(sign) & INT32_MIN));
}

inline I to_int(F x) { return __builtin_convertvector(x, I); }
inline F to_float(I x) { return __builtin_convertvector(x, F); }

// The integer nearest to x * c, if it is below 2^22 (2^51): larger numbers have
// no bits left behind the point once this is added.
inline F nearest(F x, float c) {
  const float big = 0x1.8p23f;
  return fma(x, all<F>(c), all<F>(big)) - big;
}
inline D nearest(D x, double c) {
  const double big = 0x1.8p52;
  return fma(x, all<D>(c), all<D>(big)) - big;
}

// x * 2^n for an integer n with |n| < 250, with one rounding at the end.
inline F scale(F x, F n) {
#if defined(__AVX512F__)
  return _mm512_scalef_ps(x, n);
#else
  const I whole = to_int(n);
  const I half = whole >> 1;
  const F first = bit_cast<F>((half + 127) << 23);
  const F second = bit_cast<F>((whole - half + 127) << 23);
  return x * first * second;
#endif
}
// As scale(), for results that are normal numbers.
inline D scale(D x, D n) {
#if defined(__AVX512F__)
  return _mm512_scalef_pd(x, n);
#else
  const L whole = bit_cast<L>(n + 0x1.8p52);
  return x * bit_cast<D>((whole + 1023) << 52);
#endif
}

// 1 / x within one unit, for x from 1 to 2^30.
inline F inverse(F x) {
#if defined(__AVX512F__)
  // An estimate of 14 bits and one step of Newton's; a division takes longer.
  const F y = _mm512_rcp14_ps(x);
  return fma(y, fnma(x, y, all<F>(1.0f)), y);
#else
  return 1.0f / x;
#endif
}

// c - a * b where that is a float, exactly. (Without an instruction for it a
// double holds the product.)
inline F residual(F c, F a, F b) {
#if defined(__FMA__) || defined(__aarch64__)
  return fnma(a, b, c);
#else
  const Doubles x = widen(a), y = widen(b), z = widen(c);
  return narrow({z.low - x.low * y.low, z.high - x.high * y.high});
#endif
}

}  // namespace
}  // namespace executorch::kernels::vec
