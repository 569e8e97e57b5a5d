// The loops that quantize and dequantize. Included by loops_isa.cpp only.
//
// They work on blocks of sixteen; what remains at the end goes through a copy
// of one block, so that every length takes the same arithmetic.
#pragma once

#include "kernels/quantized/vec/int_block.h"
#include "kernels/quantized/vec/loops.h"

namespace executorch::kernels::vec {
namespace {

template <class T>
void copy(T* to, const T* from, int64_t n) {
  __builtin_memcpy(to, from, static_cast<size_t>(n) * sizeof(T));
}

// Calls f(x, out, at) per block; `at` is the index of its first element.
template <class X, class O, class F>
void for_each_block(const X* x, O* out, int64_t n, F f) {
  int64_t i = 0;
  for (; i + kBlock <= n; i += kBlock) {
    f(x + i, out + i, i);
  }
  if (i < n) {
    X x_tail[kBlock] = {};
    O out_tail[kBlock];
    copy(x_tail, x + i, n - i);
    f(x_tail, out_tail, i);
    copy(out + i, out_tail, n - i);
  }
}

// The parameters of a row, as registers.
template <Params kKind, class T>
class ParamLanes {
 public:
  explicit ParamLanes(const T* p) : p_(p), one_(set(*p)) {}
  auto at(int64_t i) const { return kKind == kOne ? one_ : load(p_ + i); }

 private:
  const T* p_;
  decltype(set(T())) one_;
};

// -- Quantize ----------------------------------------------------------------

template <class O>
I to_int(F a) {
  return sizeof(O) < 4 ? to_narrow(a) : to_wide(a);
}
template <class O>
I to_int(D a, D b) {
  return sizeof(O) < 4 ? to_narrow(a, b) : to_wide(a, b);
}

template <Rounding kRounding, class V>
V affine(V x, V inverse_scale, V zero_point, V min_value, V max_value) {
  const V scaled = mul(x, inverse_scale);
  const V q = kRounding == kRoundFirst ? add(round(scaled), zero_point)
                                       : round(add(scaled, zero_point));
  return min(max_value, max(min_value, q));
}

// Blocks in the type of the parameters, one step after the other.
template <class T, Params kKind, Rounding kRounding, class O>
struct InSteps {
  explicit InSteps(const QuantizeParams<T>& p)
      : scale(p.inverse_scale),
        zero(p.zero_point),
        min_value(set(p.min)),
        max_value(set(p.max)) {}

  auto affine_at(decltype(set(T())) x, int64_t i) const {
    return affine<kRounding>(x, scale.at(i), zero.at(i), min_value, max_value);
  }
  void block(const float* x, O* out, int64_t at) const {
    Int32Block q;
    for (int i = 0; i < kRegisters; ++i) {
      const F v = load(x + i * kLanes);
      const int64_t k = at + i * kLanes;
      if constexpr (sizeof(T) == sizeof(float)) {
        q.r[i] = to_int<O>(affine_at(v, k));
      } else {
        q.r[i] = to_int<O>(affine_at(low(v), k), affine_at(high(v), k + kHalf));
      }
    }
    store(out, q);
  }

  ParamLanes<kKind, T> scale, zero;
  decltype(set(T())) min_value, max_value;
};

// Fewer instructions, in float, for parameters that p.float_margin allows.
template <class T, Params kKind, Rounding kRounding, class O>
struct InFloat {
  explicit InFloat(const QuantizeParams<T>& p)
      : scale(p.inverse_scale32),
        zero(p.zero_point32),
        min_value(set(static_cast<float>(p.min))),
        max_value(set(static_cast<float>(p.max))),
        limit(set(0.5f - p.float_margin)) {}

  // False if the result cannot be told: for NaN, and if T is double for what is
  // too close to a tie.
  bool block(const float* x, O* out, int64_t at) const {
    bool sure = true;
    F value[kRegisters];
    Int32Block q;
    for (int i = 0; i < kRegisters; ++i) {
      const int64_t k = at + i * kLanes;
      const F z = zero.at(k), scaled = mul(load(x + i * kLanes), scale.at(k));
      // The ends of the range are whole, so it may be clamped before rounding.
      value[i] = kRounding == kRoundFirst
                     ? min(sub(max_value, z), max(sub(min_value, z), scaled))
                     : min(max_value, max(min_value, add(scaled, z)));
      const I whole = to_nearest(value[i]);
      if (sizeof(T) == sizeof(double)) {
        const F distance = magnitude(sub(value[i], to_float(whole)));
        sure &= all_at_most(distance, limit);
      }
      q.r[i] = kRounding == kRoundFirst ? add(whole, to_nearest(z)) : whole;
    }
    for (int i = 0; sizeof(T) == sizeof(float) && i < kRegisters; i += 2) {
      sure &= ordered(value[i], value[i + 1 < kRegisters ? i + 1 : i]);
    }
    store(out, q);
    return sure;
  }

  ParamLanes<kKind, float> scale, zero;
  F min_value, max_value, limit;
};

template <class T, Params kKind, Rounding kRounding, class O>
void quantize_all(const float* x, void* out, int64_t n,
                  const QuantizeParams<T>& p) {
  const InSteps<T, kKind, kRounding, O> in_steps(p);
  if (sizeof(O) == 4 || p.float_margin == 0) {
    for_each_block(x, static_cast<O*>(out), n,
                   [&](const float* x, O* out, int64_t at) {
                     in_steps.block(x, out, at);
                   });
    return;
  }
  const InFloat<T, kKind, kRounding, O> in_float(p);
  for_each_block(x, static_cast<O*>(out), n,
                 [&](const float* x, O* out, int64_t at) {
                   if (!in_float.block(x, out, at)) {
                     in_steps.block(x, out, at);
                   }
                 });
}

template <Params kKind, Rounding kRounding, class O>
void quantize(const float* x, void* out, int64_t n,
              const QuantizeParams<float>& p) {
  quantize_all<float, kKind, kRounding, O>(x, out, n, p);
}
template <Params kKind, Rounding kRounding, class O>
void quantize(const float* x, void* out, int64_t n,
              const QuantizeParams<double>& p) {
  quantize_all<double, kKind, kRounding, O>(x, out, n, p);
}

// -- 16-bit floats -----------------------------------------------------------

float from_bits(uint32_t bits) {
  float x;
  __builtin_memcpy(&x, &bits, sizeof(x));
  return x;
}
uint32_t to_bits(float x) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, sizeof(x));
  return bits;
}

template <Precision>
struct Bits16;

template <>
struct Bits16<kFloat16> {
  static float widen(uint16_t h) {  // 2^112 moves the exponent to its new bias
    const uint32_t sign = uint32_t{h & 0x8000u} << 16;
    const uint32_t rest = uint32_t{h & 0x7fffu} << 13;
    const uint32_t special = rest >= 0x0f800000u ? 0x7f800000u : 0;
    const float scaled = from_bits(rest) * 0x1p112f;
    return from_bits(sign | (special != 0 ? special | rest : to_bits(scaled)));
  }
  static uint16_t narrow(float x) {
    const uint32_t sign = (to_bits(x) >> 16) & 0x8000u;
    const uint32_t rest = to_bits(x) & 0x7fffffffu;
    // Subnormal: adding 0.5 leaves the bits above 2^-24, rounded.
    const uint32_t subnormal = to_bits(from_bits(rest) + 0.5f) - 0x3f000000u;
    const uint32_t normal =
        (rest - 0x38000000u + 0xfffu + ((rest >> 13) & 1u)) >> 13;
    const uint32_t special = rest > 0x7f800000u ? 0x7e00u : 0x7c00u;
    const uint32_t finite = rest < 0x38800000u ? subnormal : normal;
    return static_cast<uint16_t>(sign |
                                 (rest < 0x47800000u ? finite : special));
  }
};
template <>
struct Bits16<kBFloat16> {
  static float widen(uint16_t b) { return from_bits(uint32_t{b} << 16); }
  static uint16_t narrow(float x) {
    const uint32_t bits = to_bits(x);
    const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    return static_cast<uint16_t>(x != x ? 0x7fc0u : rounded);
  }
};

// -- Dequantize --------------------------------------------------------------

template <Precision kType>
F rounded_apart(F a) {
  float values[kLanes];
  store(values, a);
  for (int i = 0; i < kLanes; ++i) {
    values[i] = Bits16<kType>::widen(Bits16<kType>::narrow(values[i]));
  }
  return load(values);
}
template <Precision kType>
F rounded(F a) {
  return rounded_apart<kType>(a);
}
template <>
F rounded<kFloat32>(F a) {
  return a;
}
#if defined(__F16C__) || defined(__aarch64__)
template <>
F rounded<kFloat16>(F a) {
  return round_to_half(a);
}
#endif

template <Precision kType, Params kKind, class X>
void dequantize(const void* x, float* out, int64_t n,
                const DequantizeParams<float>& p) {
  const ParamLanes<kKind, float> scale(p.scale), zero(p.zero_point);
  for_each_block(
      static_cast<const X*>(x), out, n,
      [&](const X* x, float* out, int64_t at) {
        const Int32Block q = load(x);
        for (int i = 0; i < kRegisters; ++i) {
          const int k = i * kLanes;
          const F difference = sub(to_float(q.r[i]), zero.at(at + k));
          store(out + k, rounded<kType>(mul(rounded<kType>(difference),
                                            scale.at(at + k))));
        }
      });
}

template <Params kKind, class X>
void dequantize(const void* x, float* out, int64_t n,
                const DequantizeParams<double>& p) {
  const ParamLanes<kKind, double> scale(p.scale), zero(p.zero_point);
  for_each_block(static_cast<const X*>(x), out, n,
                 [&](const X* x, float* out, int64_t at) {
                   const Int32Block q = load(x);
                   for (int i = 0; i < kRegisters; ++i) {
                     const int64_t k = at + i * kLanes, h = k + kHalf;
                     const D a = mul(sub(low(q.r[i]), zero.at(k)), scale.at(k));
                     const D b =
                         mul(sub(high(q.r[i]), zero.at(h)), scale.at(h));
                     store(out + i * kLanes, join(a, b));
                   }
                 });
}

}  // namespace
}  // namespace executorch::kernels::vec
