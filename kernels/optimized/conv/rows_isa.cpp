// Compiled once per instruction set with -DET_ISA=<name> and the flags of that
// set. Includes nothing with inline functions that others may share.
#include "kernels/optimized/conv/rows.h"
#include "kernels/optimized/gemm/vector_isa.h"

namespace executorch::kernels::conv {
namespace {

constexpr int kLanes = Vec::kLanes;

template <int N>
struct Count {
  static constexpr int value = N;
};

// Calls f(i, vectors) for pieces of n results: four vectors where they fit,
// then one; the last is of `rest` results when it is not full.
template <class F>
void for_vectors(int64_t n, F f) {
  int64_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    f(i, Count<4>{}, kLanes);
  }
  for (; i < n; i += kLanes) {
    f(i, Count<1>{}, n - i < kLanes ? n - i : kLanes);
  }
}

void store(Vec x, float* to, int64_t count) {
  if (count == kLanes) {
    x.store(to);
    return;
  }
  float all[kLanes];
  x.store(all);
  for (int64_t i = 0; i < count; ++i) {
    to[i] = all[i];
  }
}

void weigh(float* out, int64_t n, const float* in, const int64_t* offsets,
           const float* weights, int64_t taps, float bias) {
  for_vectors(n, [=](int64_t i, auto vectors, int64_t count) {
    constexpr int V = decltype(vectors)::value;
    Vec sums[V];
#pragma GCC unroll 4
    for (int j = 0; j < V; ++j) {
      sums[j] = Vec::all(bias);
    }
    for (int64_t t = 0; t < taps; ++t) {
      const Vec w = Vec::all(weights[t]);
      const float* from = in + offsets[t] + i;
#pragma GCC unroll 4
      for (int j = 0; j < V; ++j) {
        sums[j] = fma(w, Vec::load(from + j * kLanes), sums[j]);
      }
    }
#pragma GCC unroll 4
    for (int j = 0; j < V; ++j) {
      store(sums[j], out + i + j * kLanes, count);
    }
  });
}

void mean(float* out, int64_t n, const float* in, const int64_t* offsets,
          int64_t taps, float scale, const float* scales) {
  for_vectors(n, [=](int64_t i, auto vectors, int64_t count) {
    constexpr int V = decltype(vectors)::value;
    Vec sums[V];
#pragma GCC unroll 4
    for (int j = 0; j < V; ++j) {
      sums[j] = Vec::all(0);
    }
    for (int64_t t = 0; t < taps; ++t) {
      const float* from = in + offsets[t] + i;
#pragma GCC unroll 4
      for (int j = 0; j < V; ++j) {
        sums[j] = add(sums[j], Vec::load(from + j * kLanes));
      }
    }
#pragma GCC unroll 4
    for (int j = 0; j < V; ++j) {
      const Vec each = mul(Vec::all(scale), Vec::load(scales + i + j * kLanes));
      store(mul(sums[j], each), out + i + j * kLanes, count);
    }
  });
}

typedef float Floats __attribute__((vector_size(4 * kLanes)));
typedef int32_t Ints __attribute__((vector_size(4 * kLanes)));

template <class V, class T>
V load(const T* from) {
  V x;
  __builtin_memcpy(&x, from, sizeof(x));
  return x;
}

// One vector of maxima. `at` has the place of tap 0, `place` what is told when
// there is none.
void max_vector(float* out, int32_t* places, int64_t count, const float* in,
                const int64_t* offsets, const int32_t* steps, int64_t taps,
                Ints at, Ints place) {
  Floats best = Floats{} - __builtin_inff();
  for (int64_t t = 0; t < taps; ++t) {
    const Floats x = load<Floats>(in + offsets[t]);
    const Ints better = (x > best) | (x != x);
    best = better ? x : best;
    place = better ? at + steps[t] : place;
  }
  __builtin_memcpy(out, &best, sizeof(float) * count);
  __builtin_memcpy(places, &place, sizeof(int32_t) * count);
}

void max(float* out, int32_t* places, int64_t n, const float* in,
         const int64_t* offsets, const int32_t* steps, int64_t taps,
         const MaxPlaces& where) {
  Ints at;
  for (int i = 0; i < kLanes; ++i) {
    at[i] = where.origin + i * where.step;
  }
  for (int64_t i = 0; i < n; i += kLanes, at += where.step * kLanes) {
    const Ints first = load<Ints>(where.firsts + i) + where.first;
    if (i + kLanes <= n) {
      max_vector(out + i, places + i, kLanes, in + i, offsets, steps, taps, at,
                 first);
    } else {
      max_vector(out + i, places + i, n - i, in + i, offsets, steps, taps, at,
                 first);
    }
  }
}

}  // namespace

#define ET_PASTE_(a, b) a##b
#define ET_PASTE(a, b) ET_PASTE_(a, b)

extern const Rows ET_PASTE(rows_, ET_ISA);
const Rows ET_PASTE(rows_, ET_ISA) = {cpu::Isa::ET_ISA, weigh, mean, max};

}  // namespace executorch::kernels::conv
