// AVX2 and AVX512-VNNI kernels of q8.h.
//
// Both keep the product of unsigned and signed bytes: of 4-bit weights the
// stored q + 8 is the unsigned one, so the sums come out too large by 8 sum(a);
// for 8-bit weights with VNNI it is a + 128, which adds 128 sum(q).
//
// Compiled with -DET_ISA=<name>; includes nothing with inline functions but
// intrinsics.
#include <immintrin.h>

#include "kernels/optimized/gemm/q8_quantize.h"

namespace executorch::kernels::gemm {
namespace {

// r += (weight scales * scale) * float(dots - correction), for 8 columns.
inline __m256 add_group(__m256 results, __m256i dots, __m256i correction,
                        __m256 weight_scales, float scale) {
  const __m256 d = _mm256_cvtepi32_ps(_mm256_sub_epi32(dots, correction));
  const __m256 s = _mm256_mul_ps(weight_scales, _mm256_set1_ps(scale));
  return _mm256_add_ps(results, _mm256_mul_ps(s, d));
}

// What follows the chunks of a group.
struct GroupEnd {
  __m256 scales;
  __m256i sums;
};
inline GroupEnd group_end(const uint8_t* at) {
  return {_mm256_loadu_ps(reinterpret_cast<const float*>(at)),
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + 32))};
}

inline __m256i times(__m256i x, int32_t y) {
  return _mm256_mullo_epi32(x, _mm256_set1_epi32(y));
}

// The sums of 4-bit weights are of q + 8.
inline __m256i correction4(const Q8Tile& t, int row, int64_t g, __m256i sums) {
  return _mm256_add_epi32(times(sums, t.zeros[row]),
                          _mm256_set1_epi32(8 * t.sums[row][g]));
}

#if defined(__AVX512VNNI__)

inline __m256i halves(__m512i x) {
  return _mm256_add_epi32(_mm512_castsi512_si256(x),
                          _mm512_extracti64x4_epi64(x, 1));
}

// One register holds a chunk: 16-byte lanes of 2 columns by 8 steps, of the
// columns 0-1, 4-5 (low nibbles) or 2-3, 6-7 (high), for both halves of k.
template <int R, int P>
void tile4(const Q8Tile& t) {
  const __m512i nibble = _mm512_set1_epi8(15);
  const __m512i spread = _mm512_set_epi64(1, 1, 1, 1, 0, 0, 0, 0);
  __m256 results[R][P] = {};
  const uint8_t* w = t.weights;
  int64_t k = 0;
  for (int64_t g = 0; g < t.groups; ++g) {
    __m512i low[R][P] = {}, high[R][P] = {};
    for (int64_t c = 0; c < t.chunks; ++c, w += 64, k += 16) {
      __m512i wl[P], wh[P];
      for (int p = 0; p < P; ++p) {
        const __m512i x = _mm512_loadu_si512(w + p * t.panel_bytes);
        wl[p] = _mm512_and_si512(x, nibble);
        wh[p] = _mm512_and_si512(_mm512_srli_epi16(x, 4), nibble);
      }
      for (int r = 0; r < R; ++r) {
        const __m128i part =
            _mm_loadu_si128(reinterpret_cast<const __m128i*>(t.a[r] + k));
        const __m512i a =
            _mm512_permutexvar_epi64(spread, _mm512_castsi128_si512(part));
        for (int p = 0; p < P; ++p) {
          low[r][p] = _mm512_dpbusd_epi32(low[r][p], wl[p], a);
          high[r][p] = _mm512_dpbusd_epi32(high[r][p], wh[p], a);
        }
      }
    }
    for (int p = 0; p < P; ++p) {
      const GroupEnd end = group_end(w + p * t.panel_bytes);
      for (int r = 0; r < R; ++r) {
        const __m256i dots =
            _mm256_hadd_epi32(halves(low[r][p]), halves(high[r][p]));
        results[r][p] =
            add_group(results[r][p], dots, correction4(t, r, g, end.sums),
                      end.scales, t.scales[r]);
      }
    }
    w += 64;
  }
  for (int r = 0; r < R; ++r) {
    for (int p = 0; p < P; ++p) {
      _mm256_storeu_ps(t.out[r] + 8 * p, results[r][p]);
    }
  }
}

template <int R, int P>
void tile8(const Q8Tile& t) {
  const __m512i sign = _mm512_set1_epi8(-128);
  const __m256i order = _mm256_set_epi32(7, 6, 3, 2, 5, 4, 1, 0);
  __m256 results[R][P] = {};
  const uint8_t* w = t.weights;
  int64_t k = 0;
  for (int64_t g = 0; g < t.groups; ++g) {
    __m512i acc[R][P] = {};
    for (int64_t h = 0; h < 2 * t.chunks; ++h, w += 64, k += 8) {
      __m512i q[P];
      for (int p = 0; p < P; ++p) {
        q[p] = _mm512_loadu_si512(w + p * t.panel_bytes);
      }
      for (int r = 0; r < R; ++r) {
        int64_t part;
        __builtin_memcpy(&part, t.a[r] + k, sizeof(part));
        const __m512i a = _mm512_xor_si512(_mm512_set1_epi64(part), sign);
        for (int p = 0; p < P; ++p) {
          acc[r][p] = _mm512_dpbusd_epi32(acc[r][p], a, q[p]);
        }
      }
    }
    for (int p = 0; p < P; ++p) {
      const GroupEnd end = group_end(w + p * t.panel_bytes);
      for (int r = 0; r < R; ++r) {
        const __m256i pairs =
            _mm256_hadd_epi32(_mm512_castsi512_si256(acc[r][p]),
                              _mm512_extracti64x4_epi64(acc[r][p], 1));
        const __m256i dots = _mm256_permutevar8x32_epi32(pairs, order);
        results[r][p] =
            add_group(results[r][p], dots, times(end.sums, 128 + t.zeros[r]),
                      end.scales, t.scales[r]);
      }
    }
    w += 64;
  }
  for (int r = 0; r < R; ++r) {
    for (int p = 0; p < P; ++p) {
      _mm256_storeu_ps(t.out[r] + 8 * p, results[r][p]);
    }
  }
}

constexpr int kRows = 4, kPanels = 2;

#else  // AVX2

// Sums of up to 4 chunks fit 16 bits: 8 products pairs of at most 3840.
template <int R, int P>
void tile4(const Q8Tile& t) {
  static_assert(P == 1, "the registers are few");
  const __m256i nibble = _mm256_set1_epi8(15);
  const __m256i ones = _mm256_set1_epi16(1);
  __m256 results[R] = {};
  const uint8_t* w = t.weights;
  int64_t k = 0;
  for (int64_t g = 0; g < t.groups; ++g) {
    __m256i dots[R] = {};
    for (int64_t c = 0; c < t.chunks;) {
      const int64_t stop = t.chunks - c < 4 ? t.chunks : c + 4;
      __m256i low[R] = {}, high[R] = {};
      for (; c < stop; ++c) {
        for (int half = 0; half < 2; ++half, w += 32, k += 8) {
          const __m256i x =
              _mm256_loadu_si256(reinterpret_cast<const __m256i*>(w));
          const __m256i wl = _mm256_and_si256(x, nibble);
          const __m256i wh = _mm256_and_si256(_mm256_srli_epi16(x, 4), nibble);
          for (int r = 0; r < R; ++r) {
            int64_t part;
            __builtin_memcpy(&part, t.a[r] + k, sizeof(part));
            const __m256i a = _mm256_set1_epi64x(part);
            low[r] = _mm256_add_epi16(low[r], _mm256_maddubs_epi16(wl, a));
            high[r] = _mm256_add_epi16(high[r], _mm256_maddubs_epi16(wh, a));
          }
        }
      }
      for (int r = 0; r < R; ++r) {
        dots[r] = _mm256_add_epi32(
            dots[r], _mm256_hadd_epi32(_mm256_madd_epi16(low[r], ones),
                                       _mm256_madd_epi16(high[r], ones)));
      }
    }
    const GroupEnd end = group_end(w);
    w += 64;
    for (int r = 0; r < R; ++r) {
      results[r] =
          add_group(results[r], dots[r], correction4(t, r, g, end.sums),
                    end.scales, t.scales[r]);
    }
  }
  for (int r = 0; r < R; ++r) {
    _mm256_storeu_ps(t.out[r], results[r]);
  }
}

// 16 bits hold one product: columns 0-1, 2-3, 4-5, 6-7 by 8 steps each.
template <int R, int P>
void tile8(const Q8Tile& t) {
  static_assert(P == 1, "the registers are few");
  const __m256i order = _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0);
  for (int r = 0; r < R; ++r) {
    __m256 results = _mm256_setzero_ps();
    const uint8_t* w = t.weights;
    const int8_t* a = t.a[r];
    for (int64_t g = 0; g < t.groups; ++g) {
      __m256i acc[4] = {};
      for (int64_t h = 0; h < 2 * t.chunks; ++h, a += 8) {
        const __m256i wide = _mm256_broadcastsi128_si256(_mm_cvtepi8_epi16(
            _mm_loadl_epi64(reinterpret_cast<const __m128i*>(a))));
        for (int c = 0; c < 4; ++c, w += 16) {
          const __m256i q = _mm256_cvtepi8_epi16(
              _mm_loadu_si128(reinterpret_cast<const __m128i*>(w)));
          acc[c] = _mm256_add_epi32(acc[c], _mm256_madd_epi16(q, wide));
        }
      }
      const __m256i dots = _mm256_permutevar8x32_epi32(
          _mm256_hadd_epi32(_mm256_hadd_epi32(acc[0], acc[1]),
                            _mm256_hadd_epi32(acc[2], acc[3])),
          order);
      const GroupEnd end = group_end(w);
      w += 64;
      results = add_group(results, dots, times(end.sums, t.zeros[r]),
                          end.scales, t.scales[r]);
    }
    _mm256_storeu_ps(t.out[r], results);
  }
}

constexpr int kRows = 4, kPanels = 1;

#endif

template <int P>
void tile4_rows(const Q8Tile& t, int rows) {
  switch (rows) {
    case 1:
      return tile4<1, P>(t);
    case 2:
      return tile4<2, P>(t);
    case 3:
      return tile4<3, P>(t);
    default:
      return tile4<4, P>(t);
  }
}
template <int P>
void tile8_rows(const Q8Tile& t, int rows) {
  switch (rows) {
    case 1:
      return tile8<1, P>(t);
    case 2:
      return tile8<2, P>(t);
    case 3:
      return tile8<3, P>(t);
    default:
      return tile8<4, P>(t);
  }
}
void tile_bits4(const Q8Tile& t, int rows, int panels) {
  panels == kPanels ? tile4_rows<kPanels>(t, rows) : tile4_rows<1>(t, rows);
}
void tile_bits8(const Q8Tile& t, int rows, int panels) {
  panels == kPanels ? tile8_rows<kPanels>(t, rows) : tile8_rows<1>(t, rows);
}

}  // namespace

extern const Q8Kernels ET_PASTE(q8_, ET_ISA);
const Q8Kernels ET_PASTE(q8_, ET_ISA) = {cpu::Isa::ET_ISA,
                                         {kRows, kPanels, tile_bits4},
                                         {kRows, kPanels, tile_bits8},
                                         quantize};

}  // namespace executorch::kernels::gemm
