// The input of a convolution as an operand of a matrix product: one column for
// each output point, one step of k for each tap of each channel.
#pragma once

#include "kernels/optimized/conv/shape.h"
#include "kernels/optimized/gemm/matrix.h"

namespace executorch::kernels::conv {

// The input points that a window reads, channel by channel, with zeros around
// them and with the points of a row sorted by their remainder modulo the step.
// Whatever the padding, stride or dilation, and whatever the layout and dtype
// of the input, the points that one tap meets along a row then lie side by
// side.
struct Planes {
  Planes(const Shape& shape, const Window& window);

  // Items of one channel; -1 when they cannot be counted.
  int64_t size = -1;

  int64_t row = 0;    // items from one row to the next
  int64_t slice = 0;  // and to the next slice
  int64_t run = 0;    // and to the points with the next remainder

  // Where tap (z, y, x) finds its point for output point 0.
  int64_t tap_offset(int64_t z, int64_t y, int64_t x) const;

  // Fills `to` (size items) from the channel at `from`.
  template <class T>
  void fill(const gemm::Cast<T>& cast, const char* from, T* to) const;

  const Shape& shape;
  const Axis* axes;

 private:
  template <class T>
  void fill_row(const gemm::Cast<T>& cast, const char* from, T* to) const;
};

// Calls f(index of the tap in the window, z, y, x) for all taps.
template <class F>
void for_taps(const Window& w, F f) {
  int64_t i = 0;
  for (int64_t z = 0; z < w.axes[0].taps; ++z) {
    for (int64_t y = 0; y < w.axes[1].taps; ++y) {
      for (int64_t x = 0; x < w.axes[2].taps; ++x) {
        f(i++, z, y, x);
      }
    }
  }
}

// Patches of several images: batch entry b is group b % groups of one of them.
template <class T>
class Patches final : public gemm::Operand<T> {
 public:
  // `data` has the planes of all channels of all images, and kSlack items more;
  // `offsets` one entry per step of k.
  Patches(const Planes& planes, const Window& window, const T* data,
          const int64_t* offsets)
      : planes_(planes), window_(window), data_(data), offsets_(offsets) {}

  gemm::Panel<T> panel(int64_t batch, const gemm::Range& range, int64_t width,
                       int64_t from, int64_t depth, T* buffer) const override;

 private:
  const Planes& planes_;
  const Window& window_;
  const T* data_;
  const int64_t* offsets_;
};

// The weight as an operand, for the taps of one window. Steps of k go through
// the taps of one channel first, as patches do.
template <class T>
class Weights final : public gemm::Operand<T> {
 public:
  Weights(const Shape& shape, const Window& window, const void* data)
      : shape_(shape),
        window_(window),
        data_(static_cast<const char*>(data)),
        cast_(shape.dtype) {}

  gemm::Panel<T> panel(int64_t batch, const gemm::Range& range, int64_t width,
                       int64_t from, int64_t depth, T* buffer) const override;

 private:
  int64_t tap_offset(int64_t tap) const;

  const Shape& shape_;
  const Window& window_;
  const char* data_;
  const gemm::Cast<T> cast_;
};

}  // namespace executorch::kernels::conv
