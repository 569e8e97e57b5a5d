// Compiled once per instruction set with -DET_ISA=<name> and the flags of that
// set. Includes nothing with inline functions that others may share.
#include "kernels/optimized/conv/sweep.h"
#include "kernels/optimized/gemm/vector_isa.h"

namespace executorch::kernels::conv {
namespace {

constexpr int kLanes = Vec::kLanes;

// A block of results in registers: R rows of V vectors, of which the last has
// only `last` results.
template <int R, int V>
struct Block {
  Vec sums[R][V];

  explicit Block(Vec start) {
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) {
        sums[r][v] = start;
      }
    }
  }

  // f(sum, vector of items) for the items that one tap meets.
  template <class F>
  void step(const float* in, int64_t in_step, F f) {
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) {
        sums[r][v] = f(sums[r][v], Vec::load(in + r * in_step + v * kLanes));
      }
    }
  }

  // f(sum, row, vector) is stored.
  template <class F>
  void store(float* out, int64_t out_step, int last, F f) const {
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) {
        const Vec x = f(sums[r][v], r, v);
        float* to = out + r * out_step + v * kLanes;
        if (v < V - 1 || last == kLanes) {
          x.store(to);
        } else {
          x.store_first(to, last);
        }
      }
    }
  }
};

// Calls body.run<R, V>(y, x, last) for blocks that cover all results: columns
// in strips of four vectors, two or one, and eight vectors at a time in each.
// Blocks at the end of a strip may cover rows again.
template <int V, int R = 8 / V, class Body>
void for_rows(const Body& body, int64_t rows, int64_t x, int last) {
  if constexpr (R == 8) {  // sizes of images are often multiples of 7
    if (rows % 7 == 0) {
      for_rows<V, 7>(body, rows, x, last);
      return;
    }
  }
  if constexpr (R > 1) {
    if (rows < R) {
      for_rows<V, R / 2>(body, rows, x, last);
      return;
    }
  }
  for (int64_t y = 0; y < rows; y += R) {
    body.template run<R, V>(y + R < rows ? y : rows - R, x, last);
  }
}

template <class Body>
void for_blocks(const Body& body, int64_t rows, int64_t columns) {
  const auto last = [=](int64_t x, int vectors) {
    const int64_t left = columns - x - (vectors - 1) * kLanes;
    return static_cast<int>(left < kLanes ? left : kLanes);
  };
  for (int64_t x = 0; x < columns;) {
    const int64_t left = columns - x;
    if (left > 3 * kLanes) {
      for_rows<4>(body, rows, x, last(x, 4));
      x += 4 * kLanes;
    } else if (left > kLanes) {
      for_rows<2>(body, rows, x, last(x, 2));
      x += 2 * kLanes;
    } else {
      for_rows<1>(body, rows, x, last(x, 1));
      x += kLanes;
    }
  }
}

struct Weigh {
  const Sweep<float>& s;
  const float* weights;
  float bias;
  Vec low, high;

  template <int R, int V>
  void store(const Block<R, V>& block, int64_t y, int64_t x, int last) const {
    block.store(s.out + y * s.out_step + x, s.out_step, last,
                [this](Vec sum, int, int) {
                  return at_most(at_least(sum, low), high);
                });
  }

  template <int R, int V>
  void run(int64_t y, int64_t x, int last) const {
    Block<R, V> block(Vec::all(bias));
    const float* in = s.in + y * s.in_step + x;
    for (int64_t t = 0; t < s.taps; ++t) {
      const Vec weight = Vec::all(weights[t]);
      block.step(in + s.offsets[t], s.in_step,
                 [=](Vec sum, Vec item) { return fma(weight, item, sum); });
    }
    store(block, y, x, last);
  }
};

// The same for kTaps rows of taps, one row of the plane apart, with results
// kStep rows apart: a row of the plane is loaded once for all results that it
// is in.
template <int kTaps, int kStep>
struct WeighRows : Weigh {
  template <int R, int V>
  void run(int64_t y, int64_t x, int last) const {
    Block<R, V> block(Vec::all(bias));
    const int64_t width = s.taps / kTaps;
    const int64_t row = s.in_step / kStep;
    for (int64_t t = 0; t < width; ++t) {
      Vec weight[kTaps];
#pragma GCC unroll 8
      for (int i = 0; i < kTaps; ++i) {
        weight[i] = Vec::all(weights[i * width + t]);
      }
      const float* in = s.in + y * s.in_step + x + s.offsets[t];
#pragma GCC unroll 32
      for (int i = 0; i < (R - 1) * kStep + kTaps; ++i) {
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v) {
          const Vec item = Vec::load(in + i * row + v * kLanes);
#pragma GCC unroll 8
          for (int r = 0; r < R; ++r) {
            if (const int tap = i - r * kStep; tap >= 0 && tap < kTaps) {
              block.sums[r][v] = fma(weight[tap], item, block.sums[r][v]);
            }
          }
        }
      }
    }
    store(block, y, x, last);
  }
};

// Does so if the taps are kTaps rows of the plane and results kStep rows apart.
template <int kTaps, int kStep>
bool weigh_rows(const Weigh& any) {
  const Sweep<float>& s = any.s;
  if (s.taps % kTaps != 0 || s.in_step % kStep != 0) {
    return false;
  }
  const int64_t width = s.taps / kTaps;
  for (int64_t t = width; t < s.taps; ++t) {
    if (s.offsets[t] - s.offsets[t - width] != s.in_step / kStep) {
      return false;
    }
  }
  for_blocks(WeighRows<kTaps, kStep>{any}, s.rows, s.columns);
  return true;
}

void weigh(const Sweep<float>& s, const float* weights, float bias,
           const float* limits) {
  const Weigh any = {s, weights, bias, Vec::all(limits[0]),
                     Vec::all(limits[1])};
  if (!weigh_rows<3, 1>(any) && !weigh_rows<3, 2>(any) &&
      !weigh_rows<5, 1>(any) && !weigh_rows<5, 2>(any)) {
    for_blocks(any, s.rows, s.columns);
  }
}

struct Mean {
  const Sweep<float>& s;
  const float* row_scales;
  const float* column_scales;

  template <int R, int V>
  void run(int64_t y, int64_t x, int last) const {
    Block<R, V> block(Vec::all(0));
    const float* in = s.in + y * s.in_step + x;
    for (int64_t t = 0; t < s.taps; ++t) {
      block.step(in + s.offsets[t], s.in_step, add);
    }
    block.store(s.out + y * s.out_step + x, s.out_step, last,
                [=](Vec sum, int r, int v) {
                  const Vec scale = Vec::load(column_scales + x + v * kLanes);
                  return mul(mul(sum, scale), Vec::all(row_scales[y + r]));
                });
  }
};

void mean(const Sweep<float>& s, const float* row_scales,
          const float* column_scales) {
  for_blocks(Mean{s, row_scales, column_scales}, s.rows, s.columns);
}

typedef float Floats __attribute__((vector_size(4 * kLanes)));
typedef int32_t Ints __attribute__((vector_size(4 * kLanes)));
typedef int64_t Longs __attribute__((vector_size(8 * kLanes)));

template <class V, class T>
V load(const T* from) {
  V x;
  __builtin_memcpy(&x, from, sizeof(x));
  return x;
}

// A NaN stays, whichever it is.
inline Vec greatest(Vec best, Vec x) {
  const Vec greater = at_least(best, x);
  Floats item, result;
  __builtin_memcpy(&item, &x, sizeof(x));
  __builtin_memcpy(&result, &greater, sizeof(greater));
  result = item != item ? item : result;
  Vec y;
  __builtin_memcpy(&y, &result, sizeof(y));
  return y;
}

struct Max {
  const Sweep<float>& s;

  template <int R, int V>
  void run(int64_t y, int64_t x, int last) const {
    Block<R, V> block(Vec::all(-__builtin_inff()));
    const float* in = s.in + y * s.in_step + x;
    for (int64_t t = 0; t < s.taps; ++t) {
      block.step(in + s.offsets[t], s.in_step, greatest);
    }
    block.store(s.out + y * s.out_step + x, s.out_step, last,
                [](Vec best, int, int) { return best; });
  }
};

void max(const Sweep<float>& s) { for_blocks(Max{s}, s.rows, s.columns); }

// One vector of maxima. `at` has the place of tap offset 0, `place` what is
// told when nothing is greater than -infinity.
void max_vector(float* out, int64_t* places, int64_t count, const float* in,
                const Sweep<float>& s, const int32_t* tap_steps, Ints at,
                Ints place) {
  Floats best = Floats{} - __builtin_inff();
  for (int64_t t = 0; t < s.taps; ++t) {
    const Floats x = load<Floats>(in + s.offsets[t]);
    const Ints better = (x > best) | (x != x);
    best = better ? x : best;
    place = better ? at + tap_steps[t] : place;
  }
  const Longs wide = __builtin_convertvector(place, Longs);
  if (count == kLanes) {
    __builtin_memcpy(out, &best, sizeof(best));
    __builtin_memcpy(places, &wide, sizeof(wide));
  } else {
    __builtin_memcpy(out, &best, sizeof(float) * count);
    __builtin_memcpy(places, &wide, sizeof(int64_t) * count);
  }
}

void find_max(const Sweep<float>& s, const MaxPlaces& where) {
  Ints steps;
  for (int i = 0; i < kLanes; ++i) {
    steps[i] = i * where.column_step;
  }
  for (int64_t y = 0; y < s.rows; ++y) {
    const int32_t row = where.origin + static_cast<int32_t>(y) * where.row_step;
    for (int64_t x = 0; x < s.columns; x += kLanes) {
      const int64_t left = s.columns - x;
      const Ints first =
          load<Ints>(where.column_firsts + x) + where.row_firsts[y];
      max_vector(
          s.out + y * s.out_step + x, where.places + y * where.places_step + x,
          left < kLanes ? left : kLanes, s.in + y * s.in_step + x, s,
          where.tap_steps,
          steps + (row + static_cast<int32_t>(x) * where.column_step), first);
    }
  }
}

void copy(float* to, int64_t to_step, const float* from, int64_t from_step,
          int64_t rows, int64_t columns) {
  const int64_t whole = columns / kLanes * kLanes;
  const int left = static_cast<int>(columns - whole);
  for (int64_t y = 0; y < rows; ++y, to += to_step, from += from_step) {
    for (int64_t x = 0; x < whole; x += kLanes) {
      Vec::load(from + x).store(to + x);
    }
    if (left > 0) {
      Vec::load_first(from + whole, left).store_first(to + whole, left);
    }
  }
}

void split(float* even, float* odd, int64_t to_step, const float* from,
           int64_t from_step, int64_t rows, int64_t columns) {
  const int64_t whole = columns / (2 * kLanes) * (2 * kLanes);
  const int left = static_cast<int>(columns - whole);
  const int first = left < kLanes ? left : kLanes;
  for (int64_t y = 0; y < rows; ++y) {
    for (int64_t x = 0; x < whole; x += 2 * kLanes) {
      const Pair p =
          deinterleave(Vec::load(from + x), Vec::load(from + x + kLanes));
      p.even.store(even + x / 2);
      p.odd.store(odd + x / 2);
    }
    if (left > 0) {
      const Pair p =
          deinterleave(Vec::load_first(from + whole, first),
                       Vec::load_first(from + whole + first, left - first));
      p.even.store_first(even + whole / 2, (left + 1) / 2);
      p.odd.store_first(odd + whole / 2, left / 2);
    }
    even += to_step;
    odd += to_step;
    from += from_step;
  }
}

}  // namespace

#define ET_PASTE_(a, b) a##b
#define ET_PASTE(a, b) ET_PASTE_(a, b)

extern const Sweeps ET_PASTE(sweeps_, ET_ISA);
const Sweeps ET_PASTE(sweeps_, ET_ISA) = {cpu::Isa::ET_ISA, weigh, mean, max,
                                          find_max,         copy,  split};

}  // namespace executorch::kernels::conv
