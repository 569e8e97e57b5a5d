// Compiled once per instruction set with -DET_ISA=<name> and the flags of that
// set. Vectors of 16 floats are the compiler's: it splits them to what the set
// has. Includes nothing with inline functions, so that no copy of one that was
// compiled for a newer CPU can reach an older one.
#include "kernels/optimized/vec/reduce.h"

namespace executorch::kernels::vec {
namespace {

constexpr int64_t kLanes = 16;
typedef float Floats __attribute__((vector_size(64)));
typedef double Doubles __attribute__((vector_size(128)));

Floats load(const float* x) {
  Floats v;
  __builtin_memcpy(&v, x, sizeof(v));
  return v;
}

double total(const Doubles& v) {
  double sum = 0;
  for (int i = 0; i < kLanes; ++i) {
    sum += v[i];
  }
  return sum;
}

double sum(const float* x, int64_t n) {
  constexpr int64_t kDepth = 16;
  constexpr int64_t kStep = 4 * kLanes;
  Doubles sums = {};
  int64_t i = 0;
  while (i + kStep <= n) {
    Floats a = {}, b = {}, c = {}, d = {};
    for (int64_t k = 0; k < kDepth && i + kStep <= n; ++k, i += kStep) {
      a += load(x + i);
      b += load(x + i + kLanes);
      c += load(x + i + 2 * kLanes);
      d += load(x + i + 3 * kLanes);
    }
    sums += __builtin_convertvector((a + b) + (c + d), Doubles);
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

struct Max {
  static float of(float a, float b) { return b > a || b != b ? b : a; }
  static Floats of(Floats a, Floats b) { return ((b > a) | (b != b)) ? b : a; }
};
struct Min {
  static float of(float a, float b) { return b < a || b != b ? b : a; }
  static Floats of(Floats a, Floats b) { return ((b < a) | (b != b)) ? b : a; }
};

// A NaN in `a` stays, as no comparison with it holds.
template <class F>
float extreme(float start, const float* x, int64_t n) {
  float result = start;
  int64_t i = 0;
  if (n >= 4 * kLanes) {
    Floats a = load(x), b = load(x + kLanes), c = load(x + 2 * kLanes),
           d = load(x + 3 * kLanes);
    for (i = 4 * kLanes; i + 4 * kLanes <= n; i += 4 * kLanes) {
      a = F::of(a, load(x + i));
      b = F::of(b, load(x + i + kLanes));
      c = F::of(c, load(x + i + 2 * kLanes));
      d = F::of(d, load(x + i + 3 * kLanes));
    }
    a = F::of(F::of(a, b), F::of(c, d));
    for (int k = 0; k < kLanes; ++k) {
      result = F::of(result, a[k]);
    }
  }
  for (; i < n; ++i) {
    result = F::of(result, x[i]);
  }
  return result;
}

template <class F>
void extreme_each(float* extremes, const float* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    extremes[i] = F::of(extremes[i], x[i]);
  }
}

void moments(const float* x, int64_t n, double shift, double* sums) {
  Doubles first = {}, second = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Doubles d = __builtin_convertvector(load(x + i), Doubles) - shift;
    first += d;
    second += d * d;
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
