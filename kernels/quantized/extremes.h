// The smallest and the largest of floating-point values. NaN, if there is one.
#pragma once

#include <limits>

#include "kernels/quantized/affine.h"

namespace executorch::kernels {

// Comparisons that let NaN pass, as clamp() of PyTorch does.
inline double at_least(double x, double least) { return x < least ? least : x; }
inline double at_most(double x, double most) { return x > most ? most : x; }

struct Extremes {
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();

  void merge(const Extremes& other) {
    min = min != min || min < other.min ? min : other.min;
    max = max != max || max > other.max ? max : other.max;
  }
};

// Of `n` elements of type `type`, `stride` apart.
Extremes extremes(const void* x, ScalarType type, int64_t n, int64_t stride);

// Of a whole tensor, which is not empty.
Extremes extremes(const Tensor& x);

// Of one row of the last dimension; rows count in the order of the indices.
Extremes row_extremes(const Tensor& x, int64_t row);

}  // namespace executorch::kernels
