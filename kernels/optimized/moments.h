// Mean and variance of elements, taken in one pass.
//
// Elements are summed in double as differences from the first of them, together
// with their squares: the difference between the two sums that gives the
// variance then loses few digits, however large the mean is.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/optimized/vec/reduce.h"

namespace executorch::kernels {

struct MomentSums {
  double count;
  double shift;
  double sums[2];  // of the differences from `shift`, and of their squares

  double mean() const { return shift + sums[0] / count; }
  // Sum of the squared differences from the mean; never below 0.
  double squares() const {
    const double rest = sums[1] - sums[0] * sums[0] / count;
    return rest < 0 ? 0 : rest;
  }
};

// An accumulator for kernels/common/reduce.h.
template <class T>
struct Moments {
  using In = T;
  using State = MomentSums;
  static State empty() { return {0, 0, {0, 0}}; }
  static void row(State& s, const T* x, int64_t n, int64_t) {
    if (s.count == 0) {
      s.shift = static_cast<double>(x[0]);
    }
    s.count += static_cast<double>(n);
    if constexpr (std::is_same_v<T, float>) {
      vec::reduce().moments(x, n, s.shift, s.sums);
    } else {
      for (int64_t i = 0; i < n; ++i) {
        add(s, x[i]);
      }
    }
  }
  static void column(State* states, const T* x, int64_t n, int64_t) {
    for (int64_t i = 0; i < n; ++i) {
      State& s = states[i];
      s.shift = s.count == 0 ? static_cast<double>(x[i]) : s.shift;
      s.count += 1;
      add(s, x[i]);
    }
  }
  static void merge(State& s, const State& next) {
    const double moved = next.shift - s.shift;
    s.sums[1] +=
        next.sums[1] + 2 * moved * next.sums[0] + next.count * moved * moved;
    s.sums[0] += next.sums[0] + next.count * moved;
    s.count += next.count;
  }

 private:
  static void add(State& s, T x) {
    const double d = static_cast<double>(x) - s.shift;
    s.sums[0] += d;
    s.sums[1] += d * d;
  }
};

}  // namespace executorch::kernels
