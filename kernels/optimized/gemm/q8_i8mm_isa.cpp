// Matrix-multiply kernels of q8.h for aarch64.
//
// The instruction multiplies 2 rows with 2 columns, 8 steps of k deep. Weights
// stand in that order when they are unpacked, rows are brought into it.
//
// Compiled with -DET_ISA=<name>; includes nothing with inline functions but
// intrinsics.
#include "kernels/optimized/gemm/q8_arm.h"

namespace executorch::kernels::gemm {
namespace {

// clang-format off

// Sums of 4 pairs of columns are in v0-v3, v4-v7, v8-v11 and v12-v15, each of
// 4 pairs of rows: row 0 column 0, row 0 column 1, row 1 column 0, row 1 column
// 1. F also gets a register, or what else it needs, for each pair of columns.
#define ET_COLUMNS(F, c0, c1, c2, c3) \
  F(0, 1, 2, 3, c0) F(4, 5, 6, 7, c1) F(8, 9, 10, 11, c2) F(12, 13, 14, 15, c3)

#define ET_START(s0, s1, s2, s3, then) \
  "ld1 {v" #s0 ".4s-v" #s3 ".4s}, [%[starts]]" then "\n"

// Rows for the halves of a chunk: v16, v17, v28, v29 and v18, v19, v30, v31.
#define ET_ROWS \
  "ld1 {v16.16b-v19.16b}, [%[a]], #64\n" \
  "ld1 {v28.16b-v31.16b}, [%[a]], #64\n"
#define ET_MMLA(s, a, b) \
  "smmla v" #s ".4s, v" #a ".16b, v" #b ".16b\n"
#define ET_FIRST(s0, s1, s2, s3, b) \
  ET_MMLA(s0, 16, b) ET_MMLA(s1, 17, b) ET_MMLA(s2, 28, b) ET_MMLA(s3, 29, b)
#define ET_SECOND(s0, s1, s2, s3, b) \
  ET_MMLA(s0, 18, b) ET_MMLA(s1, 19, b) ET_MMLA(s2, 30, b) ET_MMLA(s3, 31, b)

// The low nibbles go to v20 and v21, the high ones stay.
#define ET_UNPACK(x, y) \
  "and v20.16b, v" #x ".16b, v23.16b\n" \
  "and v21.16b, v" #y ".16b, v23.16b\n" \
  "ushr v" #x ".16b, v" #x ".16b, #4\n" \
  "ushr v" #y ".16b, v" #y ".16b, #4\n"
#define ET_CHUNK4 \
  ET_ROWS \
  "ld1 {v24.16b-v27.16b}, [%[w]], #64\n" \
  ET_UNPACK(24, 25) ET_COLUMNS(ET_FIRST, 20, 24, 21, 25) \
  ET_UNPACK(26, 27) ET_COLUMNS(ET_SECOND, 20, 26, 21, 27)

#define ET_CHUNK8 \
  ET_ROWS \
  "ld1 {v20.16b-v23.16b}, [%[w]], #64\n" \
  ET_COLUMNS(ET_FIRST, 20, 21, 22, 23) \
  "ld1 {v20.16b-v23.16b}, [%[w]], #64\n" \
  ET_COLUMNS(ET_SECOND, 20, 21, 22, 23)

// sums -= zeros * weight sums
#define ET_MLS(s, zero, sum) \
  "mls v" #s ".4s, v" #zero ".4s, v" #sum ".4s\n"
#define ET_SUBTRACT(s0, s1, s2, s3, sum) \
  ET_MLS(s0, 16, sum) ET_MLS(s1, 17, sum) \
  ET_MLS(s2, 18, sum) ET_MLS(s3, 19, sum)

// results += (weight scales * scales) * float(sums)
#define ET_SCALED(s, result, scale, weight_scale) \
  "scvtf v" #s ".4s, v" #s ".4s\n" \
  "fmul v20.4s, v" #weight_scale ".4s, v" #scale ".4s\n" \
  "fmul v20.4s, v20.4s, v" #s ".4s\n" \
  "fadd v" #result ".4s, v" #result ".4s, v20.4s\n"
#define ET_ADD(s0, s1, s2, s3, weight_scale) \
  "ld1 {v28.4s-v31.4s}, [%[results]]\n" \
  ET_SCALED(s0, 28, 16, weight_scale) ET_SCALED(s1, 29, 17, weight_scale) \
  ET_SCALED(s2, 30, 18, weight_scale) ET_SCALED(s3, 31, 19, weight_scale) \
  "st1 {v28.4s-v31.4s}, [%[results]], #64\n"

#define ET_ADD_PRODUCT(chunk) \
  asm volatile( \
      "movi v23.16b, #15\n" \
      "0:\n" \
      ET_COLUMNS(ET_START, "", "", "", ", #64") \
      "mov %[count], %[chunks]\n" \
      "1:\n" \
      ".rept %c[unroll]\n" \
      chunk \
      ".endr\n" \
      "subs %[count], %[count], %[unroll]\n" \
      "b.ne 1b\n" \
      "ld4r {v24.2d-v27.2d}, [%[w]], #32\n" \
      "ld4r {v28.2d-v31.2d}, [%[w]], #32\n" \
      "ld1 {v16.4s-v19.4s}, [%[zeros]]\n" \
      ET_COLUMNS(ET_SUBTRACT, 28, 29, 30, 31) \
      "ld1 {v16.4s-v19.4s}, [%[scales]]\n" \
      ET_COLUMNS(ET_ADD, 24, 25, 26, 27) \
      "sub %[results], %[results], #256\n" \
      "subs %[groups], %[groups], #1\n" \
      "b.ne 0b\n" \
      : [a] "+&r"(a), [w] "+&r"(w), [starts] "+&r"(starts), \
        [results] "+&r"(results), [groups] "+&r"(groups), \
        [count] "=&r"(count) \
      : [chunks] "r"(chunks), [zeros] "r"(rows.zeros), \
        [scales] "r"(rows.scales), [unroll] "i"(kChunks) \
      : "cc", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", \
        "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", \
        "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", \
        "v28", "v29", "v30", "v31")

// clang-format on

constexpr int kRows = 8;  // of a tile; the last may stand in it again

// What belongs to a row alone stands twice, for both columns of a sum.
struct Rows {
  static constexpr int64_t kSteps = 2048;  // of k, in whole groups
  int8_t a[kSteps / 16][2][2][4][8];       // by 4 rows, half, row, step
  int32_t starts[kSteps / 16][kRows][2];   // per group
  int32_t zeros[kRows][2];
  float scales[kRows][2];
};

// Adds the product with a panel to the results, kChunks at a time. This is
// assembly because compilers copy what the loads of 4 registers yield.
template <int kBits, int kChunks>
void add_product(const Rows& rows, const uint8_t* w, int64_t groups,
                 int64_t chunks, float* results) {
  const int8_t* a = rows.a[0][0][0][0];
  const int32_t* starts = rows.starts[0][0];
  int64_t count;
  if constexpr (kBits == 4) {
    ET_ADD_PRODUCT(ET_CHUNK4);
  } else {
    ET_ADD_PRODUCT(ET_CHUNK8);
  }
}

// Takes rows to where the loads of a chunk find them.
template <int kBits>
void interleave(const int8_t* const* a, const int32_t* const* starts,
                int64_t groups, int64_t chunks, Rows& rows) {
  for (int64_t c = 0; c < groups * chunks; ++c) {
#pragma GCC unroll 2
    for (int i = 0; i < kRows; i += 4) {
      int64x2x4_t x;
#pragma GCC unroll 4
      for (int r = 0; r < 4; ++r) {
        x.val[r] = vreinterpretq_s64_s8(vld1q_s8(a[i + r] + 16 * c));
      }
      vst4q_s64(reinterpret_cast<int64_t*>(rows.a[c][i / 4]), x);
    }
  }
  for (int64_t g = 0; g < groups; ++g) {
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
      const int32_t start = kBits == 4 ? starts[i][g] : 0;
      rows.starts[g][i][0] = rows.starts[g][i][1] = start;
    }
  }
}

// Results of 2 rows and 4 columns, from rows to sums or back.
inline void transpose(const float* x, const float* y, float* to_x,
                      float* to_y) {
  const float64x2_t a = vreinterpretq_f64_f32(vld1q_f32(x));
  const float64x2_t b = vreinterpretq_f64_f32(vld1q_f32(y));
  vst1q_f32(to_x, vreinterpretq_f32_f64(vzip1q_f64(a, b)));
  vst1q_f32(to_y, vreinterpretq_f32_f64(vzip2q_f64(a, b)));
}

// 5 to 8 rows.
template <int kBits>
void matrix_tile(const Q8Tile& t, int count, int64_t panels) {
  Rows rows;
  const int8_t* a[kRows];
  const int32_t* starts[kRows];
  float* out[kRows];
  for (int i = 0; i < kRows; ++i) {
    const int row = i < count ? i : count - 1;
    a[i] = t.a[row];
    starts[i] = t.starts[row];
    out[i] = t.out[row];
    rows.zeros[i][0] = rows.zeros[i][1] = t.zeros[row];
    rows.scales[i][0] = rows.scales[i][1] = t.scales[row];
  }
  const int64_t group = 16 * t.chunks;
  const int64_t step = Rows::kSteps / group;
  const uint8_t* w = t.weights;
  for (int64_t done = 0; done < t.groups; done += step) {
    const int64_t groups = step < t.groups - done ? step : t.groups - done;
    interleave<kBits>(a, starts, groups, t.chunks, rows);
    for (int i = 0; i < kRows; ++i) {
      a[i] += groups * group;
      starts[i] += groups;
    }
    for (int64_t p = 0; p < panels; ++p) {
      float results[4][kRows][2] = {};
      const auto each = [&](auto f) {
        for (int i = 0; i < kRows; i += 2) {
          for (int half = 0; half < 2; ++half) {
            f(out[i] + 8 * p + 4 * half, out[i + 1] + 8 * p + 4 * half,
              results[2 * half][i], results[2 * half + 1][i]);
          }
        }
      };
      if (done != 0) {
        each([](float* x, float* y, float* sums, float* next_sums) {
          transpose(x, y, sums, next_sums);
        });
      }
      const uint8_t* panel = w + p * t.panel_bytes;
      t.chunks % 2 == 0
          ? add_product<kBits, 2>(rows, panel, groups, t.chunks, results[0][0])
          : add_product<kBits, 1>(rows, panel, groups, t.chunks, results[0][0]);
      each([](float* x, float* y, float* sums, float* next_sums) {
        transpose(sums, next_sums, x, y);
      });
    }
    w += groups * 8 * (group * kBits / 8 + 8);
  }
}

template <int kBits>
void tile(const Q8Tile& t, int rows, int64_t panels) {
  if (rows <= kDotRows) {
    dot_panels<kBits>(t, rows, panels);
  } else if (16 * t.chunks > Rows::kSteps) {
    dot_panels<kBits>(t, kDotRows, panels);
    dot_panels<kBits>({t.weights, t.panel_bytes, t.groups, t.chunks,
                       t.a + kDotRows, t.starts + kDotRows, t.scales + kDotRows,
                       t.zeros + kDotRows, t.out + kDotRows},
                      rows - kDotRows, panels);
  } else {
    matrix_tile<kBits>(t, rows, panels);
  }
}

}  // namespace

extern const Q8Kernels ET_PASTE(q8_, ET_ISA);
const Q8Kernels ET_PASTE(q8_, ET_ISA) = {
    cpu::Isa::ET_ISA, {kRows, tile<4>}, {kRows, tile<8>}, quantize};

}  // namespace executorch::kernels::gemm
