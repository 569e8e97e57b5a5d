// Compiled once per instruction set with -DET_ISA=<name> and the flags of that
// set. Includes nothing with inline functions that others may share.
//
// A tile is kept in registers while k runs: rows * vectors accumulators, one
// row of b, and one item of a at a time.
#include "kernels/optimized/gemm/sgemm.h"
#include "kernels/optimized/gemm/vector_isa.h"

namespace executorch::kernels::gemm {
namespace {

constexpr int kLanes = Vec::kLanes;
#if defined(__AVX512F__)
constexpr int kRows = 14, kVectors = 2;  // 28 of 32 registers
#elif defined(__x86_64__)
constexpr int kRows = 6, kVectors = 2;  // 12 of 16
#else
constexpr int kRows = 6, kVectors = 4;  // 24 of 32
#endif

template <int R, int V, bool kOffsets>
void tile(const Tile<float>& t) {
  Vec acc[R][V];
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < V; ++j) {
      acc[i][j] = Vec::all(0);
    }
  }
  if (t.start == Start::rows) {
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < V; ++j) {
        acc[i][j] = Vec::all(t.init[i]);
      }
    }
  } else if (t.start == Start::values) {
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < V; ++j) {
        acc[i][j] = Vec::load(t.init + i * t.init_step + j * kLanes);
      }
    }
  }
  // Rows of the result are far apart, too many streams for a processor to
  // foresee where it will write.
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < V * kLanes; j += kLanes < 16 ? 16 : kLanes) {
      __builtin_prefetch(t.c + i * t.c_step + j, 1, 3);
    }
  }
  const float* b = t.b;
  // Steps of a that were left where they are, may be far from each other, and
  // in the cache of the processor that wrote them.
  constexpr int64_t kSoon = 16;
  const bool is_apart = t.a_step > R;
  const int64_t a_step = t.a_step, b_step = t.b_step;
  const float* ahead = t.ahead != nullptr ? t.ahead : b;
  const int64_t ahead_step = t.ahead != nullptr ? t.ahead_step : b_step;
  for (int64_t k = 0; k < t.k; ++k) {
    const float* a = t.a + (kOffsets ? t.a_offsets[k] : k * a_step);
    if (!kOffsets && is_apart) {
      __builtin_prefetch(a + kSoon * a_step);
      __builtin_prefetch(a + kSoon * a_step + R - 1);
    }
    Vec x[V];
#pragma GCC unroll 4
    for (int j = 0; j < V; ++j) {
      x[j] = Vec::load(b + j * kLanes);
      if (j * kLanes % 16 == 0) {  // a cache line
        __builtin_prefetch(ahead + j * kLanes, 0, 2);
      }
    }
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
      const Vec y = Vec::all(a[i]);
#pragma GCC unroll 4
      for (int j = 0; j < V; ++j) {
        acc[i][j] = fma(y, x[j], acc[i][j]);
      }
    }
    b += b_step;
    ahead += ahead_step;
  }
  if (t.clamp != nullptr) {
    const Vec low = Vec::all(t.clamp[0]);
    const Vec high = Vec::all(t.clamp[1]);
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < V; ++j) {
        acc[i][j] = at_most(at_least(acc[i][j], low), high);
      }
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < V; ++j) {
      acc[i][j].store(t.c + i * t.c_step + j * kLanes);
    }
  }
}

// One micro-kernel for every size of tile up to the largest.
using TileFn = void (*)(const Tile<float>&);
struct TileTable {
  TileFn of[2][kVectors][kRows];
};
template <int R, int V>
constexpr void fill(TileTable& table) {
  table.of[0][V - 1][R - 1] = tile<R, V, false>;
  table.of[1][V - 1][R - 1] = tile<R, V, true>;
  if constexpr (R > 1) {
    fill<R - 1, V>(table);
  } else if constexpr (V > 1) {
    fill<kRows, V - 1>(table);
  }
}
constexpr TileTable make_table() {
  TileTable table{};
  fill<kRows, kVectors>(table);
  return table;
}
constexpr TileTable kTiles = make_table();

void any_tile(const Tile<float>& t) {
  kTiles.of[t.a_offsets != nullptr][t.vectors - 1][t.rows - 1](t);
}

// How items of a right operand become floats.
struct F32 {
  using Item = float;
  static Vec load(const float* p) { return Vec::load(p); }
};
struct BF16 {
  using Item = uint16_t;
  static Vec load(const uint16_t* p) { return widen_bf16(p); }
};
#if defined(ET_WIDENS_F16)
struct F16 {
  using Item = uint16_t;
  static Vec load(const uint16_t* p) { return widen_f16(p); }
};
#endif

// R rows against J columns at a time.
template <class From, int R, int J>
void dots_block(const Dots& d, const typename From::Item* b, float* out) {
  using Item = typename From::Item;
  Vec sums[R][J];
#pragma GCC unroll 4
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < J; ++j) {
      sums[i][j] = Vec::all(0);
    }
  }
  const auto step = [&](int64_t k, const Item* const from[J]) {
    Vec x[J];
#pragma GCC unroll 4
    for (int j = 0; j < J; ++j) {
      x[j] = From::load(from[j]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < R; ++i) {
      const Vec y = Vec::load(d.a + i * d.a_step + k);
#pragma GCC unroll 4
      for (int j = 0; j < J; ++j) {
        sums[i][j] = fma(y, x[j], sums[i][j]);
      }
    }
  };
  const Item* from[J];
  int64_t k = 0;
  for (; k + kLanes <= d.k; k += kLanes) {
#pragma GCC unroll 4
    for (int j = 0; j < J; ++j) {
      from[j] = b + j * d.b_step + k;
    }
    step(k, from);
  }
  if (k < d.k) {
    Item rest[J][kLanes] = {};
    for (int j = 0; j < J; ++j) {
      __builtin_memcpy(rest[j], b + j * d.b_step + k, sizeof(Item) * (d.k - k));
      from[j] = rest[j];
    }
    step(k, from);
  }
#pragma GCC unroll 4
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < J; ++j) {
      out[i * d.out_step + j] = sum(sums[i][j]);
    }
  }
}

template <class From, int R>
void dots_rows(const Dots& d) {
  const auto* b = static_cast<const typename From::Item*>(d.b);
  int64_t j = 0;
  for (; j + 4 <= d.count; j += 4) {
    dots_block<From, R, 4>(d, b + j * d.b_step, d.out + j);
  }
  for (; j < d.count; ++j) {
    dots_block<From, R, 1>(d, b + j * d.b_step, d.out + j);
  }
}

template <class From>
void dots(const Dots& d) {
  constexpr void (*kRows[])(const Dots&) = {
      dots_rows<From, 1>, dots_rows<From, 2>, dots_rows<From, 3>,
      dots_rows<From, 4>};
  kRows[d.rows - 1](d);
}

// Four rows at a time through 4x4 transposes. Rows that are left over come
// first and write four items as well; the rows before them then overwrite what
// was written too far.
void pack_four_rows(float* dst, int64_t step, const float* const src[4],
                    int64_t rows, int64_t depth) {
  int64_t k = 0;
#if defined(__x86_64__)
  for (; k + 4 <= depth; k += 4) {
    __m128 r0 = _mm_loadu_ps(src[0] + k), r1 = _mm_loadu_ps(src[1] + k);
    __m128 r2 = _mm_loadu_ps(src[2] + k), r3 = _mm_loadu_ps(src[3] + k);
    const __m128 t0 = _mm_unpacklo_ps(r0, r1), t1 = _mm_unpackhi_ps(r0, r1);
    const __m128 t2 = _mm_unpacklo_ps(r2, r3), t3 = _mm_unpackhi_ps(r2, r3);
    _mm_storeu_ps(dst + (k + 0) * step, _mm_movelh_ps(t0, t2));
    _mm_storeu_ps(dst + (k + 1) * step, _mm_movehl_ps(t2, t0));
    _mm_storeu_ps(dst + (k + 2) * step, _mm_movelh_ps(t1, t3));
    _mm_storeu_ps(dst + (k + 3) * step, _mm_movehl_ps(t3, t1));
  }
#elif defined(__aarch64__)
  for (; k + 4 <= depth; k += 4) {
    const float32x4x2_t p =
        vtrnq_f32(vld1q_f32(src[0] + k), vld1q_f32(src[1] + k));
    const float32x4x2_t q =
        vtrnq_f32(vld1q_f32(src[2] + k), vld1q_f32(src[3] + k));
    float* d = dst + k * step;
    vst1q_f32(d, vcombine_f32(vget_low_f32(p.val[0]), vget_low_f32(q.val[0])));
    vst1q_f32(d + step,
              vcombine_f32(vget_low_f32(p.val[1]), vget_low_f32(q.val[1])));
    vst1q_f32(d + 2 * step,
              vcombine_f32(vget_high_f32(p.val[0]), vget_high_f32(q.val[0])));
    vst1q_f32(d + 3 * step,
              vcombine_f32(vget_high_f32(p.val[1]), vget_high_f32(q.val[1])));
  }
#endif
  for (; k < depth; ++k) {
    for (int64_t i = 0; i < rows; ++i) {
      dst[k * step + i] = src[i][k];
    }
  }
}

void pack_rows(float* dst, int64_t step, const float* src, int64_t src_step,
               int64_t rows, int64_t depth) {
  for (int64_t i = (rows - 1) / 4 * 4; i >= 0; i -= 4) {
    const int64_t count = rows - i < 4 ? rows - i : 4;
    const float* from[4];
    for (int64_t r = 0; r < 4; ++r) {
      from[r] = src + (i + (r < count ? r : 0)) * src_step;
    }
    pack_four_rows(dst + i, step, from, count, depth);
  }
}

// One vector of a row, from here to there.
struct Piece {
  int64_t from;
  int64_t to;
};

// P pieces of each row; their places stay in registers.
template <int P>
void pack_pieces(float* dst, int64_t step, const float* src,
                 const int64_t* offsets, int64_t depth, const Piece* pieces) {
  const float* from[P];
  float* to[P];
#pragma GCC unroll 8
  for (int p = 0; p < P; ++p) {
    from[p] = src + pieces[p].from;
    to[p] = dst + pieces[p].to;
  }
  for (int64_t k = 0; k < depth; ++k) {
    const int64_t offset = offsets[k];
#pragma GCC unroll 8
    for (int p = 0; p < P; ++p) {
      Vec::load(from[p] + offset).store(to[p] + k * step);
    }
  }
}

using PackPieces = void (*)(float*, int64_t, const float*, const int64_t*,
                            int64_t, const Piece*);
constexpr PackPieces kPackPieces[] = {
    pack_pieces<1>, pack_pieces<2>, pack_pieces<3>, pack_pieces<4>,
    pack_pieces<5>, pack_pieces<6>, pack_pieces<7>, pack_pieces<8>};
constexpr int64_t kMostPieces = 64;  // no panel is wider than that

// What a vector writes past the end of its run, the next one overwrites.
void pack_runs(float* dst, int64_t step, const float* src,
               const int64_t* offsets, int64_t depth, const Run* runs,
               int64_t num_runs) {
  Piece pieces[kMostPieces];
  int64_t count = 0;
  for (int64_t r = 0; r < num_runs; ++r) {
    for (int32_t i = 0; i < runs[r].length; i += kLanes) {
      pieces[count++] = {runs[r].from + i, runs[r].to + i};
    }
  }
  if (count <= 8) {
    kPackPieces[count - 1](dst, step, src, offsets, depth, pieces);
    return;
  }
  for (int64_t k = 0; k < depth; ++k) {
    for (int64_t p = 0; p < count; ++p) {
      Vec::load(src + offsets[k] + pieces[p].from)
          .store(dst + k * step + pieces[p].to);
    }
  }
}

}  // namespace

#define ET_PASTE_(a, b) a##b
#define ET_PASTE(a, b) ET_PASTE_(a, b)

extern const Sgemm ET_PASTE(sgemm_, ET_ISA);
const Sgemm ET_PASTE(sgemm_, ET_ISA) = {
    cpu::Isa::ET_ISA,
    {kRows, kVectors, kLanes, any_tile, pack_rows, pack_runs},
    dots<F32>,
#if defined(ET_WIDENS_F16)
    dots<F16>,
#else
    nullptr,
#endif
    dots<BF16>};

}  // namespace executorch::kernels::gemm
