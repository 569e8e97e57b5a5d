// The input of a convolution as an operand of a matrix product: one column for
// each output point, one step of k for each tap of each channel.
#pragma once

#include "kernels/optimized/conv/planes.h"

namespace executorch::kernels::conv {

// Patches of several images: batch entry b is group b % groups of one of them.
template <class T>
class Patches final : public gemm::Operand<T> {
 public:
  // `data` has the planes of all channels of all images, and kSlack items more;
  // `offsets` one entry per step of k.
  Patches(gemm::Side side, const Planes& planes, const T* data,
          const int64_t* offsets)
      : side_(side), planes_(planes), data_(data), offsets_(offsets) {}

  gemm::Panel<T> panel(int64_t batch, const gemm::Range& range, int64_t width,
                       int64_t from, int64_t depth, T* buffer) const override;
  const T* in_place(int64_t batch, const gemm::Range& range, int64_t width,
                    int64_t from) const override;

 private:
  const T* planes_of(int64_t batch) const {
    return data_ + batch * planes_.shape.in_channels * planes_.size;
  }
  gemm::Run run_from(int64_t point, int64_t most) const;

  const gemm::Side side_;
  const Planes& planes_;
  const T* data_;
  const int64_t* offsets_;
};

// The weight as an operand, for the taps of one window. Steps of k go through
// the taps of one channel first, as patches do.
template <class T>
class Weights final : public gemm::Operand<T> {
 public:
  // With `scale`, those of each output channel are multiplied by its entry.
  Weights(const Shape& shape, const Window& window, const void* data,
          const float* scale = nullptr)
      : shape_(shape),
        window_(window),
        data_(static_cast<const char*>(data)),
        scale_(scale),
        cast_(shape.dtype) {}

  gemm::Panel<T> panel(int64_t batch, const gemm::Range& range, int64_t width,
                       int64_t from, int64_t depth, T* buffer) const override;

 private:
  int64_t tap_offset(int64_t tap) const;
  void read(int64_t group, const gemm::Range& range, int64_t width,
            int64_t from, int64_t depth, T* buffer) const;

  const Shape& shape_;
  const Window& window_;
  const char* data_;
  const float* scale_;
  const gemm::Cast<T> cast_;
};

}  // namespace executorch::kernels::conv
