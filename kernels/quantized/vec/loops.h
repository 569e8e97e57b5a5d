// The vector loops of this library, as one table per instruction set.
//
// loops_isa.cpp is compiled once per instruction set and defines one table each
// time. Every table gives the same bits: no entry uses fused multiply-add, and
// conversions to integers follow one rule (see lanes.h).
#pragma once

#include <stdint.h>

#include "src/threadpool/cpu.h"

namespace executorch::kernels::vec {

// Integer element types, as an index into the tables below.
enum Int : uint8_t { kUInt8, kInt8, kUInt16, kInt16, kInt32, kInts };

// Whether the parameters of a row are one value, or an array of them that may
// be read up to the next multiple of sixteen.
enum Params : uint8_t { kOne, kMany, kParamKinds };

// When the zero point is added: to the rounded quotient, or before rounding.
enum Rounding : uint8_t { kRoundFirst, kRoundLast, kRoundings };

// The type to which each step of a float32 computation is rounded.
enum Precision : uint8_t { kFloat32, kFloat16, kBFloat16, kPrecisions };

template <class T>
struct QuantizeParams {
  const T* inverse_scale;
  const T* zero_point;
  T min;
  T max;
  // The parameters as float. If `float_margin` is not 0, the zero points and
  // the ends of the range are whole numbers, small enough for float; if T is
  // double, the margin is how close to a tie a value may come before its
  // product in float says nothing about the one in double.
  const float* inverse_scale32;
  const float* zero_point32;
  float float_margin;
};
template <class T>
struct DequantizeParams {
  const T* scale;
  const T* zero_point;
};

// out[i] = clamp(round(x[i] * inverse_scale) + zero_point), in T.
template <class T>
using Quantize = void (*)(const float* x, void* out, int64_t n,
                          const QuantizeParams<T>& params);

// out[i] = (x[i] - zero_point) * scale, in T.
template <class T>
using Dequantize = void (*)(const void* x, float* out, int64_t n,
                            const DequantizeParams<T>& params);

struct Loops {
  cpu::Isa isa;

  Quantize<float> quantize_f32[kParamKinds][kRoundings][kInts];
  Quantize<double> quantize_f64[kParamKinds][kRoundings][kInts];

  // kFloat16 and kBFloat16 exist for 8-bit integers only.
  Dequantize<float> dequantize_f32[kPrecisions][kParamKinds][kInts];
  Dequantize<double> dequantize_f64[kParamKinds][kInts];

  // The smallest and the largest value; NaN, both, if there is one.
  void (*min_max)(const float* x, int64_t n, float* min, float* max);

  // Unsigned values of 4 bits, first in the high half of a byte, or of 2 bits,
  // first in the low bits; less `offset`. n is the number of values.
  void (*unpack4)(const uint8_t* x, int8_t* out, int64_t n, int8_t offset);
  void (*unpack2)(const uint8_t* x, int8_t* out, int64_t n, int8_t offset);

  // out[i] = a[i] + b[i].
  void (*add)(const float* a, const float* b, float* out, int64_t n);

  // out[i] += a * x[i], and the sum of a[i] * b[i]; fused where the CPU can.
  void (*multiply_add)(float a, const float* x, float* out, int64_t n);
  float (*dot)(const float* a, const float* b, int64_t n);
};

const Loops& loops();

}  // namespace executorch::kernels::vec
