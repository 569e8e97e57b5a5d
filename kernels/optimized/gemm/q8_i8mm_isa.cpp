// Matrix-multiply kernels of q8.h for aarch64.
//
// Compiled with -DET_ISA=<name>; includes nothing with inline functions but
// intrinsics.
#include "kernels/optimized/gemm/q8_arm.h"

namespace executorch::kernels::gemm {
namespace {

// The columns of one half of a chunk in pairs, as matrices of 2 x 8. Of 4 bits
// the whole byte, u + 16 v, stands for the columns in the high nibbles: taking
// off the sum of u leaves 16 times what is asked for, which the conversion to
// float divides.
template <int kBits>
struct Matrices;
template <>
struct Matrices<4> {
  static constexpr int kShift = 4;  // of the sums of odd pairs
  uint8x16_t q[4];
  static inline Matrices load(const uint8_t*& at) {
    const uint8x16_t first = vld1q_u8(at), second = vld1q_u8(at + 16);
    const uint8x16_t nibble = vdupq_n_u8(15);
    advance(at, 32);
    return {{vandq_u8(first, nibble), first, vandq_u8(second, nibble), second}};
  }
  inline int32x4_t add(int32x4_t acc, int pair, int8x16_t a) const {
    return vusmmlaq_s32(acc, q[pair], a);
  }
};
template <>
struct Matrices<8> {
  static constexpr int kShift = 0;
  int8x16_t q[4];
  static inline Matrices load(const uint8_t*& at) {
    const int8_t* from = reinterpret_cast<const int8_t*>(at);
    advance(at, 64);
    return {{vld1q_s8(from), vld1q_s8(from + 16), vld1q_s8(from + 32),
             vld1q_s8(from + 48)}};
  }
  inline int32x4_t add(int32x4_t acc, int pair, int8x16_t a) const {
    return vmmlaq_s32(acc, q[pair], a);
  }
};

// R pairs of rows; the last row may stand in a pair twice. A sum holds column 0
// row 0, column 0 row 1, column 1 row 0, column 1 row 1 of two pairs.
template <int kBits, int R>
void matrix_tile(const Q8Tile& t, int rows, const uint8_t* w, int64_t column) {
  using M = Matrices<kBits>;
  float32x4_t results[R][4] = {};
  const int8_t* a[2 * R];
  const int32_t* starts[2 * R];
  float scales[2 * R];
  int32_t zeros[2 * R];
#pragma GCC unroll 8
  for (int i = 0; i < 2 * R; ++i) {
    const int row = i < rows ? i : rows - 1;
    a[i] = t.a[row];
    starts[i] = t.starts[row];
    scales[i] = t.scales[row];
    zeros[i] = t.zeros[row];
  }
  const int64_t chunks = t.chunks;
  for (int64_t g = t.groups; g != 0; --g) {
    int32x4_t acc[R][4];
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      int32x4_t start = vdupq_n_s32(0);
      if (kBits == 4) {
        const int32x2_t even = vld1_dup_s32(starts[2 * r]);
        const int64x2_t both = vdupq_lane_s64(
            vreinterpret_s64_s32(vld1_lane_s32(starts[2 * r + 1], even, 1)), 0);
        start = vreinterpretq_s32_s64(both);
        advance(starts[2 * r], 1);
        advance(starts[2 * r + 1], 1);
      }
      acc[r][0] = acc[r][2] = start;
      acc[r][1] = acc[r][3] = kBits == 4 ? vmulq_n_s32(start, 17) : start;
    }
    int64_t h = 2 * chunks;
    do {
      const M half = M::load(w);
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) {
        const int64x2_t x = vld1q_lane_s64(
            reinterpret_cast<const int64_t*>(a[2 * r + 1]),
            vcombine_s64(vld1_s64(reinterpret_cast<const int64_t*>(a[2 * r])),
                         vdup_n_s64(0)),
            1);
        advance(a[2 * r], 8);
        advance(a[2 * r + 1], 8);
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) {
          acc[r][i] = half.add(acc[r][i], i, vreinterpretq_s8_s64(x));
        }
      }
    } while (--h != 0);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      const int shift = i % 2 == 0 ? 0 : M::kShift;
      const float32x4_t s = vreinterpretq_f32_u8(vld1q_u8(w + 16 * (i / 2)));
      const int32x4_t q = vreinterpretq_s32_u8(vld1q_u8(w + 32 + 16 * (i / 2)));
      const float32x4_t weight_scales =
          i % 2 == 0 ? vzip1q_f32(s, s) : vzip2q_f32(s, s);
      const int32x4_t sums = vshlq_s32(
          i % 2 == 0 ? vzip1q_s32(q, q) : vzip2q_s32(q, q), vdupq_n_s32(shift));
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) {
        int32x4_t dots = acc[r][i];
        if (shift != 0) {
          dots = vsubq_s32(dots, acc[r][i - 1]);
        }
        dots = vmlsq_s32(dots, sums,
                         vreinterpretq_s32_s64(vld1q_dup_s64(
                             reinterpret_cast<const int64_t*>(zeros + 2 * r))));
        const float32x4_t d =
            shift != 0 ? vcvtq_n_f32_s32(dots, 4) : vcvtq_f32_s32(dots);
        const float32x4_t scale =
            vmulq_f32(weight_scales,
                      vreinterpretq_f32_s64(vld1q_dup_s64(
                          reinterpret_cast<const int64_t*>(scales + 2 * r))));
        results[r][i] = vaddq_f32(results[r][i], vmulq_f32(scale, d));
      }
    }
    advance(w, 64);
  }
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
    for (int odd = 0; odd < 2 && 2 * r + odd < rows; ++odd) {
      for (int i = 0; i < 2; ++i) {
        const float32x4_t low = results[r][2 * i], high = results[r][2 * i + 1];
        vst1q_f32(t.out[2 * r + odd] + column + 4 * i,
                  odd ? vuzp2q_f32(low, high) : vuzp1q_f32(low, high));
      }
    }
  }
}

template <int kBits>
void panel(const Q8Tile& t, int rows, const uint8_t* w, int64_t column) {
  switch ((rows + 1) / 2) {
    case 1:
      return rows == 1 ? row_tile<kBits>(t, w, column)
                       : matrix_tile<kBits, 1>(t, rows, w, column);
    case 2:
      return matrix_tile<kBits, 2>(t, rows, w, column);
    case 3:
      return matrix_tile<kBits, 3>(t, rows, w, column);
    default:
      return matrix_tile<kBits, 4>(t, rows, w, column);
  }
}
constexpr int kRows = 8;

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
