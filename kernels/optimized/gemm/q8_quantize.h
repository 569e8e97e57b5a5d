// Quantization of a row, as q8.h defines it, for the *_isa.cpp files: the
// compiler vectorizes it for the instruction set that they are compiled for.
#pragma once

#include "kernels/optimized/gemm/q8.h"

#define ET_PASTE_(a, b) a##b
#define ET_PASTE(a, b) ET_PASTE_(a, b)

namespace executorch::kernels::gemm {
namespace {

// Adding and subtracting 1.5 * 2^23 rounds half to even.
inline float round_even(float x) {
  constexpr float kShift = 12582912.f;
  return (x + kShift) - kShift;
}

// The values are below 256: their fractional part is exact.
inline float round_away(float x) {
  const float whole = static_cast<float>(static_cast<int32_t>(x));
  const float rest = x - whole;
  return whole + (rest >= 0.5f ? 1.f : rest <= -0.5f ? -1.f : 0.f);
}

void range(const float* x, int64_t n, float* low, float* high) {
  constexpr int kLanes = 16;
  float mins[kLanes] = {}, maxs[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int k = 0; k < kLanes; ++k) {
      mins[k] = x[i + k] < mins[k] ? x[i + k] : mins[k];
      maxs[k] = x[i + k] > maxs[k] ? x[i + k] : maxs[k];
    }
  }
  for (; i < n; ++i) {
    mins[0] = x[i] < mins[0] ? x[i] : mins[0];
    maxs[0] = x[i] > maxs[0] ? x[i] : maxs[0];
  }
  for (int k = 1; k < kLanes; ++k) {
    mins[0] = mins[k] < mins[0] ? mins[k] : mins[0];
    maxs[0] = maxs[k] > maxs[0] ? maxs[k] : maxs[0];
  }
  *low = mins[0];
  *high = maxs[0];
}

void quantize(const float* x, int64_t k, int64_t group, int8_t* a,
              int32_t* sums, float* scale, int32_t* zero) {
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
    const float p = round_even(__builtin_fmaf(x[i], inverse, shift));
    const float bounded = p < -128.f ? -128.f : p > 127.f ? 127.f : p;
    a[i] = static_cast<int8_t>(bounded == bounded ? bounded : 0.f);
  }
  for (int64_t g = 0; g < k / group; ++g) {
    int32_t sum = 0;
    for (int64_t i = g * group; i < (g + 1) * group; ++i) {
      sum += a[i];
    }
    sums[g] = sum;
  }
}

}  // namespace
}  // namespace executorch::kernels::gemm
