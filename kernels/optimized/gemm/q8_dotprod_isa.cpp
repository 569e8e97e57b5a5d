// Dot-product kernels of q8.h for aarch64.
//
// Compiled with -DET_ISA=<name>; includes nothing with inline functions but
// intrinsics.
#include "kernels/optimized/gemm/q8_arm.h"

namespace executorch::kernels::gemm {
namespace {

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

template <int kBits>
void panel(const Q8Tile& t, int rows, const uint8_t* w, int64_t column) {
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
constexpr int kRows = 4;

template <int kBits>
void tile(const Q8Tile& t, int rows, int64_t panels) {
  for (int64_t p = 0; p < panels; ++p) {
    panel<kBits>(t, rows, t.weights + p * t.panel_bytes, 8 * p);
  }
}

}  // namespace

extern const Q8Kernels ET_PASTE(q8_, ET_ISA);
const Q8Kernels ET_PASTE(q8_, ET_ISA) = {
    cpu::Isa::ET_ISA, {kRows, tile<4>}, {kRows, tile<8>}, quantize};

}  // namespace executorch::kernels::gemm
