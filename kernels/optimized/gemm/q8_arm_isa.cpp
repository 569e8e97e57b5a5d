// Dot-product and matrix-multiply kernels of q8.h for aarch64.
//
// 16 unpacked bytes are 2 columns by 8 steps of k, as the second operand of
// SMMLA. Of 4-bit weights the stored q + 8 is used, which is positive as a
// signed byte: sums come out too large by 8 sum(a), so they start at -8 sum(a).
//
// Compiled with -DET_ISA=<name>; includes nothing with inline functions but
// intrinsics.
#include <arm_neon.h>

#include "kernels/optimized/gemm/q8_quantize.h"

namespace executorch::kernels::gemm {
namespace {

constexpr int kColumnPairs = 4;

// One half (8 steps) of a chunk: the bytes of each pair of columns.
template <int kBits>
struct Half;
template <>
struct Half<4> {
  static constexpr int64_t kBytes = 32;
  static inline void load(const uint8_t* at, int8x16_t (&q)[kColumnPairs]) {
    const uint8x16_t first = vld1q_u8(at), second = vld1q_u8(at + 16);
    const uint8x16_t nibble = vdupq_n_u8(15);
    q[0] = vreinterpretq_s8_u8(vandq_u8(first, nibble));
    q[1] = vreinterpretq_s8_u8(vshrq_n_u8(first, 4));
    q[2] = vreinterpretq_s8_u8(vandq_u8(second, nibble));
    q[3] = vreinterpretq_s8_u8(vshrq_n_u8(second, 4));
  }
  static inline int32_t start(int32_t sum) { return -8 * sum; }
};
template <>
struct Half<8> {
  static constexpr int64_t kBytes = 64;
  static inline void load(const uint8_t* at, int8x16_t (&q)[kColumnPairs]) {
    for (int i = 0; i < kColumnPairs; ++i) {
      q[i] = vreinterpretq_s8_u8(vld1q_u8(at + 16 * i));
    }
  }
  static inline int32_t start(int32_t) { return 0; }
};

struct Results {
  float32x4_t low, high;  // columns 0-3 and 4-7
};

// r += (weight scales * scale) * float(dots - zero * weight sums)
inline void add_group(Results& r, int32x4_t low, int32x4_t high,
                      const float32x4_t (&scales)[2],
                      const int32x4_t (&sums)[2], float scale, int32_t zero) {
  const float32x4_t d0 = vcvtq_f32_s32(vmlsq_n_s32(low, sums[0], zero));
  const float32x4_t d1 = vcvtq_f32_s32(vmlsq_n_s32(high, sums[1], zero));
  r.low = vaddq_f32(r.low, vmulq_f32(vmulq_n_f32(scales[0], scale), d0));
  r.high = vaddq_f32(r.high, vmulq_f32(vmulq_n_f32(scales[1], scale), d1));
}

// What follows the chunks of a group.
inline void load_end(const uint8_t* at, float32x4_t (&scales)[2],
                     int32x4_t (&sums)[2]) {
  for (int i = 0; i < 2; ++i) {
    scales[i] = vreinterpretq_f32_u8(vld1q_u8(at + 16 * i));
    sums[i] = vreinterpretq_s32_u8(vld1q_u8(at + 32 + 16 * i));
  }
}

#if defined(__ARM_FEATURE_MATMUL_INT8)

// R pairs of rows; the last row may stand in a pair twice.
template <int kBits, int R>
void tile(const Q8Tile& t, int rows) {
  Results results[2 * R] = {};
  const int8_t* a[2 * R];
  int of[2 * R];
  for (int r = 0; r < 2 * R; ++r) {
    of[r] = r < rows ? r : rows - 1;
    a[r] = t.a[of[r]];
  }
  const uint8_t* w = t.weights;
  int64_t k = 0;
  for (int64_t g = 0; g < t.groups; ++g) {
    // Per pairs of rows and columns: row 0 column 0, 0-1, 1-0, 1-1.
    int32x4_t acc[R][kColumnPairs];
    for (int r = 0; r < R; ++r) {
      const int32x2_t even =
          vdup_n_s32(Half<kBits>::start(t.sums[of[2 * r]][g]));
      const int32x2_t odd =
          vdup_n_s32(Half<kBits>::start(t.sums[of[2 * r + 1]][g]));
      for (int c = 0; c < kColumnPairs; ++c) {
        acc[r][c] = vcombine_s32(even, odd);
      }
    }
    for (int64_t h = 0; h < 2 * t.chunks; ++h) {
      int8x16_t q[kColumnPairs];
      Half<kBits>::load(w, q);
      w += Half<kBits>::kBytes;
      for (int r = 0; r < R; ++r) {
        const int8x16_t x =
            vcombine_s8(vld1_s8(a[2 * r] + k), vld1_s8(a[2 * r + 1] + k));
        for (int c = 0; c < kColumnPairs; ++c) {
          acc[r][c] = vmmlaq_s32(acc[r][c], x, q[c]);
        }
      }
      k += 8;
    }
    float32x4_t scales[2];
    int32x4_t sums[2];
    load_end(w, scales, sums);
    w += 64;
    for (int r = 0; r < R; ++r) {
      int64x2_t pairs[kColumnPairs];
      for (int c = 0; c < kColumnPairs; ++c) {
        pairs[c] = vreinterpretq_s64_s32(acc[r][c]);
      }
      add_group(results[2 * r],
                vreinterpretq_s32_s64(vzip1q_s64(pairs[0], pairs[1])),
                vreinterpretq_s32_s64(vzip1q_s64(pairs[2], pairs[3])), scales,
                sums, t.scales[of[2 * r]], t.zeros[of[2 * r]]);
      add_group(results[2 * r + 1],
                vreinterpretq_s32_s64(vzip2q_s64(pairs[0], pairs[1])),
                vreinterpretq_s32_s64(vzip2q_s64(pairs[2], pairs[3])), scales,
                sums, t.scales[of[2 * r + 1]], t.zeros[of[2 * r + 1]]);
    }
  }
  for (int r = 0; r < rows; ++r) {
    vst1q_f32(t.out[r], results[r].low);
    vst1q_f32(t.out[r] + 4, results[r].high);
  }
}

template <int kBits>
void tile_rows(const Q8Tile& t, int rows, int /*panels*/) {
  switch ((rows + 1) / 2) {
    case 1:
      return tile<kBits, 1>(t, rows);
    case 2:
      return tile<kBits, 2>(t, rows);
    case 3:
      return tile<kBits, 3>(t, rows);
    default:
      return tile<kBits, 4>(t, rows);
  }
}
constexpr int kRows = 8;

#else  // dot product

template <int kBits, int R>
void tile(const Q8Tile& t) {
  Results results[R] = {};
  const uint8_t* w = t.weights;
  int64_t k = 0;
  for (int64_t g = 0; g < t.groups; ++g) {
    // Two sums per column: of steps 0-3 and 4-7. One has the start value.
    int32x4_t acc[R][kColumnPairs];
    for (int r = 0; r < R; ++r) {
      const auto start =
          static_cast<uint32_t>(Half<kBits>::start(t.sums[r][g]));
      const int32x4_t both = vreinterpretq_s32_u64(vdupq_n_u64(start));
      for (int c = 0; c < kColumnPairs; ++c) {
        acc[r][c] = both;
      }
    }
    for (int64_t h = 0; h < 2 * t.chunks; ++h) {
      int8x16_t q[kColumnPairs];
      Half<kBits>::load(w, q);
      w += Half<kBits>::kBytes;
      for (int r = 0; r < R; ++r) {
        const int8x16_t x = vreinterpretq_s8_s64(
            vld1q_dup_s64(reinterpret_cast<const int64_t*>(t.a[r] + k)));
        for (int c = 0; c < kColumnPairs; ++c) {
          acc[r][c] = vdotq_s32(acc[r][c], q[c], x);
        }
      }
      k += 8;
    }
    float32x4_t scales[2];
    int32x4_t sums[2];
    load_end(w, scales, sums);
    w += 64;
    for (int r = 0; r < R; ++r) {
      add_group(results[r], vpaddq_s32(acc[r][0], acc[r][1]),
                vpaddq_s32(acc[r][2], acc[r][3]), scales, sums, t.scales[r],
                t.zeros[r]);
    }
  }
  for (int r = 0; r < R; ++r) {
    vst1q_f32(t.out[r], results[r].low);
    vst1q_f32(t.out[r] + 4, results[r].high);
  }
}

template <int kBits>
void tile_rows(const Q8Tile& t, int rows, int /*panels*/) {
  switch (rows) {
    case 1:
      return tile<kBits, 1>(t);
    case 2:
      return tile<kBits, 2>(t);
    case 3:
      return tile<kBits, 3>(t);
    default:
      return tile<kBits, 4>(t);
  }
}
constexpr int kRows = 4;

#endif

}  // namespace

extern const Q8Kernels ET_PASTE(q8_, ET_ISA);
const Q8Kernels ET_PASTE(q8_, ET_ISA) = {cpu::Isa::ET_ISA,
                                         {kRows, 1, tile_rows<4>},
                                         {kRows, 1, tile_rows<8>},
                                         quantize};

}  // namespace executorch::kernels::gemm
