#include "kernels/optimized/conv/patches.h"

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
void Planes::fill_row(const gemm::Cast<T>& cast, const char* from,
                      T* to) const {
  const Axis& x = axes[2];
  const int64_t stride = shape.in_image.strides[2];
  const Inside inside(x.low, run * x.step, shape.in[2]);
  for (int64_t r = 0; r < x.step; ++r, to += run) {
    // Points r, r + step, ... of the row; those from `begin` to `end` exist.
    const int64_t begin = (inside.begin - r + x.step - 1) / x.step;
    const int64_t end = std::max((inside.end - r + x.step - 1) / x.step, begin);
    std::fill(to, to + begin, T(0));
    cast.read(from + (begin * x.step + r + x.low) * stride * cast.item(),
              stride * x.step, to + begin, end - begin);
    std::fill(to + end, to + run, T(0));
  }
}

template <class T>
void Planes::fill(const gemm::Cast<T>& cast, const char* from, T* to) const {
  const Inside zs(axes[0].low, axes[0].extent(), shape.in[0]);
  const Inside ys(axes[1].low, axes[1].extent(), shape.in[1]);
  const int64_t* strides = shape.in_image.strides;
  std::fill(to, to + zs.begin * slice, T(0));
  for (int64_t z = zs.begin; z < zs.end; ++z) {
    T* rows = to + z * slice;
    std::fill(rows, rows + ys.begin * row, T(0));
    for (int64_t y = ys.begin; y < ys.end; ++y) {
      const int64_t at =
          (z + axes[0].low) * strides[0] + (y + axes[1].low) * strides[1];
      fill_row(cast, from + at * cast.item(), rows + y * row);
    }
    std::fill(rows + ys.end * row, rows + slice, T(0));
  }
  std::fill(to + zs.end * slice, to + size, T(0));
}

template <class T>
gemm::Panel<T> Patches<T>::panel(int64_t batch, const gemm::Range& range,
                                 int64_t width, int64_t from, int64_t depth,
                                 T* buffer) const {
  const int64_t channels = planes_.shape.in_channels;
  const Axis* axes = window_.axes;
  constexpr int64_t kMost = 64;  // columns of a panel
  gemm::Run runs[kMost];
  int64_t count = 0;
  for (int64_t done = 0; done < range.count;) {
    const int64_t point = range.first + done;
    const int64_t x = point % axes[2].points;
    const int64_t y = point / axes[2].points % axes[1].points;
    const int64_t z = point / axes[2].points / axes[1].points;
    const int64_t length = std::min(axes[2].points - x, range.count - done);
    runs[count++] = {
        z * axes[0].step * planes_.slice + y * axes[1].step * planes_.row + x,
        static_cast<int32_t>(done), static_cast<int32_t>(length)};
    done += length;
  }
  if (range.count < width) {
    std::fill(buffer, buffer + width * depth, T(0));
  }
  gemm::kernels<T>().pack_runs(buffer, width,
                               data_ + batch * channels * planes_.size,
                               offsets_ + from, depth, runs, count);
  return {buffer, width};
}

template <class T>
int64_t Weights<T>::tap_offset(int64_t tap) const {
  int64_t offset = 0;
  for (int d = 2; d >= 0; --d) {
    const Axis& a = window_.axes[d];
    offset += (a.first_tap + tap % a.taps * a.tap_step) * shape_.weight.taps[d];
    tap /= a.taps;
  }
  return offset;
}

template <class T>
gemm::Panel<T> Weights<T>::panel(int64_t batch, const gemm::Range& range,
                                 int64_t width, int64_t from, int64_t depth,
                                 T* buffer) const {
  const auto& weight = shape_.weight;
  const char* base =
      data_ + cast_.item() * (batch % shape_.groups * weight.group +
                              range.first * weight.output);
  const int64_t taps = window_.taps();
  if (range.count < width) {
    std::fill(buffer, buffer + width * depth, T(0));
  }
  const bool in_order =
      taps == shape_.kernel[0] * shape_.kernel[1] * shape_.kernel[2] &&
      weight.input == taps && weight.taps[2] == 1 &&
      weight.taps[1] == shape_.kernel[2] &&
      weight.taps[0] == shape_.kernel[1] * shape_.kernel[2];
  if (in_order && cast_.same()) {
    gemm::kernels<T>().pack_rows(buffer, width,
                                 reinterpret_cast<const T*>(base) + from,
                                 weight.output, range.count, depth);
    return {buffer, width};
  }
  for (int64_t k = 0; k < depth; ++k) {
    const int64_t at =
        (from + k) / taps * weight.input + tap_offset((from + k) % taps);
    cast_.read(base + at * cast_.item(), weight.output, buffer + k * width,
               range.count);
  }
  return {buffer, width};
}

#define ET_INSTANTIATE(T)                                                  \
  template void Planes::fill(const gemm::Cast<T>&, const char*, T*) const; \
  template class Patches<T>;                                               \
  template class Weights<T>
ET_INSTANTIATE(float);
ET_INSTANTIATE(double);
ET_INSTANTIATE(int64_t);

}  // namespace executorch::kernels::conv
