// What the kernels of q8.h for aarch64 share: up to 4 rows, by dot products.
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

// Two values for each column.
template <class V>
struct Two {
  V first, second;
};

// One half (8 steps) of a chunk in words of 4 steps: the first and the second
// of 4 columns, then of the other 4. De-interleaving words makes this of 4-bit
// weights if the columns are taken in the order 0, 1, 4, 5 and 2, 3, 6, 7,
// which is the order of de-interleaved pairs of what follows the chunks.
template <int kBits>
struct Words;
template <>
struct Words<4> {
  int8x16_t a0, a1, b0, b1;
  static inline Words load(const uint8_t*& at) {
    const uint32x4x2_t words = vld2q_u32(reinterpret_cast<const uint32_t*>(at));
    advance(at, 32);
    const uint8x16_t first = vreinterpretq_u8_u32(words.val[0]);
    const uint8x16_t second = vreinterpretq_u8_u32(words.val[1]);
    const uint8x16_t nibble = vdupq_n_u8(15);
    return {vreinterpretq_s8_u8(vandq_u8(first, nibble)),
            vreinterpretq_s8_u8(vandq_u8(second, nibble)),
            vreinterpretq_s8_u8(vshrq_n_u8(first, 4)),
            vreinterpretq_s8_u8(vshrq_n_u8(second, 4))};
  }
  static inline Two<uint8x16_t> load_end(const uint8_t*& at) {
    const uint64x2x2_t pairs = vld2q_u64(reinterpret_cast<const uint64_t*>(at));
    advance(at, 32);
    return {vreinterpretq_u8_u64(pairs.val[0]),
            vreinterpretq_u8_u64(pairs.val[1])};
  }
  static inline int32x4_t start(const int32_t*& at) {
    const int32x4_t start = vld1q_dup_s32(at);
    advance(at, 1);
    return start;
  }
  static inline void store(float* to, Two<float32x4_t> x) {
    const uint64x2x2_t pairs = {
        {vreinterpretq_u64_f32(x.first), vreinterpretq_u64_f32(x.second)}};
    vst2q_u64(reinterpret_cast<uint64_t*>(to), pairs);
  }
};
template <>
struct Words<8> {
  int8x16_t a0, a1, b0, b1;
  static inline Words load(const uint8_t*& at) {
    const int32x4x2_t a = vld2q_s32(reinterpret_cast<const int32_t*>(at));
    const int32x4x2_t b = vld2q_s32(reinterpret_cast<const int32_t*>(at + 32));
    advance(at, 64);
    return {vreinterpretq_s8_s32(a.val[0]), vreinterpretq_s8_s32(a.val[1]),
            vreinterpretq_s8_s32(b.val[0]), vreinterpretq_s8_s32(b.val[1])};
  }
  static inline Two<uint8x16_t> load_end(const uint8_t*& at) {
    const Two<uint8x16_t> end{vld1q_u8(at), vld1q_u8(at + 16)};
    advance(at, 32);
    return end;
  }
  static inline int32x4_t start(const int32_t*&) { return vdupq_n_s32(0); }
  static inline void store(float* to, Two<float32x4_t> x) {
    vst1q_f32(to, x.first);
    vst1q_f32(to + 4, x.second);
  }
};

template <int kHalf, class W>
inline void add(Two<int32x4_t>& acc, const W& w, int8x16_t a) {
  acc.first = vdotq_laneq_s32(acc.first, w.a0, a, 2 * kHalf);
  acc.second = vdotq_laneq_s32(acc.second, w.b0, a, 2 * kHalf);
  acc.first = vdotq_laneq_s32(acc.first, w.a1, a, 2 * kHalf + 1);
  acc.second = vdotq_laneq_s32(acc.second, w.b1, a, 2 * kHalf + 1);
}

// r += (weight scales * scale) * float(dots - zero * weight sums), rows from
// kRow on.
template <int kRow, int R>
inline void add_group(Two<float32x4_t> (&results)[R],
                      const Two<int32x4_t> (&dots)[R],
                      const Two<uint8x16_t>& sums, int32x4_t zeros,
                      const Two<uint8x16_t>& weight_scales,
                      float32x4_t scales) {
  if constexpr (kRow < R) {
    const auto add = [&](float32x4_t& r, int32x4_t d, uint8x16_t sum,
                         uint8x16_t scale) {
      const float32x4_t x = vcvtq_f32_s32(
          vmlsq_laneq_s32(d, vreinterpretq_s32_u8(sum), zeros, kRow));
      const float32x4_t s =
          vmulq_laneq_f32(vreinterpretq_f32_u8(scale), scales, kRow);
      r = vaddq_f32(r, vmulq_f32(s, x));
    };
    add(results[kRow].first, dots[kRow].first, sums.first, weight_scales.first);
    add(results[kRow].second, dots[kRow].second, sums.second,
        weight_scales.second);
    add_group<kRow + 1>(results, dots, sums, zeros, weight_scales, scales);
  }
}

template <int kBits, int R>
void dot_tile(const Q8Tile& t, const uint8_t* w, int64_t column) {
  using W = Words<kBits>;
  Two<float32x4_t> results[R] = {};
  const int8_t* a[R];
  const int32_t* starts[R];
  float scales[4] = {};
  int32_t zeros[4] = {};
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
    a[r] = t.a[r];
    starts[r] = t.starts[r];
    scales[r] = t.scales[r];
    zeros[r] = t.zeros[r];
  }
  float32x4_t all_scales = vld1q_f32(scales);
  int32x4_t all_zeros = vld1q_s32(zeros);
  const int64_t chunks = t.chunks;
  for (int64_t g = t.groups; g != 0; --g) {
    Two<int32x4_t> acc[R];
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      acc[r].first = acc[r].second = W::start(starts[r]);
    }
    int64_t c = chunks;
    do {
      int8x16_t x[R];
      const W first = W::load(w);
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) {
        x[r] = vld1q_s8(a[r]);
        advance(a[r], 16);
        add<0>(acc[r], first, x[r]);
      }
      // Not to be loaded before the first half is done: registers are few.
      asm("" : "+r"(w) : "w"(acc[R - 1].second));
      const W second = W::load(w);
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) {
        add<1>(acc[r], second, x[r]);
      }
    } while (--c != 0);
    const auto weight_scales = W::load_end(w);
    const auto weight_sums = W::load_end(w);
    // Else each value gets a register of its own, and there are too few.
    asm("" : "+w"(all_scales), "+w"(all_zeros));
    add_group<0>(results, acc, weight_sums, all_zeros, weight_scales,
                 all_scales);
  }
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
    W::store(t.out[r] + column, results[r]);
  }
}

constexpr int kDotRows = 4;

template <int kBits>
void dot_panel(const Q8Tile& t, int rows, const uint8_t* w, int64_t column) {
  switch (rows) {
    case 1:
      return row_tile<kBits>(t, w, column);
    case 2:
      return dot_tile<kBits, 2>(t, w, column);
    case 3:
      return dot_tile<kBits, 3>(t, w, column);
    default:
      return dot_tile<kBits, 4>(t, w, column);
  }
}

// Up to kDotRows rows.
template <int kBits>
void dot_panels(const Q8Tile& t, int rows, int64_t panels) {
  for (int64_t p = 0; p < panels; ++p) {
    dot_panel<kBits>(t, rows, t.weights + p * t.panel_bytes, 8 * p);
  }
}

}  // namespace
}  // namespace executorch::kernels::gemm
