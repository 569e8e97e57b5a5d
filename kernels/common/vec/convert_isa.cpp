// Compiled once per instruction set with -DET_ISA=<name> and the flags of that
// set. Includes nothing with inline functions: see the rules in README.md.
#include "kernels/common/vec/convert.h"

#if defined(__F16C__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace executorch::kernels::vec {
namespace {

struct Half {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};
struct Bool {
  uint8_t bits;
};

float as_float(uint32_t bits) {
  float x;
  __builtin_memcpy(&x, &bits, sizeof(x));
  return x;
}
uint32_t as_bits(float x) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, sizeof(bits));
  return bits;
}

float widen(BFloat16 x) { return as_float(uint32_t{x.bits} << 16); }

BFloat16 to_bfloat16(float x) {
  const uint32_t bits = as_bits(x);
  const uint32_t rounded = bits + 0x7FFF + ((bits >> 16) & 1);
  const uint32_t kept = x != x ? 0x7FC00000u : rounded;
  return {static_cast<uint16_t>(kept >> 16)};
}

#if defined(__F16C__)
float widen(Half x) { return _cvtsh_ss(x.bits); }
Half to_half(float x) { return {static_cast<uint16_t>(_cvtss_sh(x, 0))}; }
#elif defined(__aarch64__)
float widen(Half x) {
  __fp16 h;
  __builtin_memcpy(&h, &x, sizeof(h));
  return h;
}
Half to_half(float x) {
  const __fp16 h = x;
  Half bits;
  __builtin_memcpy(&bits, &h, sizeof(h));
  return bits;
}
#else
// Normal numbers: moving the exponent by a multiplication also makes subnormal
// ones right. Infinities and NaNs keep their exponent of ones.
float widen(Half x) {
  const uint32_t magnitude = uint32_t{x.bits & 0x7FFFu} << 13;
  const uint32_t sign = uint32_t{x.bits & 0x8000u} << 16;
  const uint32_t finite = as_bits(as_float(magnitude) * 0x1p112f);
  const uint32_t special = magnitude | 0x7F800000u;
  return as_float(sign | (magnitude >= 0x0F800000u ? special : finite));
}
// A subnormal result is rounded by the addition of 0.5, whose last mantissa bit
// weighs as much as the last bit of the result.
Half to_half(float x) {
  const uint32_t bits = as_bits(x);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  const uint32_t subnormal = as_bits(as_float(magnitude) + 0.5f) - 0x3F000000u;
  const uint32_t normal =
      (magnitude - 0x38000000u + 0xFFFu + ((magnitude >> 13) & 1)) >> 13;
  uint32_t half = magnitude < 0x38800000u ? subnormal : normal;
  half = magnitude >= 0x47800000u ? 0x7C00u : half;
  half = magnitude > 0x7F800000u ? 0x7E00u : half;
  return {static_cast<uint16_t>(sign | half)};
}
#endif

template <class T>
T widen(T x) {
  return x;
}
int64_t widen(Bool x) { return x.bits != 0; }

// Floats that an integer type cannot hold convert as the hardware does, and the
// narrower integers wrap from 32 bits.
template <class To>
struct Narrow {
  template <class From>
  static To from(From x) {
    return static_cast<To>(x);
  }
  static To from(float x) { return from_float(x); }
  static To from(double x) { return from_float(x); }

 private:
  template <class From>
  static To from_float(From x) {
    if constexpr (sizeof(To) < sizeof(int32_t)) {
      return static_cast<To>(static_cast<int32_t>(x));
    } else {
      return static_cast<To>(x);
    }
  }
};
template <>
struct Narrow<Half> {
  template <class From>
  static Half from(From x) {
    return to_half(static_cast<float>(x));
  }
};
template <>
struct Narrow<BFloat16> {
  template <class From>
  static BFloat16 from(From x) {
    return to_bfloat16(static_cast<float>(x));
  }
};
template <>
struct Narrow<Bool> {
  template <class From>
  static Bool from(From x) {
    return {x != From(0)};
  }
};

template <class From, class To>
void run(const void* src, void* dst, int64_t n) {
  const auto* from = static_cast<const From*>(src);
  auto* to = static_cast<To*>(dst);
  for (int64_t i = 0; i < n; ++i) {
    to[i] = Narrow<To>::from(widen(from[i]));
  }
}

// Eight items at a time where the compiler does not see how.
template <class From, class To, void (*kEight)(const From*, To*)>
void run_by_eight(const void* src, void* dst, int64_t n) {
  const auto* from = static_cast<const From*>(src);
  auto* to = static_cast<To*>(dst);
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    kEight(from + i, to + i);
  }
  for (; i < n; ++i) {
    to[i] = Narrow<To>::from(widen(from[i]));
  }
}

#if defined(__F16C__)
void widen_eight(const Half* from, float* to) {
  const auto* p = reinterpret_cast<const __m128i*>(from);
  _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm_loadu_si128(p)));
}
void narrow_eight(const float* from, Half* to) {
  const __m128i half = _mm256_cvtps_ph(_mm256_loadu_ps(from), 0);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), half);
}
template <>
void run<Half, float>(const void* src, void* dst, int64_t n) {
  run_by_eight<Half, float, widen_eight>(src, dst, n);
}
#elif defined(__aarch64__)
void narrow_eight(const float* from, Half* to) {
  const float16x4_t low = vcvt_f16_f32(vld1q_f32(from));
  const float16x8_t half = vcvt_high_f16_f32(low, vld1q_f32(from + 4));
  __builtin_memcpy(to, &half, sizeof(half));
}
#endif
#if defined(__F16C__) || defined(__aarch64__)
template <>
void run<float, Half>(const void* src, void* dst, int64_t n) {
  run_by_eight<float, Half, narrow_eight>(src, dst, n);
}
#endif

template <class T>
constexpr Convert::Row row = {
    {run<T, float>, run<T, double>, run<T, int64_t>},
    {run<float, T>, run<double, T>, run<int64_t, T>},
};

}  // namespace

#define ET_TABLE_(isa) convert_##isa
#define ET_TABLE(isa) ET_TABLE_(isa)

extern const Convert ET_TABLE(ET_ISA);
const Convert ET_TABLE(ET_ISA) = {
    cpu::Isa::ET_ISA,
    {row<uint8_t>, row<int8_t>, row<int16_t>, row<int32_t>, row<int64_t>,
     row<Half>, row<float>, row<double>, row<Bool>, row<BFloat16>,
     row<uint16_t>},
};

}  // namespace executorch::kernels::vec
