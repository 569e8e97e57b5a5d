// AVX2 kernels of q8.h.
//
// The byte product is of unsigned and signed bytes: of 4-bit weights the stored
// q + 8 is the unsigned one, so the sums come out too large by 8 sum(a).
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
  return _mm256_sub_epi32(times(sums, t.zeros[row]),
                          _mm256_set1_epi32(t.starts[row][g]));
}

// Sums of up to 4 chunks fit 16 bits: 8 products pairs of at most 3840.
template <int R>
void rows4(const Q8Tile& t, const uint8_t* w, int64_t column) {
  const __m256i nibble = _mm256_set1_epi8(15);
  const __m256i ones = _mm256_set1_epi16(1);
  __m256 results[R] = {};
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
    _mm256_storeu_ps(t.out[r] + column, results[r]);
  }
}

// 16 bits hold one product: columns 0-1, 2-3, 4-5, 6-7 by 8 steps each.
void row8(const Q8Tile& t, int r, const uint8_t* w, int64_t column) {
  const __m256i order = _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0);
  __m256 results = _mm256_setzero_ps();
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
    results = add_group(results, dots, times(end.sums, t.zeros[r]), end.scales,
                        t.scales[r]);
  }
  _mm256_storeu_ps(t.out[r] + column, results);
}

void tile4(const Q8Tile& t, int rows, int64_t panels) {
  using Function = void(const Q8Tile&, const uint8_t*, int64_t);
  constexpr Function* kFunctions[] = {rows4<1>, rows4<2>, rows4<3>, rows4<4>};
  for (int64_t p = 0; p < panels; ++p) {
    kFunctions[rows - 1](t, t.weights + p * t.panel_bytes, 8 * p);
  }
}
void tile8(const Q8Tile& t, int rows, int64_t panels) {
  for (int64_t p = 0; p < panels; ++p) {
    for (int r = 0; r < rows; ++r) {
      row8(t, r, t.weights + p * t.panel_bytes, 8 * p);
    }
  }
}

}  // namespace

extern const Q8Kernels ET_PASTE(q8_, ET_ISA);
const Q8Kernels ET_PASTE(q8_, ET_ISA) = {
    cpu::Isa::ET_ISA, {4, tile4}, {4, tile8}, quantize};

}  // namespace executorch::kernels::gemm
