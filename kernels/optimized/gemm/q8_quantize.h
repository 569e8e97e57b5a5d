// Quantization of a row, as q8.h defines it, for the *_isa.cpp files: compiled
// for their instruction sets.
#pragma once

#include "kernels/optimized/gemm/q8.h"
#include "kernels/optimized/vec/simd_isa.h"

#define ET_PASTE_(a, b) a##b
#define ET_PASTE(a, b) ET_PASTE_(a, b)

namespace executorch::kernels::gemm {
namespace {

// Rounds half to even: adding 1.5 * 2^23 leaves no bit for a fraction, and the
// whole number in the lowest bits. What is not a number becomes 127.
inline int8_t to_int8(float x) {
  const float low = x < 127.f ? x : 127.f;
  const float bounded = low > -128.f ? low : -128.f;
  const float shifted = bounded + 12582912.f;
  uint32_t bits;
  __builtin_memcpy(&bits, &shifted, sizeof(bits));
  return static_cast<int8_t>(bits);
}

// The values are below 256: their fractional part is exact.
inline float round_away(float x) {
  const float whole = static_cast<float>(static_cast<int32_t>(x));
  const float rest = x - whole;
  return whole + (rest >= 0.5f ? 1.f : rest <= -0.5f ? -1.f : 0.f);
}

// The range of the values and 0; values that are not numbers do not count.
void range(const float* x, int64_t n, float* low, float* high) {
  using vec::F;
  constexpr int kVectors = 4;
  constexpr int kLanes = kVectors * vec::kLanes;
  F mins[kVectors] = {}, maxs[kVectors] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int k = 0; k < kVectors; ++k) {
      const F v = vec::load(x + i + k * vec::kLanes);
      mins[k] = v < mins[k] ? v : mins[k];
      maxs[k] = v > maxs[k] ? v : maxs[k];
    }
  }
  float min = 0, max = 0;
  for (; i < n; ++i) {
    min = x[i] < min ? x[i] : min;
    max = x[i] > max ? x[i] : max;
  }
  for (int k = 0; k < kLanes; ++k) {
    const float a = mins[k / vec::kLanes][k % vec::kLanes];
    const float b = maxs[k / vec::kLanes][k % vec::kLanes];
    min = a < min ? a : min;
    max = b > max ? b : max;
  }
  *low = min;
  *high = max;
}

void quantize(const float* x, int64_t k, int64_t group, int8_t* a,
              int32_t* starts, float* scale, int32_t* zero) {
  float low, high;
  range(x, k, &low, &high);
  float s = (high - low) / 255.f;
  int32_t z = 0;
  float inverse = 0;
  if (s > 0 && s <= 3.4028235e38f) {
    z = static_cast<int32_t>(-128.f - round_away(low / s));
    inverse = static_cast<float>(1.0 / (static_cast<double>(s) + 1e-16));
  } else {
    s = 1;
  }
  *scale = s;
  *zero = z;
  const auto shift = static_cast<float>(z);
  for (int64_t i = 0; i < k; ++i) {
    a[i] = to_int8(__builtin_fmaf(x[i], inverse, shift));
  }
  for (int64_t g = 0; g < k / group; ++g) {
    int32_t sum = 0;
    for (int64_t i = g * group; i < (g + 1) * group; ++i) {
      sum += a[i];
    }
    starts[g] = -8 * sum;
  }
}

}  // namespace
}  // namespace executorch::kernels::gemm
