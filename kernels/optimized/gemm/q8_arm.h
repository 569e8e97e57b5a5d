// What the kernels of q8.h for aarch64 share: a row alone, by dot products.
//
// Of 4-bit weights the stored q + 8 is used, which is positive as a signed
// byte: sums come out too large by 8 sum(a), so they start at -8 sum(a).
#pragma once

#include <arm_neon.h>

#include "kernels/optimized/gemm/q8_quantize.h"

namespace executorch::kernels::gemm {
namespace {

// Moves a pointer on. The compiler cannot see by how much, or it would make an
// index of it, and loads that move their pointer along take no index.
template <class T>
inline void advance(const T*& p, int64_t count) {
  p += count;
  asm("" : "+r"(p));
}

// The columns of one half of a chunk in pairs.
template <int kBits>
struct Pairs;
template <>
struct Pairs<4> {
  static inline void load(const uint8_t* at, int8x16_t (&q)[4]) {
    const uint8x16_t first = vld1q_u8(at), second = vld1q_u8(at + 16);
    const uint8x16_t nibble = vdupq_n_u8(15);
    q[0] = vreinterpretq_s8_u8(vandq_u8(first, nibble));
    q[1] = vreinterpretq_s8_u8(vshrq_n_u8(first, 4));
    q[2] = vreinterpretq_s8_u8(vandq_u8(second, nibble));
    q[3] = vreinterpretq_s8_u8(vshrq_n_u8(second, 4));
  }
  static inline int32_t start(int32_t start) { return start; }
};
template <>
struct Pairs<8> {
  static inline void load(const uint8_t* at, int8x16_t (&q)[4]) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      q[i] = vreinterpretq_s8_u8(vld1q_u8(at + 16 * i));
    }
  }
  static inline int32_t start(int32_t) { return 0; }
};

// One row: nothing shares the work of de-interleaving. A column has two sums,
// of steps 0-3 and 4-7. kChunks: at a time; a group has a multiple of them.
template <int kBits, int kChunks>
void row_tile(const Q8Tile& t, const uint8_t* w, int64_t column) {
  float32x4_t low = vdupq_n_f32(0), high = low;
  const int8_t* a = t.a[0];
  const int32_t* starts = t.starts[0];
  const float scale = t.scales[0];
  const int32_t zero = t.zeros[0];
  const int64_t chunks = t.chunks;
  for (int64_t g = t.groups; g != 0; --g) {
    int32x4_t acc[4];
    acc[0] = vreinterpretq_s32_u64(
        vdupq_n_u64(static_cast<uint32_t>(Pairs<kBits>::start(*starts))));
    advance(starts, 1);
    acc[1] = acc[2] = acc[3] = acc[0];
    int64_t c = chunks;
    do {
#pragma GCC unroll 4
      for (int i = 0; i < 2 * kChunks; ++i) {
        int8x16_t q[4];
        Pairs<kBits>::load(w + i * 8 * kBits, q);
        const int8x16_t x = vreinterpretq_s8_s64(
            vld1q_dup_s64(reinterpret_cast<const int64_t*>(a)));
        advance(a, 8);
#pragma GCC unroll 4
        for (int p = 0; p < 4; ++p) {
          acc[p] = vdotq_s32(acc[p], q[p], x);
        }
      }
      advance(w, kChunks * 16 * kBits);
      c -= kChunks;
    } while (c != 0);
    const auto add = [&](float32x4_t r, int32x4_t dots, const uint8_t* end) {
      const int32x4_t sums = vreinterpretq_s32_u8(vld1q_u8(end + 32));
      const float32x4_t d = vcvtq_f32_s32(vmlsq_n_s32(dots, sums, zero));
      const float32x4_t scales = vreinterpretq_f32_u8(vld1q_u8(end));
      return vaddq_f32(r, vmulq_f32(vmulq_n_f32(scales, scale), d));
    };
    low = add(low, vpaddq_s32(acc[0], acc[1]), w);
    high = add(high, vpaddq_s32(acc[2], acc[3]), w + 16);
    advance(w, 64);
  }
  vst1q_f32(t.out[0] + column, low);
  vst1q_f32(t.out[0] + column + 4, high);
}

template <int kBits>
void row_tile(const Q8Tile& t, const uint8_t* w, int64_t column) {
  t.chunks % 2 == 0 ? row_tile<kBits, 2>(t, w, column)
                    : row_tile<kBits, 1>(t, w, column);
}

}  // namespace
}  // namespace executorch::kernels::gemm
