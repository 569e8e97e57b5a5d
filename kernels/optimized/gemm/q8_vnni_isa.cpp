// AVX512-VNNI kernels of q8.h.
//
// The instruction multiplies unsigned with signed bytes: of 4-bit weights the
// stored q + 8 is the unsigned one, so sums come out too large by 8 sum(a); for
// 8-bit weights it is a + 128, which adds 128 sum(q).
//
// Compiled with -DET_ISA=<name>; includes nothing with inline functions but
// intrinsics.
#include <immintrin.h>

#include "kernels/optimized/gemm/q8_quantize.h"

namespace executorch::kernels::gemm {
namespace {

// Two panels, 16 columns. Of a single panel the second is the first once more.
// kLong: these two and the next two do not fit the first level cache.
template <bool kLong>
struct Panels {
  Panels(const Q8Tile& t, int64_t first, int64_t count)
      : at(t.weights + first * t.panel_bytes),
        both(first + 1 < count),
        other(both ? t.panel_bytes : 0),
        next(2 * t.panel_bytes),
        column(8 * first) {}

  // Fetches the same place of the next two panels, too: the processor does not
  // foresee what is beyond a page.
  __m512i load(int panel) const {
    const uint8_t* from = at + panel * other;
    if constexpr (kLong) {
      _mm_prefetch(reinterpret_cast<const char*>(from + next), _MM_HINT_T1);
      _mm_prefetch(reinterpret_cast<const char*>(from + 1024), _MM_HINT_T0);
    } else {
      _mm_prefetch(reinterpret_cast<const char*>(from + next), _MM_HINT_T0);
    }
    return _mm512_loadu_si512(from);
  }
  void store(float* out, __m512 results) const {
    if (both) {
      _mm512_storeu_ps(out + column, results);
    } else {
      _mm256_storeu_ps(out + column, _mm512_castps512_ps256(results));
    }
  }

  const uint8_t* at;
  bool both;
  int64_t other, next, column;
};

// What follows the chunks of a group.
struct GroupEnd {
  template <bool kLong>
  explicit GroupEnd(const Panels<kLong>& w) {
    const __m512i x = w.load(0), y = w.load(1);
    scales = _mm512_castsi512_ps(_mm512_shuffle_i64x2(x, y, 0x44));
    sums = _mm512_shuffle_i64x2(x, y, 0xee);
  }
  // r += (weight scales * scale) * float(dots - zero * sums)
  __m512 add(__m512 results, __m512i dots, __m512i zero, __m512 scale) const {
    const __m512i zeros = _mm512_mullo_epi32(sums, zero);
    const __m512 d = _mm512_cvtepi32_ps(_mm512_sub_epi32(dots, zeros));
    return _mm512_add_ps(results,
                         _mm512_mul_ps(_mm512_mul_ps(scales, scale), d));
  }

  __m512 scales;
  __m512i sums;
};

// Sums of neighbours, of x in the lower half of each lane, of y in the upper.
inline __m512i add_pairs(__m512i x, __m512i y) {
  const __m512 a = _mm512_castsi512_ps(x), b = _mm512_castsi512_ps(y);
  return _mm512_add_epi32(_mm512_castps_si512(_mm512_shuffle_ps(a, b, 0x88)),
                          _mm512_castps_si512(_mm512_shuffle_ps(a, b, 0xdd)));
}

// The columns of 4 bits that stand in high nibbles: 2, 3, 6, 7 of a panel.
inline __m512i nibble_shifts() {
  return _mm512_set_epi32(4, 4, 0, 0, 4, 4, 0, 0, 4, 4, 0, 0, 4, 4, 0, 0);
}

// A register gets 4 steps of 16 columns, so that a sum is of one column: the
// words (4 steps) of 8 columns stand twice in it, once for each nibble.
template <int R, bool kLong>
void rows4(const Q8Tile& t, Panels<kLong> w) {
  const __m512i nibble = _mm512_set1_epi8(15);
  const __m512i shifts = nibble_shifts();
  __m512 results[R] = {};
  const int8_t* a[R];
  for (int r = 0; r < R; ++r) {
    a[r] = t.a[r];
  }
  int64_t k = 0;
  for (int64_t g = 0; g < t.groups; ++g) {
    __m512i acc[R];
    for (int r = 0; r < R; ++r) {
      acc[r] = _mm512_set1_epi32(t.starts[r][g]);
    }
    for (int64_t c = 0; c < t.chunks; ++c, w.at += 64) {
      const __m512i x = w.load(0), y = w.load(1);
      for (int step = 0; step < 4; ++step, k += 4) {
        const int i = step / 2 * 8 + step % 2;
        const __m512i words = _mm512_set_epi32(
            i + 22, i + 20, i + 22, i + 20, i + 18, i + 16, i + 18, i + 16,
            i + 6, i + 4, i + 6, i + 4, i + 2, i, i + 2, i);
        const __m512i q = _mm512_and_si512(
            _mm512_srlv_epi32(_mm512_permutex2var_epi32(x, words, y), shifts),
            nibble);
        for (int r = 0; r < R; ++r) {
          int32_t part;
          __builtin_memcpy(&part, a[r] + k, sizeof(part));
          acc[r] = _mm512_dpbusd_epi32(acc[r], q, _mm512_set1_epi32(part));
        }
      }
    }
    const GroupEnd end(w);
    w.at += 64;
    for (int r = 0; r < R; ++r) {
      results[r] = end.add(results[r], acc[r], _mm512_set1_epi32(t.zeros[r]),
                           _mm512_set1_ps(t.scales[r]));
    }
  }
  for (int r = 0; r < R; ++r) {
    w.store(t.out[r], results[r]);
  }
}

// The same for one row, which nothing shares the work of sorting with: sums are
// of words in the order of the panels. From the sum of whole bytes, u + 16 v,
// the one of u is taken off, which leaves 16 times the one of v.
template <bool kLong>
void row4(const Q8Tile& t, Panels<kLong> w) {
  const __m512i nibble = _mm512_set1_epi8(15);
  const __m512i spread = _mm512_set_epi64(1, 1, 1, 1, 0, 0, 0, 0);
  const __m512i shifts = nibble_shifts();
  const __m512i zero = _mm512_set1_epi32(t.zeros[0]);
  const __m512 scale = _mm512_set1_ps(t.scales[0]);
  __m512 results = _mm512_setzero_ps();
  const int8_t* a = t.a[0];
  for (int64_t g = 0; g < t.groups; ++g) {
    const __m512i none = _mm512_setzero_si512();
    __m512i low0 = none, low1 = none, all0 = none, all1 = none;
    for (int64_t c = 0; c < t.chunks; ++c, w.at += 64, a += 16) {
      const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a));
      const __m512i x =
          _mm512_permutexvar_epi64(spread, _mm512_castsi128_si512(part));
      const __m512i q0 = w.load(0), q1 = w.load(1);
      low0 = _mm512_dpbusd_epi32(low0, _mm512_and_si512(q0, nibble), x);
      low1 = _mm512_dpbusd_epi32(low1, _mm512_and_si512(q1, nibble), x);
      all0 = _mm512_dpbusd_epi32(all0, q0, x);
      all1 = _mm512_dpbusd_epi32(all1, q1, x);
    }
    const __m512i first = add_pairs(low0, _mm512_sub_epi32(all0, low0));
    const __m512i second = add_pairs(low1, _mm512_sub_epi32(all1, low1));
    const __m512i sums =
        _mm512_add_epi32(_mm512_shuffle_i64x2(first, second, 0x44),
                         _mm512_shuffle_i64x2(first, second, 0xee));
    const __m512i dots = _mm512_add_epi32(_mm512_srav_epi32(sums, shifts),
                                          _mm512_set1_epi32(t.starts[0][g]));
    results = GroupEnd(w).add(results, dots, zero, scale);
    w.at += 64;
  }
  w.store(t.out[0], results);
}

template <int R, bool kLong>
void rows8(const Q8Tile& t, Panels<kLong> w) {
  const __m512i sign = _mm512_set1_epi8(-128);
  const __m512i order = _mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0);
  __m512 results[R] = {};
  int64_t k = 0;
  for (int64_t g = 0; g < t.groups; ++g) {
    __m512i acc[R][2] = {};
    for (int64_t h = 0; h < 2 * t.chunks; ++h, w.at += 64, k += 8) {
      const __m512i q[] = {w.load(0), w.load(1)};
      for (int r = 0; r < R; ++r) {
        int64_t part;
        __builtin_memcpy(&part, t.a[r] + k, sizeof(part));
        const __m512i a = _mm512_xor_si512(_mm512_set1_epi64(part), sign);
        for (int p = 0; p < 2; ++p) {
          acc[r][p] = _mm512_dpbusd_epi32(acc[r][p], a, q[p]);
        }
      }
    }
    const GroupEnd end(w);
    w.at += 64;
    for (int r = 0; r < R; ++r) {
      const __m512i dots =
          _mm512_permutexvar_epi64(order, add_pairs(acc[r][0], acc[r][1]));
      results[r] =
          end.add(results[r], dots, _mm512_set1_epi32(128 + t.zeros[r]),
                  _mm512_set1_ps(t.scales[r]));
    }
  }
  for (int r = 0; r < R; ++r) {
    w.store(t.out[r], results[r]);
  }
}

template <bool kLong>
using Function = void(const Q8Tile&, Panels<kLong>);
template <bool kLong>
struct Bits4 {
  static constexpr Function<kLong>* kRows[] = {
      row4<kLong>,     rows4<2, kLong>, rows4<3, kLong>, rows4<4, kLong>,
      rows4<5, kLong>, rows4<6, kLong>, rows4<7, kLong>, rows4<8, kLong>};
};
template <bool kLong>
struct Bits8 {
  static constexpr Function<kLong>* kRows[] = {
      rows8<1, kLong>, rows8<2, kLong>, rows8<3, kLong>, rows8<4, kLong>};
};

template <template <bool> class Bits, bool kLong>
void run(const Q8Tile& t, int rows, int64_t panels) {
  for (int64_t p = 0; p < panels; p += 2) {
    Bits<kLong>::kRows[rows - 1](t, Panels<kLong>(t, p, panels));
  }
}
template <template <bool> class Bits>
void tile(const Q8Tile& t, int rows, int64_t panels) {
  constexpr int64_t kFirstLevel = 48 * 1024;
  4 * t.panel_bytes > kFirstLevel ? run<Bits, true>(t, rows, panels)
                                  : run<Bits, false>(t, rows, panels);
}

}  // namespace

extern const Q8Kernels ET_PASTE(q8_, ET_ISA);
const Q8Kernels ET_PASTE(q8_, ET_ISA) = {
    cpu::Isa::ET_ISA, {8, tile<Bits4>}, {4, tile<Bits8>}, quantize};

}  // namespace executorch::kernels::gemm
