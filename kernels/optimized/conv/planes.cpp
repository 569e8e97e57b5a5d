#include "kernels/optimized/conv/planes.h"

#include <algorithm>

namespace executorch::kernels::conv {
namespace {

// Part [begin, end) of `extent` points from `low` on that lies in [0, size).
struct Inside {
  Inside(int64_t low, int64_t extent, int64_t size)
      : begin(std::min(std::max<int64_t>(-low, 0), extent)),
        end(std::max(std::min(size - low, extent), begin)) {}
  int64_t begin, end;
};

}  // namespace

Planes::Planes(const Shape& shape, const Window& window)
    : shape(shape), axes(window.axes) {
  const int64_t step = axes[2].step;
  int64_t all;
  if (__builtin_add_overflow(axes[2].extent(), step - 1, &run)) {
    return;
  }
  run /= step;
  if (__builtin_mul_overflow(run, step, &row) ||
      __builtin_mul_overflow(row, axes[1].extent(), &slice) ||
      __builtin_mul_overflow(slice, axes[0].extent(), &all)) {
    return;
  }
  size = all;
}

int64_t Planes::tap_offset(int64_t z, int64_t y, int64_t x) const {
  const int64_t at = axes[2].offset(x) - axes[2].low;
  return (axes[0].offset(z) - axes[0].low) * slice +
         (axes[1].offset(y) - axes[1].low) * row + at % axes[2].step * run +
         at / axes[2].step;
}

template <class T>
void Planes::fill_row(const gemm::Cast<T>& cast, const char* from, T outside,
                      T* to) const {
  const Axis& x = axes[2];
  const int64_t stride = shape.in_image.strides[2];
  const Inside inside(x.low, run * x.step, shape.in[2]);
  for (int64_t r = 0; r < x.step; ++r, to += run) {
    // Points r, r + step, ... of the row; those from `begin` to `end` exist.
    const int64_t begin = (inside.begin - r + x.step - 1) / x.step;
    const int64_t end = std::max((inside.end - r + x.step - 1) / x.step, begin);
    std::fill(to, to + begin, outside);
    cast.read(from + (begin * x.step + r + x.low) * stride * cast.item(),
              stride * x.step, to + begin, end - begin);
    std::fill(to + end, to + run, outside);
  }
}

template <class T>
void Planes::fill(const gemm::Cast<T>& cast, const char* from, T outside,
                  T* to) const {
  const Inside zs(axes[0].low, axes[0].extent(), shape.in[0]);
  const Inside ys(axes[1].low, axes[1].extent(), shape.in[1]);
  const int64_t* strides = shape.in_image.strides;
  std::fill(to, to + zs.begin * slice, outside);
  for (int64_t z = zs.begin; z < zs.end; ++z) {
    T* rows = to + z * slice;
    std::fill(rows, rows + ys.begin * row, outside);
    for (int64_t y = ys.begin; y < ys.end; ++y) {
      const int64_t at =
          (z + axes[0].low) * strides[0] + (y + axes[1].low) * strides[1];
      fill_row(cast, from + at * cast.item(), outside, rows + y * row);
    }
    std::fill(rows + ys.end * row, rows + slice, outside);
  }
  std::fill(to + zs.end * slice, to + size, outside);
}

template void Planes::fill(const gemm::Cast<float>&, const char*, float,
                           float*) const;
template void Planes::fill(const gemm::Cast<double>&, const char*, double,
                           double*) const;
template void Planes::fill(const gemm::Cast<int64_t>&, const char*, int64_t,
                           int64_t*) const;

}  // namespace executorch::kernels::conv
