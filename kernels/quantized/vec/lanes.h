// Registers of floats (F), doubles (D) and 32-bit integers (I), and what this
// library does with them, for each instruction set. A D has half as many
// numbers as the others. Included by loops_isa.cpp only.
//
// Rules that make all sets give the same bits: min(a, b) and max(a, b) return b
// when it is NaN; all_at_most() is false if there is a NaN, and ordered() tells
// that there is none; round() rounds halves to even; wide integers get
// INT32_MIN for whatever does not fit, and narrow ones get 0 for NaN (their
// callers clamp before). NEON's own rules differ, so its operations mend that.
#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>
#else
#include <arm_neon.h>
#endif

namespace executorch::kernels::vec {
namespace {

#if defined(__AVX512F__)

using F = __m512;
using D = __m512d;
using I = __m512i;

F load(const float* p) { return _mm512_loadu_ps(p); }
void store(float* p, F a) { _mm512_storeu_ps(p, a); }
F set(float a) { return _mm512_set1_ps(a); }
F add(F a, F b) { return _mm512_add_ps(a, b); }
F sub(F a, F b) { return _mm512_sub_ps(a, b); }
F mul(F a, F b) { return _mm512_mul_ps(a, b); }
F min(F a, F b) { return _mm512_min_ps(a, b); }
F max(F a, F b) { return _mm512_max_ps(a, b); }
F round(F a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT); }
F fused(F a, F b, F c) { return _mm512_fmadd_ps(a, b, c); }

D load(const double* p) { return _mm512_loadu_pd(p); }
D set(double a) { return _mm512_set1_pd(a); }
D add(D a, D b) { return _mm512_add_pd(a, b); }
D sub(D a, D b) { return _mm512_sub_pd(a, b); }
D mul(D a, D b) { return _mm512_mul_pd(a, b); }
D min(D a, D b) { return _mm512_min_pd(a, b); }
D max(D a, D b) { return _mm512_max_pd(a, b); }
D round(D a) { return _mm512_roundscale_pd(a, _MM_FROUND_TO_NEAREST_INT); }
D low(F a) { return _mm512_cvtps_pd(_mm512_castps512_ps256(a)); }
D high(F a) { return _mm512_cvtps_pd(_mm512_extractf32x8_ps(a, 1)); }
F join(D a, D b) {
  return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(a)),
                            _mm512_cvtpd_ps(b), 1);
}

F to_float(I a) { return _mm512_cvtepi32_ps(a); }
D low(I a) { return _mm512_cvtepi32_pd(_mm512_castsi512_si256(a)); }
D high(I a) { return _mm512_cvtepi32_pd(_mm512_extracti32x8_epi32(a, 1)); }

I add(I a, I b) { return _mm512_add_epi32(a, b); }
I to_nearest(F a) { return _mm512_cvtps_epi32(a); }
I to_wide(F a) { return _mm512_cvttps_epi32(a); }
I to_wide(D a, D b) {
  return _mm512_inserti32x8(_mm512_castsi256_si512(_mm512_cvttpd_epi32(a)),
                            _mm512_cvttpd_epi32(b), 1);
}
// INT32_MIN, cut to 8 or 16 bits, is 0.
I to_narrow(F a) { return to_wide(a); }
I to_narrow(D a, D b) { return to_wide(a, b); }

F magnitude(F a) { return _mm512_abs_ps(a); }
bool ordered(F a, F b) { return _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q) == 0; }
bool all_at_most(F a, F limit) {
  return _mm512_cmp_ps_mask(a, limit, _CMP_NLE_UQ) == 0;
}
F round_to_half(F a) {
  return _mm512_cvtph_ps(_mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT));
}

#elif defined(__AVX2__)

using F = __m256;
using D = __m256d;
using I = __m256i;

F load(const float* p) { return _mm256_loadu_ps(p); }
void store(float* p, F a) { _mm256_storeu_ps(p, a); }
F set(float a) { return _mm256_set1_ps(a); }
F add(F a, F b) { return _mm256_add_ps(a, b); }
F sub(F a, F b) { return _mm256_sub_ps(a, b); }
F mul(F a, F b) { return _mm256_mul_ps(a, b); }
F min(F a, F b) { return _mm256_min_ps(a, b); }
F max(F a, F b) { return _mm256_max_ps(a, b); }
F round(F a) { return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT); }
F fused(F a, F b, F c) { return _mm256_fmadd_ps(a, b, c); }

D load(const double* p) { return _mm256_loadu_pd(p); }
D set(double a) { return _mm256_set1_pd(a); }
D add(D a, D b) { return _mm256_add_pd(a, b); }
D sub(D a, D b) { return _mm256_sub_pd(a, b); }
D mul(D a, D b) { return _mm256_mul_pd(a, b); }
D min(D a, D b) { return _mm256_min_pd(a, b); }
D max(D a, D b) { return _mm256_max_pd(a, b); }
D round(D a) { return _mm256_round_pd(a, _MM_FROUND_TO_NEAREST_INT); }
D low(F a) { return _mm256_cvtps_pd(_mm256_castps256_ps128(a)); }
D high(F a) { return _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1)); }
F join(D a, D b) {
  return _mm256_set_m128(_mm256_cvtpd_ps(b), _mm256_cvtpd_ps(a));
}

F to_float(I a) { return _mm256_cvtepi32_ps(a); }
D low(I a) { return _mm256_cvtepi32_pd(_mm256_castsi256_si128(a)); }
D high(I a) { return _mm256_cvtepi32_pd(_mm256_extracti128_si256(a, 1)); }

I add(I a, I b) { return _mm256_add_epi32(a, b); }
I to_nearest(F a) { return _mm256_cvtps_epi32(a); }
I to_wide(F a) { return _mm256_cvttps_epi32(a); }
I to_wide(D a, D b) {
  return _mm256_set_m128i(_mm256_cvttpd_epi32(b), _mm256_cvttpd_epi32(a));
}
I to_narrow(F a) {
  return to_wide(_mm256_and_ps(a, _mm256_cmp_ps(a, a, _CMP_ORD_Q)));
}
I to_narrow(D a, D b) {
  return to_wide(_mm256_and_pd(a, _mm256_cmp_pd(a, a, _CMP_ORD_Q)),
                 _mm256_and_pd(b, _mm256_cmp_pd(b, b, _CMP_ORD_Q)));
}

F magnitude(F a) { return _mm256_andnot_ps(set(-0.0f), a); }
bool ordered(F a, F b) {
  return _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_UNORD_Q)) == 0;
}
bool all_at_most(F a, F limit) {
  return _mm256_movemask_ps(_mm256_cmp_ps(a, limit, _CMP_NLE_UQ)) == 0;
}
F round_to_half(F a) {
  return _mm256_cvtph_ps(_mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT));
}

#elif defined(__x86_64__)

using F = __m128;
using D = __m128d;
using I = __m128i;

F load(const float* p) { return _mm_loadu_ps(p); }
void store(float* p, F a) { _mm_storeu_ps(p, a); }
F set(float a) { return _mm_set1_ps(a); }
F add(F a, F b) { return _mm_add_ps(a, b); }
F sub(F a, F b) { return _mm_sub_ps(a, b); }
F mul(F a, F b) { return _mm_mul_ps(a, b); }
F min(F a, F b) { return _mm_min_ps(a, b); }
F max(F a, F b) { return _mm_max_ps(a, b); }
F fused(F a, F b, F c) { return add(mul(a, b), c); }
F round(F a) {  // values from 2^23 on, and NaN, are whole already
  const F magnitude = _mm_andnot_ps(set(-0.0f), a);
  const F small = _mm_cmplt_ps(magnitude, set(8388608.0f));
  const F whole = _mm_cvtepi32_ps(_mm_cvtps_epi32(a));
  return _mm_or_ps(_mm_and_ps(small, whole), _mm_andnot_ps(small, a));
}

D load(const double* p) { return _mm_loadu_pd(p); }
D set(double a) { return _mm_set1_pd(a); }
D add(D a, D b) { return _mm_add_pd(a, b); }
D sub(D a, D b) { return _mm_sub_pd(a, b); }
D mul(D a, D b) { return _mm_mul_pd(a, b); }
D min(D a, D b) { return _mm_min_pd(a, b); }
D max(D a, D b) { return _mm_max_pd(a, b); }
D round(D a) {  // adding 1.5 * 2^52 leaves no bits below one
  const D magnitude = _mm_andnot_pd(set(-0.0), a);
  const D small = _mm_cmplt_pd(magnitude, set(2251799813685248.0));
  const D shift = set(6755399441055744.0);
  const D whole = sub(add(a, shift), shift);
  return _mm_or_pd(_mm_and_pd(small, whole), _mm_andnot_pd(small, a));
}
D low(F a) { return _mm_cvtps_pd(a); }
D high(F a) { return _mm_cvtps_pd(_mm_movehl_ps(a, a)); }
F join(D a, D b) { return _mm_movelh_ps(_mm_cvtpd_ps(a), _mm_cvtpd_ps(b)); }

F to_float(I a) { return _mm_cvtepi32_ps(a); }
D low(I a) { return _mm_cvtepi32_pd(a); }
D high(I a) { return _mm_cvtepi32_pd(_mm_unpackhi_epi64(a, a)); }

I add(I a, I b) { return _mm_add_epi32(a, b); }
I to_nearest(F a) { return _mm_cvtps_epi32(a); }
I to_wide(F a) { return _mm_cvttps_epi32(a); }
I to_wide(D a, D b) {
  return _mm_unpacklo_epi64(_mm_cvttpd_epi32(a), _mm_cvttpd_epi32(b));
}
I to_narrow(F a) { return to_wide(_mm_and_ps(a, _mm_cmpord_ps(a, a))); }
I to_narrow(D a, D b) {
  return to_wide(_mm_and_pd(a, _mm_cmpord_pd(a, a)),
                 _mm_and_pd(b, _mm_cmpord_pd(b, b)));
}

F magnitude(F a) { return _mm_andnot_ps(set(-0.0f), a); }
bool ordered(F a, F b) { return _mm_movemask_ps(_mm_cmpunord_ps(a, b)) == 0; }
bool all_at_most(F a, F limit) {
  return _mm_movemask_ps(_mm_cmpnle_ps(a, limit)) == 0;
}

#else

using F = float32x4_t;
using D = float64x2_t;
using I = int32x4_t;

F load(const float* p) { return vld1q_f32(p); }
void store(float* p, F a) { vst1q_f32(p, a); }
F set(float a) { return vdupq_n_f32(a); }
F add(F a, F b) { return vaddq_f32(a, b); }
F sub(F a, F b) { return vsubq_f32(a, b); }
F mul(F a, F b) { return vmulq_f32(a, b); }
F min(F a, F b) { return vminq_f32(a, b); }
F max(F a, F b) { return vmaxq_f32(a, b); }
F round(F a) { return vrndnq_f32(a); }
F fused(F a, F b, F c) { return vfmaq_f32(c, a, b); }

D load(const double* p) { return vld1q_f64(p); }
D set(double a) { return vdupq_n_f64(a); }
D add(D a, D b) { return vaddq_f64(a, b); }
D sub(D a, D b) { return vsubq_f64(a, b); }
D mul(D a, D b) { return vmulq_f64(a, b); }
D min(D a, D b) { return vminq_f64(a, b); }
D max(D a, D b) { return vmaxq_f64(a, b); }
D round(D a) { return vrndnq_f64(a); }
D low(F a) { return vcvt_f64_f32(vget_low_f32(a)); }
D high(F a) { return vcvt_high_f64_f32(a); }
F join(D a, D b) { return vcvt_high_f32_f64(vcvt_f32_f64(a), b); }

F to_float(I a) { return vcvtq_f32_s32(a); }
D low(I a) { return vcvtq_f64_s64(vmovl_s32(vget_low_s32(a))); }
D high(I a) { return vcvtq_f64_s64(vmovl_high_s32(a)); }

I add(I a, I b) { return vaddq_s32(a, b); }
I to_nearest(F a) { return vcvtnq_s32_f32(a); }
I to_narrow(F a) { return vcvtq_s32_f32(a); }
I to_narrow(D a, D b) {
  return vmovn_high_s64(vmovn_s64(vcvtq_s64_f64(a)), vcvtq_s64_f64(b));
}
I to_wide(F a) {
  const F limit = set(2147483648.0f);
  const uint32x4_t fits =
      vandq_u32(vcgeq_f32(a, vnegq_f32(limit)), vcltq_f32(a, limit));
  return vbslq_s32(fits, vcvtq_s32_f32(a), vdupq_n_s32(INT32_MIN));
}
I to_wide(D a, D b) {  // clamped before, so only NaN does not fit
  const uint64x2_t ordered_a = vceqq_f64(a, a), ordered_b = vceqq_f64(b, b);
  const int64x2_t least = vdupq_n_s64(INT32_MIN);
  return vmovn_high_s64(
      vmovn_s64(vbslq_s64(ordered_a, vcvtq_s64_f64(a), least)),
      vbslq_s64(ordered_b, vcvtq_s64_f64(b), least));
}

F magnitude(F a) { return vabsq_f32(a); }
bool ordered(F a, F b) {
  const uint32x4_t both = vandq_u32(vceqq_f32(a, a), vceqq_f32(b, b));
  return vminvq_u32(both) != 0;
}
bool all_at_most(F a, F limit) { return vminvq_u32(vcleq_f32(a, limit)) != 0; }
F round_to_half(F a) { return vcvt_f32_f16(vcvt_f16_f32(a)); }

#endif

constexpr int kLanes = sizeof(F) / sizeof(float);
constexpr int kHalf = kLanes / 2;
constexpr int kBlock = 16;
constexpr int kRegisters = kBlock / kLanes;

}  // namespace
}  // namespace executorch::kernels::vec
