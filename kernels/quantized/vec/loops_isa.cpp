// The loops of loops.h, compiled once per instruction set with -DET_ISA=<name>.
//
// Includes no C++ library and no inline function of the project: the linker
// keeps one copy of such a function, and if that were the one compiled here for
// a new CPU, an old one would fault elsewhere.
#include "kernels/quantized/vec/affine_loops.h"
#include "kernels/quantized/vec/loops.h"

namespace executorch::kernels::vec {
namespace {

// -- Extremes ----------------------------------------------------------------

bool has_nan(const float* x, int64_t n) {
  bool found = false;
  for (int64_t i = 0; i < n; ++i) {
    found |= x[i] != x[i];
  }
  return found;
}

// A sum tells whether there may be a NaN: it is one, then. As infinities of
// both signs give it too, a second look decides.
struct Extremes {
  F low = set(__builtin_inff());
  F high = set(-__builtin_inff());
  F sum = set(0.0f);

  void take(F v) {
    low = min(v, low);
    high = max(v, high);
    sum = add(sum, v);
  }
};

void min_max(const float* x, int64_t n, float* smallest, float* largest) {
  constexpr int kChains = 4, kStep = kChains * kLanes;
  Extremes chain[kChains];
  int64_t i = 0;
  for (; i + kStep <= n; i += kStep) {
    for (int c = 0; c < kChains; ++c) {
      chain[c].take(load(x + i + c * kLanes));
    }
  }
  for (; i < n; ++i) {
    chain[0].take(set(x[i]));
  }
  Extremes& all = chain[0];
  for (int c = 1; c < kChains; ++c) {
    all.low = min(chain[c].low, all.low);
    all.high = max(chain[c].high, all.high);
    all.sum = add(all.sum, chain[c].sum);
  }
  float low[kLanes], high[kLanes];
  store(low, all.low);
  store(high, all.high);
  for (int k = 1; k < kLanes; ++k) {
    low[0] = low[k] < low[0] ? low[k] : low[0];
    high[0] = high[k] > high[0] ? high[k] : high[0];
  }
  const bool nan =
      !all_at_most(magnitude(all.sum), set(__builtin_inff())) && has_nan(x, n);
  *smallest = nan ? __builtin_nanf("") : low[0];
  *largest = nan ? __builtin_nanf("") : high[0];
}

// -- Packed weights ----------------------------------------------------------

// 16 bytes hold kCount values; `expand` writes one byte for each.
template <int kCount, class Expand>
void unpack(const uint8_t* x, int8_t* out, int64_t n, Expand expand) {
  constexpr int kPerByte = kCount / 16;
  int64_t i = 0;
  for (; i + kCount <= n; i += kCount) {
    expand(x + i / kPerByte, out + i);
  }
  if (i < n) {
    uint8_t x_tail[16] = {};
    int8_t out_tail[kCount];
    copy(x_tail, x + i / kPerByte, (n - i + kPerByte - 1) / kPerByte);
    expand(x_tail, out_tail);
    copy(out + i, out_tail, n - i);
  }
}

#if defined(__x86_64__)

using Bytes = __m128i;
Bytes bytes(int8_t a) { return _mm_set1_epi8(a); }
Bytes load(const void* p) { return _mm_loadu_si128((const __m128i*)p); }
void store(void* p, Bytes a) { _mm_storeu_si128((__m128i*)p, a); }
Bytes sub(Bytes a, Bytes b) { return _mm_sub_epi8(a, b); }
template <int kShift, int kMask>
Bytes field(Bytes a) {
  return _mm_and_si128(_mm_srli_epi16(a, kShift), bytes(kMask));
}
Bytes zip_low(Bytes a, Bytes b) { return _mm_unpacklo_epi8(a, b); }
Bytes zip_high(Bytes a, Bytes b) { return _mm_unpackhi_epi8(a, b); }
Bytes zip_pairs_low(Bytes a, Bytes b) { return _mm_unpacklo_epi16(a, b); }
Bytes zip_pairs_high(Bytes a, Bytes b) { return _mm_unpackhi_epi16(a, b); }

#else

using Bytes = uint8x16_t;
Bytes bytes(int8_t a) { return vdupq_n_u8(static_cast<uint8_t>(a)); }
Bytes load(const void* p) { return vld1q_u8((const uint8_t*)p); }
void store(void* p, Bytes a) { vst1q_u8((uint8_t*)p, a); }
Bytes sub(Bytes a, Bytes b) { return vsubq_u8(a, b); }
template <int kShift, int kMask>
Bytes field(Bytes a) {
  return vandq_u8(vshlq_u8(a, vdupq_n_s8(-kShift)), bytes(kMask));
}
Bytes zip_low(Bytes a, Bytes b) { return vzip1q_u8(a, b); }
Bytes zip_high(Bytes a, Bytes b) { return vzip2q_u8(a, b); }
Bytes zip_pairs_low(Bytes a, Bytes b) {
  return vreinterpretq_u8_u16(
      vzip1q_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)));
}
Bytes zip_pairs_high(Bytes a, Bytes b) {
  return vreinterpretq_u8_u16(
      vzip2q_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)));
}

#endif

void unpack4(const uint8_t* x, int8_t* out, int64_t n, int8_t offset) {
  const Bytes less = bytes(offset);
  unpack<32>(x, out, n, [less](const uint8_t* x, int8_t* out) {
    const Bytes a = load(static_cast<const void*>(x));
    const Bytes first = sub(field<4, 15>(a), less);
    const Bytes second = sub(field<0, 15>(a), less);
    store(static_cast<void*>(out), zip_low(first, second));
    store(static_cast<void*>(out + 16), zip_high(first, second));
  });
}

void unpack2(const uint8_t* x, int8_t* out, int64_t n, int8_t offset) {
  const Bytes less = bytes(offset);
  unpack<64>(x, out, n, [less](const uint8_t* x, int8_t* out) {
    const Bytes a = load(static_cast<const void*>(x));
    const Bytes v0 = sub(field<0, 3>(a), less), v1 = sub(field<2, 3>(a), less);
    const Bytes v2 = sub(field<4, 3>(a), less), v3 = sub(field<6, 3>(a), less);
    const Bytes a01 = zip_low(v0, v1), a23 = zip_low(v2, v3);
    const Bytes b01 = zip_high(v0, v1), b23 = zip_high(v2, v3);
    const Bytes result[] = {zip_pairs_low(a01, a23), zip_pairs_high(a01, a23),
                            zip_pairs_low(b01, b23), zip_pairs_high(b01, b23)};
    for (int i = 0; i < 4; ++i) {
      store(static_cast<void*>(out + 16 * i), result[i]);
    }
  });
}

// -- Sums ----------------------------------------------------------------

void add(const float* a, const float* b, float* out, int64_t n) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    store(out + i, add(load(a + i), load(b + i)));
  }
  for (; i < n; ++i) {
    out[i] = a[i] + b[i];
  }
}

void multiply_add(float a, const float* x, float* out, int64_t n) {
  const F factor = set(a);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    store(out + i, fused(factor, load(x + i), load(out + i)));
  }
  for (; i < n; ++i) {
    out[i] += a * x[i];
  }
}

float dot(const float* a, const float* b, int64_t n) {
  constexpr int kChains = 4, kStep = kChains * kLanes;
  F sum[kChains];
  for (int c = 0; c < kChains; ++c) {
    sum[c] = set(0.0f);
  }
  int64_t i = 0;
  for (; i + kStep <= n; i += kStep) {
    for (int c = 0; c < kChains; ++c) {
      const int64_t k = i + c * kLanes;
      sum[c] = fused(load(a + k), load(b + k), sum[c]);
    }
  }
  float parts[kLanes], total = 0;
  store(parts, add(add(sum[0], sum[1]), add(sum[2], sum[3])));
  for (int k = 0; k < kLanes; ++k) {
    total += parts[k];
  }
  for (; i < n; ++i) {
    total += a[i] * b[i];
  }
  return total;
}

}  // namespace

// A row of a table: one function per integer type, in the order of Int.
#define ET_INTS(fn, ...)                                     \
  {                                                          \
    fn<__VA_ARGS__, uint8_t>, fn<__VA_ARGS__, int8_t>,       \
        fn<__VA_ARGS__, uint16_t>, fn<__VA_ARGS__, int16_t>, \
        fn<__VA_ARGS__, int32_t>                             \
  }
#define ET_PASTE_(a, b) a##b
#define ET_PASTE(a, b) ET_PASTE_(a, b)

extern const Loops ET_PASTE(loops_, ET_ISA);
const Loops ET_PASTE(loops_, ET_ISA) = {
    cpu::Isa::ET_ISA,
    {{ET_INTS(quantize, kOne, kRoundFirst),
      ET_INTS(quantize, kOne, kRoundLast)},
     {ET_INTS(quantize, kMany, kRoundFirst),
      ET_INTS(quantize, kMany, kRoundLast)}},
    {{ET_INTS(quantize, kOne, kRoundFirst),
      ET_INTS(quantize, kOne, kRoundLast)},
     {ET_INTS(quantize, kMany, kRoundFirst),
      ET_INTS(quantize, kMany, kRoundLast)}},
    {{ET_INTS(dequantize, kFloat32, kOne),
      ET_INTS(dequantize, kFloat32, kMany)},
     {{dequantize<kFloat16, kOne, uint8_t>, dequantize<kFloat16, kOne, int8_t>},
      {dequantize<kFloat16, kMany, uint8_t>,
       dequantize<kFloat16, kMany, int8_t>}},
     {{dequantize<kBFloat16, kOne, uint8_t>,
       dequantize<kBFloat16, kOne, int8_t>},
      {dequantize<kBFloat16, kMany, uint8_t>,
       dequantize<kBFloat16, kMany, int8_t>}}},
    {ET_INTS(dequantize, kOne), ET_INTS(dequantize, kMany)},
    min_max,
    unpack4,
    unpack2,
    add,
    multiply_add,
    dot,
};

}  // namespace executorch::kernels::vec
