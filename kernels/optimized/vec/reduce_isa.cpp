// Compiled once per instruction set with -DET_ISA=<name> and the flags of that
// set. Includes nothing with inline functions that others see: see the rules in
// README.md.
#include "kernels/optimized/vec/reduce.h"
#include "kernels/optimized/vec/simd_isa.h"

namespace executorch::kernels::vec {
namespace {

// Sums are kept in so many lanes, whatever the instruction set, so that all of
// them give the same result. A row of them is an array of vectors: the compiler
// takes comparisons and conversions of vectors apart that are longer than those
// of the set.
constexpr int kRow = 16;
constexpr int kParts = kRow / kLanes;

void add(F* row, const float* x) {
  for (int k = 0; k < kParts; ++k) {
    row[k] += load(x + k * kLanes);
  }
}

double total(const Doubles* row) {
  double sum = 0;
  for (int k = 0; k < kParts; ++k) {
    for (const D& half : {row[k].low, row[k].high}) {
      for (int i = 0; i < kLanes / 2; ++i) {
        sum += half[i];
      }
    }
  }
  return sum;
}

double sum(const float* x, int64_t n) {
  constexpr int64_t kDepth = 16;
  constexpr int64_t kStep = 4 * kRow;
  Doubles sums[kParts] = {};
  int64_t i = 0;
  while (i + kStep <= n) {
    F a[kParts] = {}, b[kParts] = {}, c[kParts] = {}, d[kParts] = {};
    for (int64_t k = 0; k < kDepth && i + kStep <= n; ++k, i += kStep) {
      add(a, x + i);
      add(b, x + i + kRow);
      add(c, x + i + 2 * kRow);
      add(d, x + i + 3 * kRow);
    }
    for (int k = 0; k < kParts; ++k) {
      const Doubles wide = widen((a[k] + b[k]) + (c[k] + d[k]));
      sums[k].low += wide.low;
      sums[k].high += wide.high;
    }
  }
  double rest = 0;
  for (; i < n; ++i) {
    rest += static_cast<double>(x[i]);
  }
  return total(sums) + rest;
}

void add(double* sums, const float* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    sums[i] += static_cast<double>(x[i]);
  }
}

// A NaN on either side wins.
struct Max {
  static float of(float a, float b) { return b > a || b != b ? b : a; }
#if defined(__aarch64__)
  static F of(F a, F b) { return vmaxq_f32(a, b); }
#else
  static F of(F a, F b) { return ((b > a) | (b != b)) ? b : a; }
#endif
};
struct Min {
  static float of(float a, float b) { return b < a || b != b ? b : a; }
#if defined(__aarch64__)
  static F of(F a, F b) { return vminq_f32(a, b); }
#else
  static F of(F a, F b) { return ((b < a) | (b != b)) ? b : a; }
#endif
};

template <class Extreme>
float extreme(float start, const float* x, int64_t n) {
  constexpr int64_t kStep = 4 * kLanes;
  float result = start;
  int64_t i = 0;
  if (n >= kStep) {
    F a = load(x), b = load(x + kLanes), c = load(x + 2 * kLanes),
      d = load(x + 3 * kLanes);
    for (i = kStep; i + kStep <= n; i += kStep) {
      a = Extreme::of(a, load(x + i));
      b = Extreme::of(b, load(x + i + kLanes));
      c = Extreme::of(c, load(x + i + 2 * kLanes));
      d = Extreme::of(d, load(x + i + 3 * kLanes));
    }
    a = Extreme::of(Extreme::of(a, b), Extreme::of(c, d));
    for (int k = 0; k < kLanes; ++k) {
      result = Extreme::of(result, a[k]);
    }
  }
  for (; i < n; ++i) {
    result = Extreme::of(result, x[i]);
  }
  return result;
}

template <class Extreme>
void extreme_each(float* extremes, const float* x, int64_t n) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    store(extremes + i, Extreme::of(load(extremes + i), load(x + i)));
  }
  for (; i < n; ++i) {
    extremes[i] = Extreme::of(extremes[i], x[i]);
  }
}

void moments(const float* x, int64_t n, double shift, double* sums) {
  Doubles first[kParts] = {}, second[kParts] = {};
  int64_t i = 0;
  for (; i + kRow <= n; i += kRow) {
    for (int k = 0; k < kParts; ++k) {
      const Doubles wide = widen(load(x + i + k * kLanes));
      const D low = wide.low - shift, high = wide.high - shift;
      first[k].low += low;
      first[k].high += high;
      second[k].low += low * low;
      second[k].high += high * high;
    }
  }
  double rest = 0, rest_squares = 0;
  for (; i < n; ++i) {
    const double d = static_cast<double>(x[i]) - shift;
    rest += d;
    rest_squares += d * d;
  }
  sums[0] += total(first) + rest;
  sums[1] += total(second) + rest_squares;
}

void normalize(const float* x, float* out, int64_t n, float mean, float scale,
               const float* weight, const float* bias) {
  if (weight == nullptr && bias == nullptr) {
    for (int64_t i = 0; i < n; ++i) {
      out[i] = (x[i] - mean) * scale;
    }
  } else if (bias == nullptr) {
    for (int64_t i = 0; i < n; ++i) {
      out[i] = (x[i] - mean) * scale * weight[i];
    }
  } else if (weight == nullptr) {
    for (int64_t i = 0; i < n; ++i) {
      out[i] = (x[i] - mean) * scale + bias[i];
    }
  } else {
    for (int64_t i = 0; i < n; ++i) {
      out[i] = (x[i] - mean) * scale * weight[i] + bias[i];
    }
  }
}

void affine(const float* x, float* out, int64_t n, float scale, float shift) {
  for (int64_t i = 0; i < n; ++i) {
    out[i] = x[i] * scale + shift;
  }
}

}  // namespace

#define ET_PASTE_(a, b) a##b
#define ET_PASTE(a, b) ET_PASTE_(a, b)

extern const Reduce ET_PASTE(reduce_, ET_ISA);
const Reduce ET_PASTE(reduce_, ET_ISA) = {cpu::Isa::ET_ISA,
                                          sum,
                                          add,
                                          extreme<Max>,
                                          extreme<Min>,
                                          extreme_each<Max>,
                                          extreme_each<Min>,
                                          moments,
                                          normalize,
                                          affine};

}  // namespace executorch::kernels::vec
