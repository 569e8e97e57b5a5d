// A vector of floats of the instruction set that the including file is compiled
// for. For *_isa.cpp files only; everything is in an anonymous namespace.
#pragma once

#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace executorch::kernels {
namespace {

#if defined(__AVX512F__)

struct Vec {
  static constexpr int kLanes = 16;
  __m512 v;
  static Vec load(const float* p) { return {_mm512_loadu_ps(p)}; }
  static Vec all(float x) { return {_mm512_set1_ps(x)}; }
  void store(float* p) const { _mm512_storeu_ps(p, v); }
  // The first n < kLanes items only.
  static Vec load_first(const float* p, int n) {
    return {_mm512_maskz_loadu_ps((1u << n) - 1, p)};
  }
  void store_first(float* p, int n) const {
    _mm512_mask_storeu_ps(p, (1u << n) - 1, v);
  }
};
inline Vec fma(Vec a, Vec b, Vec c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }
inline Vec add(Vec a, Vec b) { return {_mm512_add_ps(a.v, b.v)}; }
inline Vec mul(Vec a, Vec b) { return {_mm512_mul_ps(a.v, b.v)}; }
// A NaN in `x` stays.
inline Vec at_least(Vec x, Vec low) {
  return {_mm512_mask_max_ps(x.v, 0xFFFF, low.v, x.v)};
}
inline Vec at_most(Vec x, Vec high) {
  return {_mm512_mask_min_ps(x.v, 0xFFFF, high.v, x.v)};
}

#elif defined(__AVX2__)

struct Vec {
  static constexpr int kLanes = 8;
  __m256 v;
  static Vec load(const float* p) { return {_mm256_loadu_ps(p)}; }
  static Vec all(float x) { return {_mm256_set1_ps(x)}; }
  void store(float* p) const { _mm256_storeu_ps(p, v); }
  static __m256i first(int n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static Vec load_first(const float* p, int n) {
    return {_mm256_maskload_ps(p, first(n))};
  }
  void store_first(float* p, int n) const {
    _mm256_maskstore_ps(p, first(n), v);
  }
};
inline Vec fma(Vec a, Vec b, Vec c) { return {_mm256_fmadd_ps(a.v, b.v, c.v)}; }
inline Vec add(Vec a, Vec b) { return {_mm256_add_ps(a.v, b.v)}; }
inline Vec mul(Vec a, Vec b) { return {_mm256_mul_ps(a.v, b.v)}; }
inline Vec at_least(Vec x, Vec low) { return {_mm256_max_ps(low.v, x.v)}; }
inline Vec at_most(Vec x, Vec high) { return {_mm256_min_ps(high.v, x.v)}; }

#elif defined(__x86_64__)

struct Vec {
  static constexpr int kLanes = 4;
  __m128 v;
  static Vec load(const float* p) { return {_mm_loadu_ps(p)}; }
  static Vec all(float x) { return {_mm_set1_ps(x)}; }
  void store(float* p) const { _mm_storeu_ps(p, v); }
  static Vec load_first(const float* p, int n) {
    float all[kLanes] = {};
    __builtin_memcpy(all, p, sizeof(float) * n);
    return load(all);
  }
  void store_first(float* p, int n) const {
    float all[kLanes];
    store(all);
    __builtin_memcpy(p, all, sizeof(float) * n);
  }
};
inline Vec fma(Vec a, Vec b, Vec c) {
  return {_mm_add_ps(_mm_mul_ps(a.v, b.v), c.v)};
}
inline Vec add(Vec a, Vec b) { return {_mm_add_ps(a.v, b.v)}; }
inline Vec mul(Vec a, Vec b) { return {_mm_mul_ps(a.v, b.v)}; }
inline Vec at_least(Vec x, Vec low) { return {_mm_max_ps(low.v, x.v)}; }
inline Vec at_most(Vec x, Vec high) { return {_mm_min_ps(high.v, x.v)}; }

#elif defined(__aarch64__)

struct Vec {
  static constexpr int kLanes = 4;
  float32x4_t v;
  static Vec load(const float* p) { return {vld1q_f32(p)}; }
  static Vec all(float x) { return {vdupq_n_f32(x)}; }
  void store(float* p) const { vst1q_f32(p, v); }
  static Vec load_first(const float* p, int n) {
    float all[kLanes] = {};
    __builtin_memcpy(all, p, sizeof(float) * n);
    return load(all);
  }
  void store_first(float* p, int n) const {
    float all[kLanes];
    store(all);
    __builtin_memcpy(p, all, sizeof(float) * n);
  }
};
inline Vec fma(Vec a, Vec b, Vec c) { return {vfmaq_f32(c.v, a.v, b.v)}; }
inline Vec add(Vec a, Vec b) { return {vaddq_f32(a.v, b.v)}; }
inline Vec mul(Vec a, Vec b) { return {vmulq_f32(a.v, b.v)}; }
inline Vec at_least(Vec x, Vec low) { return {vmaxq_f32(x.v, low.v)}; }
inline Vec at_most(Vec x, Vec high) { return {vminq_f32(x.v, high.v)}; }

#else

struct Vec {
  static constexpr int kLanes = 4;
  float v[4];
  static Vec load(const float* p) { return {{p[0], p[1], p[2], p[3]}}; }
  static Vec all(float x) { return {{x, x, x, x}}; }
  void store(float* p) const {
    for (int i = 0; i < 4; ++i) {
      p[i] = v[i];
    }
  }
  static Vec load_first(const float* p, int n) {
    float all[kLanes] = {};
    __builtin_memcpy(all, p, sizeof(float) * n);
    return load(all);
  }
  void store_first(float* p, int n) const {
    float all[kLanes];
    store(all);
    __builtin_memcpy(p, all, sizeof(float) * n);
  }
};
template <class F>
inline Vec each(Vec a, Vec b, F f) {
  return {{f(a.v[0], b.v[0]), f(a.v[1], b.v[1]), f(a.v[2], b.v[2]),
           f(a.v[3], b.v[3])}};
}
inline Vec add(Vec a, Vec b) {
  return each(a, b, [](float x, float y) { return x + y; });
}
inline Vec mul(Vec a, Vec b) {
  return each(a, b, [](float x, float y) { return x * y; });
}
inline Vec fma(Vec a, Vec b, Vec c) { return add(mul(a, b), c); }
inline Vec at_least(Vec x, Vec low) {
  return each(x, low, [](float a, float b) { return a < b ? b : a; });
}
inline Vec at_most(Vec x, Vec high) {
  return each(x, high, [](float a, float b) { return a > b ? b : a; });
}

#endif

// Floats from as many halves of either kind. Not every instruction set widens
// float16.
#if defined(__AVX512F__)
#define ET_WIDENS_F16 1
inline Vec widen_f16(const uint16_t* p) {
  return {_mm512_maskz_cvtph_ps(
      0xFFFF, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))};
}
inline Vec widen_bf16(const uint16_t* p) {
  const __m512i x = _mm512_maskz_cvtepu16_epi32(
      0xFFFF, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  return {_mm512_castsi512_ps(_mm512_maskz_slli_epi32(0xFFFF, x, 16))};
}
#elif defined(__AVX2__)
#define ET_WIDENS_F16 1
inline Vec widen_f16(const uint16_t* p) {
  return {
      _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
}
inline Vec widen_bf16(const uint16_t* p) {
  const __m256i x = _mm256_cvtepu16_epi32(
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  return {_mm256_castsi256_ps(_mm256_slli_epi32(x, 16))};
}
#elif defined(__x86_64__)
inline Vec widen_bf16(const uint16_t* p) {
  const __m128i x = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  return {_mm_castsi128_ps(_mm_unpacklo_epi16(_mm_setzero_si128(), x))};
}
#elif defined(__aarch64__)
#define ET_WIDENS_F16 1
inline Vec widen_f16(const uint16_t* p) {
  return {vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)))};
}
inline Vec widen_bf16(const uint16_t* p) {
  return {vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(p), 16))};
}
#else
inline Vec widen_bf16(const uint16_t* p) {
  Vec x;
  for (int i = 0; i < 4; ++i) {
    const uint32_t bits = static_cast<uint32_t>(p[i]) << 16;
    __builtin_memcpy(&x.v[i], &bits, sizeof(bits));
  }
  return x;
}
#endif

// The sum of all items, by halves.
inline float sum(Vec x) {
  float items[Vec::kLanes];
  x.store(items);
  for (int n = Vec::kLanes / 2; n > 0; n /= 2) {
    for (int i = 0; i < n; ++i) {
      items[i] += items[i + n];
    }
  }
  return items[0];
}

// Items 0, 2, ... and 1, 3, ... of two vectors in a row.
struct Pair {
  Vec even, odd;
};
inline Pair deinterleave(Vec a, Vec b) {
#if defined(__AVX512F__)
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20,
                                         22, 24, 26, 28, 30);
  const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
  return {{_mm512_permutex2var_ps(a.v, even, b.v)},
          {_mm512_permutex2var_ps(a.v, odd, b.v)}};
#elif defined(__AVX2__)
  const __m256 low = _mm256_permute2f128_ps(a.v, b.v, 0x20);
  const __m256 high = _mm256_permute2f128_ps(a.v, b.v, 0x31);
  const __m256 even = _mm256_shuffle_ps(low, high, 0x88);
  const __m256 odd = _mm256_shuffle_ps(low, high, 0xDD);
  return {{even}, {odd}};
#elif defined(__x86_64__)
  return {{_mm_shuffle_ps(a.v, b.v, 0x88)}, {_mm_shuffle_ps(a.v, b.v, 0xDD)}};
#elif defined(__aarch64__)
  return {{vuzp1q_f32(a.v, b.v)}, {vuzp2q_f32(a.v, b.v)}};
#else
  return {{{a.v[0], a.v[2], b.v[0], b.v[2]}},
          {{a.v[1], a.v[3], b.v[1], b.v[3]}}};
#endif
}

}  // namespace
}  // namespace executorch::kernels
