// Sixteen integers of any width in memory, as 32-bit ones in registers, for
// each instruction set. Included by loops_isa.cpp only.
#pragma once

#include "kernels/quantized/vec/lanes.h"

namespace executorch::kernels::vec {
namespace {

struct Int32Block {
  I r[kRegisters];
};

// Sixteen integers from memory, and back; what is cut off is lost.
#if defined(__AVX512F__)

Int32Block load(const uint8_t* p) {
  return {_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i*)p))};
}
Int32Block load(const int8_t* p) {
  return {_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i*)p))};
}
Int32Block load(const uint16_t* p) {
  return {_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i*)p))};
}
Int32Block load(const int16_t* p) {
  return {_mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i*)p))};
}
Int32Block load(const int32_t* p) { return {_mm512_loadu_si512(p)}; }

void store(int8_t* p, const Int32Block& a) {
  _mm_storeu_si128((__m128i*)p, _mm512_cvtepi32_epi8(a.r[0]));
}
void store(int16_t* p, const Int32Block& a) {
  _mm256_storeu_si256((__m256i*)p, _mm512_cvtepi32_epi16(a.r[0]));
}
void store(int32_t* p, const Int32Block& a) { _mm512_storeu_si512(p, a.r[0]); }
void store(uint8_t* p, const Int32Block& a) { store((int8_t*)p, a); }
void store(uint16_t* p, const Int32Block& a) { store((int16_t*)p, a); }

#elif defined(__x86_64__)

__m128i load_bytes(const void* p) { return _mm_loadu_si128((const __m128i*)p); }
void store_bytes(void* p, __m128i a) { _mm_storeu_si128((__m128i*)p, a); }

#if defined(__AVX2__)

__m128i load_half(const void* p) { return _mm_loadl_epi64((const __m128i*)p); }

Int32Block load(const uint8_t* p) {
  return {{_mm256_cvtepu8_epi32(load_half(p)),
           _mm256_cvtepu8_epi32(load_half(p + 8))}};
}
Int32Block load(const int8_t* p) {
  return {{_mm256_cvtepi8_epi32(load_half(p)),
           _mm256_cvtepi8_epi32(load_half(p + 8))}};
}
Int32Block load(const uint16_t* p) {
  return {{_mm256_cvtepu16_epi32(load_bytes(p)),
           _mm256_cvtepu16_epi32(load_bytes(p + 8))}};
}
Int32Block load(const int16_t* p) {
  return {{_mm256_cvtepi16_epi32(load_bytes(p)),
           _mm256_cvtepi16_epi32(load_bytes(p + 8))}};
}
Int32Block load(const int32_t* p) {
  return {{_mm256_loadu_si256((const __m256i*)p),
           _mm256_loadu_si256((const __m256i*)(p + 8))}};
}

// Packing works within halves of a register; this puts quarters in order.
__m256i in_order(__m256i packed) {
  return _mm256_permute4x64_epi64(packed, 0xd8);
}
__m256i to_int16(const Int32Block& a) {
  return in_order(_mm256_packs_epi32(a.r[0], a.r[1]));
}
void store(int8_t* p, const Int32Block& a) {
  const __m256i v = to_int16(a);
  store_bytes(p, _mm_packs_epi16(_mm256_castsi256_si128(v),
                                 _mm256_extracti128_si256(v, 1)));
}
void store(uint8_t* p, const Int32Block& a) {
  const __m256i v = to_int16(a);
  store_bytes(p, _mm_packus_epi16(_mm256_castsi256_si128(v),
                                  _mm256_extracti128_si256(v, 1)));
}
void store(int16_t* p, const Int32Block& a) {
  _mm256_storeu_si256((__m256i*)p, to_int16(a));
}
void store(uint16_t* p, const Int32Block& a) {
  _mm256_storeu_si256((__m256i*)p,
                      in_order(_mm256_packus_epi32(a.r[0], a.r[1])));
}
void store(int32_t* p, const Int32Block& a) {
  _mm256_storeu_si256((__m256i*)p, a.r[0]);
  _mm256_storeu_si256((__m256i*)(p + 8), a.r[1]);
}

#else

Int32Block widen_unsigned(__m128i a, __m128i b) {
  const __m128i zero = _mm_setzero_si128();
  return {{_mm_unpacklo_epi16(a, zero), _mm_unpackhi_epi16(a, zero),
           _mm_unpacklo_epi16(b, zero), _mm_unpackhi_epi16(b, zero)}};
}
Int32Block widen_signed(__m128i a, __m128i b) {
  return {{_mm_srai_epi32(_mm_unpacklo_epi16(a, a), 16),
           _mm_srai_epi32(_mm_unpackhi_epi16(a, a), 16),
           _mm_srai_epi32(_mm_unpacklo_epi16(b, b), 16),
           _mm_srai_epi32(_mm_unpackhi_epi16(b, b), 16)}};
}
Int32Block load(const uint8_t* p) {
  const __m128i a = load_bytes(p), zero = _mm_setzero_si128();
  return widen_unsigned(_mm_unpacklo_epi8(a, zero), _mm_unpackhi_epi8(a, zero));
}
Int32Block load(const int8_t* p) {
  const __m128i a = load_bytes(p);
  return widen_signed(_mm_srai_epi16(_mm_unpacklo_epi8(a, a), 8),
                      _mm_srai_epi16(_mm_unpackhi_epi8(a, a), 8));
}
Int32Block load(const uint16_t* p) {
  return widen_unsigned(load_bytes(p), load_bytes(p + 8));
}
Int32Block load(const int16_t* p) {
  return widen_signed(load_bytes(p), load_bytes(p + 8));
}
Int32Block load(const int32_t* p) {
  return {{load_bytes(p), load_bytes(p + 4), load_bytes(p + 8),
           load_bytes(p + 12)}};
}

__m128i pack(const Int32Block& a, int i) {
  return _mm_packs_epi32(a.r[i], a.r[i + 1]);
}
void store(int8_t* p, const Int32Block& a) {
  store_bytes(p, _mm_packs_epi16(pack(a, 0), pack(a, 2)));
}
void store(uint8_t* p, const Int32Block& a) {
  store_bytes(p, _mm_packus_epi16(pack(a, 0), pack(a, 2)));
}
void store(int16_t* p, const Int32Block& a) {
  store_bytes(p, pack(a, 0));
  store_bytes(p + 8, pack(a, 2));
}
void store(uint16_t* p, const Int32Block& a) {  // SSE2 packs signed values only
  const __m128i half = _mm_set1_epi32(32768), top = _mm_set1_epi16(-32768);
  for (int i = 0; i < 4; i += 2) {
    const __m128i packed = _mm_packs_epi32(_mm_sub_epi32(a.r[i], half),
                                           _mm_sub_epi32(a.r[i + 1], half));
    store_bytes(p + 4 * i, _mm_xor_si128(packed, top));
  }
}
void store(int32_t* p, const Int32Block& a) {
  for (int i = 0; i < 4; ++i) {
    store_bytes(p + 4 * i, a.r[i]);
  }
}

#endif

#else

Int32Block widen(int16x8_t a, int16x8_t b) {
  return {{vmovl_s16(vget_low_s16(a)), vmovl_high_s16(a),
           vmovl_s16(vget_low_s16(b)), vmovl_high_s16(b)}};
}
Int32Block widen(uint16x8_t a, uint16x8_t b) {
  return {{vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(a))),
           vreinterpretq_s32_u32(vmovl_high_u16(a)),
           vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(b))),
           vreinterpretq_s32_u32(vmovl_high_u16(b))}};
}
Int32Block load(const uint8_t* p) {
  const uint8x16_t a = vld1q_u8(p);
  return widen(vmovl_u8(vget_low_u8(a)), vmovl_high_u8(a));
}
Int32Block load(const int8_t* p) {
  const int8x16_t a = vld1q_s8(p);
  return widen(vmovl_s8(vget_low_s8(a)), vmovl_high_s8(a));
}
Int32Block load(const uint16_t* p) {
  return widen(vld1q_u16(p), vld1q_u16(p + 8));
}
Int32Block load(const int16_t* p) {
  return widen(vld1q_s16(p), vld1q_s16(p + 8));
}
Int32Block load(const int32_t* p) {
  return {
      {vld1q_s32(p), vld1q_s32(p + 4), vld1q_s32(p + 8), vld1q_s32(p + 12)}};
}

int16x8_t pack(const Int32Block& a, int i) {
  return vmovn_high_s32(vmovn_s32(a.r[i]), a.r[i + 1]);
}
void store(int8_t* p, const Int32Block& a) {
  vst1q_s8(p, vmovn_high_s16(vmovn_s16(pack(a, 0)), pack(a, 2)));
}
void store(int16_t* p, const Int32Block& a) {
  vst1q_s16(p, pack(a, 0));
  vst1q_s16(p + 8, pack(a, 2));
}
void store(int32_t* p, const Int32Block& a) {
  for (int i = 0; i < 4; ++i) {
    vst1q_s32(p + 4 * i, a.r[i]);
  }
}
void store(uint8_t* p, const Int32Block& a) { store((int8_t*)p, a); }
void store(uint16_t* p, const Int32Block& a) { store((int16_t*)p, a); }

#endif

}  // namespace
}  // namespace executorch::kernels::vec
