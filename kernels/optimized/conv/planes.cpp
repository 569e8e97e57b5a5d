#include "kernels/optimized/conv/planes.h"

#include <algorithm>

#include "kernels/optimized/conv/sweep.h"

namespace executorch::kernels::conv {

namespace {

constexpr int64_t kLine = 16;  // floats of a cache line

bool round_up(int64_t* n) {
  return !__builtin_add_overflow(*n, kLine - 1, n) && (*n &= -kLine, true);
}

}  // namespace

Planes::Planes(const Shape& shape, const Window& window)
    : shape(shape), axes(window.axes) {
  for (int d = 0; d < 3; ++d) {
    const int64_t low = axes[d].low, extent = axes[d].extent();
    const int64_t begin = std::min(std::max<int64_t>(-low, 0), extent);
    const int64_t end = std::min(shape.in[d] - low, extent);
    inside_[d] = {begin, std::max(begin, end)};
  }
  // Where remainders begin one point later, that is the second place of their
  // run: the one before it is left free at the end of the run before.
  const int64_t step = axes[2].step;
  const bool aligned = step <= 2;
  lead_ = aligned ? kLine - inside_[2].begin / step % kLine : 0;
  int64_t all;
  if (__builtin_add_overflow(axes[2].extent(), step - 1, &run_)) {
    return;
  }
  run_ = run_ / step + (aligned ? step - 1 : 0);
  if ((aligned && !round_up(&run_)) ||
      __builtin_mul_overflow(run_, step, &row) ||
      __builtin_mul_overflow(row, axes[1].extent(), &slice) ||
      __builtin_mul_overflow(slice, axes[0].extent(), &all) ||
      __builtin_add_overflow(all, lead_, &all) || !round_up(&all)) {
    return;
  }
  size = all;
  first_ = place(0);
  second_ = place(1);
}

// Where the points with that remainder begin in a row.
int64_t Planes::start(int64_t remainder) const {
  const bool comes_later = remainder < inside_[2].begin % axes[2].step;
  return lead_ + remainder * run_ - (lead_ > 0 && comes_later ? 1 : 0);
}

// Where the n-th point of the first row of the input goes.
int64_t Planes::place(int64_t n) const {
  const int64_t x = inside_[2].begin + n;
  return inside_[1].begin * row + start(x % axes[2].step) + x / axes[2].step;
}

int64_t Planes::tap_offset(int64_t z, int64_t y, int64_t x) const {
  const int64_t at = axes[2].offset(x) - axes[2].low;
  return (axes[0].offset(z) - axes[0].low) * slice +
         (axes[1].offset(y) - axes[1].low) * row + start(at % axes[2].step) +
         at / axes[2].step;
}

template <class T>
void Planes::fill_slice(const gemm::Cast<T>& cast, const char* from,
                        T* to) const {
  const Inside &ys = inside_[1], &xs = inside_[2];
  const int64_t step = axes[2].step;
  const int64_t row_stride = shape.in_image.strides[1];
  const int64_t stride = shape.in_image.strides[2];
  const int64_t count = xs.end - xs.begin;
  from += ((ys.begin + axes[1].low) * row_stride +
           (xs.begin + axes[2].low) * stride) *
          cast.item();
  if constexpr (std::is_same_v<T, float>) {
    if (cast.same() && stride == 1 && step <= 2) {
      const float* items = reinterpret_cast<const float*>(from);
      const int64_t rows = ys.end - ys.begin;
      if (step == 1) {
        sweeps().copy(to + first_, row, items, row_stride, rows, count);
      } else {
        sweeps().split(to + first_, to + second_, row, items, row_stride, rows,
                       count);
      }
      return;
    }
  }
  for (int64_t y = ys.begin; y < ys.end; ++y) {
    for (int64_t n = 0; n < std::min(step, count); ++n) {
      cast.read(from + n * stride * cast.item(), stride * step,
                to + place(n) + (y - ys.begin) * row,
                (count - n + step - 1) / step);
    }
    from += row_stride * cast.item();
  }
}

template <class T>
void Planes::fill(const gemm::Cast<T>& cast, const char* from, T* to) const {
  for (int64_t z = inside_[0].begin; z < inside_[0].end; ++z) {
    const int64_t at = (z + axes[0].low) * shape.in_image.strides[0];
    fill_slice(cast, from + at * cast.item(), to + z * slice);
  }
}

template void Planes::fill(const gemm::Cast<float>&, const char*, float*) const;
template void Planes::fill(const gemm::Cast<double>&, const char*,
                           double*) const;
template void Planes::fill(const gemm::Cast<int64_t>&, const char*,
                           int64_t*) const;

}  // namespace executorch::kernels::conv
