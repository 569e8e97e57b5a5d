// Which input points an output point of a resized image is made from.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/optimized/conv/shape.h"

namespace executorch::kernels::upsample {

using conv::Image;

// What the operators have in common.
struct Resize {
  ScalarType dtype;
  int64_t batch, channels;
  int64_t in[2], out[2];
  std::optional<double> scales[2];
  Image in_image, out_image;
};

// Input points per output point.
template <class T>
T step(const Resize& r, int d, bool align_corners) {
  if (align_corners) {
    return r.out[d] > 1 ? T(r.in[d] - 1) / T(r.out[d] - 1) : T(0);
  }
  return r.scales[d].has_value() && *r.scales[d] > 0
             ? static_cast<T>(1.0 / *r.scales[d])
             : T(r.in[d]) / T(r.out[d]);
}

// The weighted input points of each output point along one dimension. Weights
// of bytes are integers, in units of 2 ** -shift.
template <class T>
struct Weights {
  Scratch memory, first_memory;
  int64_t most = 0;          // points per output point
  int64_t* first = nullptr;  // [out]
  int64_t* count = nullptr;  // [out]
  T* weight = nullptr;       // [out][most]
  int shift = 0;

  bool reserve(int64_t out, int64_t points) {
    most = points;
    first = first_memory.array<int64_t>(2 * out);
    count = first + out;
    weight =
        points < (int64_t{1} << 32) ? memory.array<T>(out * points) : nullptr;
    return first != nullptr && weight != nullptr;
  }

  bool init_bilinear(const Resize& r, int d, bool align_corners) {
    if (!reserve(r.out[d], 2)) {
      return false;
    }
    const T scale = step<T>(r, d, align_corners);
    for (int64_t i = 0; i < r.out[d]; ++i) {
      const T at = r.in[d] == r.out[d] || align_corners
                       ? (r.in[d] == r.out[d] ? T(i) : scale * T(i))
                       : std::max(scale * (T(i) + T(0.5)) - T(0.5), T(0));
      first[i] = std::min(static_cast<int64_t>(at), r.in[d] - 1);
      count[i] = first[i] + 1 < r.in[d] ? 2 : 1;
      const T part = std::min(std::max(at - T(first[i]), T(0)), T(1));
      weight[2 * i] = count[i] == 2 ? 1 - part : T(1);
      weight[2 * i + 1] = part;
    }
    return true;
  }

  // A triangle around the centre of the output point, as wide as two input
  // points or two output points, whichever is wider.
  bool init_antialiased(const Resize& r, int d, bool align_corners) {
    const T scale = step<T>(r, d, align_corners);
    const T support = std::max(scale, T(1));
    if (!(support < T(1 << 30)) ||
        !reserve(r.out[d], static_cast<int64_t>(std::ceil(support)) * 2 + 1)) {
      return false;
    }
    for (int64_t i = 0; i < r.out[d]; ++i) {
      const T center = scale * (T(i) + T(0.5));
      first[i] =
          std::max<int64_t>(static_cast<int64_t>(center - support + T(0.5)), 0);
      const int64_t end =
          std::min(static_cast<int64_t>(center + support + T(0.5)), r.in[d]);
      first[i] = std::min(first[i], r.in[d] - 1);
      count[i] = std::min(std::max<int64_t>(end - first[i], 0), most);
      T total = 0;
      for (int64_t j = 0; j < count[i]; ++j) {
        const T x = (T(j + first[i]) - center + T(0.5)) / support;
        weight[i * most + j] = std::max(T(1) - std::abs(x), T(0));
        total += weight[i * most + j];
      }
      for (int64_t j = 0; j < count[i] && total != 0; ++j) {
        weight[i * most + j] /= total;
      }
    }
    return true;
  }
};

// As many bits as keep the largest weight below 2 ** 15, and at most 22.
inline bool to_integers(const Weights<double>& from, int64_t out,
                        Weights<int64_t>& to) {
  if (!to.reserve(out, from.most)) {
    return false;
  }
  std::copy(from.first, from.first + 2 * out, to.first);
  const auto for_all = [&](auto f) {
    for (int64_t i = 0; i < out; ++i) {
      for (int64_t j = 0; j < from.count[i]; ++j) {
        f(i * from.most + j);
      }
    }
  };
  double largest = 0;
  for_all([&](int64_t i) { largest = std::max(largest, from.weight[i]); });
  while (to.shift < 22 &&
         largest * std::ldexp(1.0, to.shift + 1) + 0.5 < (1 << 15)) {
    ++to.shift;
  }
  for_all([&](int64_t i) {
    to.weight[i] =
        static_cast<int64_t>(std::ldexp(from.weight[i], to.shift) + 0.5);
  });
  return true;
}

// A sum of weighted points as a point.
template <class T>
T finish(T sum, int shift) {
  if constexpr (std::is_same_v<T, int64_t>) {
    const int64_t half = (int64_t{1} << shift) / 2;
    return std::min<int64_t>((sum + half) >> shift, 255);
  } else {
    return sum;
  }
}

}  // namespace executorch::kernels::upsample
