// Padded copies of the channels of an image, and loops over them.
#pragma once

#include <atomic>

#include "kernels/common/parallel.h"
#include "kernels/optimized/conv/shape.h"
#include "kernels/optimized/gemm/matrix.h"

namespace executorch::kernels::conv {

// The input points that a window reads, channel by channel, padded with
// `outside`, and with the points of a row sorted by their remainder modulo the
// step. Whatever the padding, stride or dilation, and whatever the layout and
// dtype of the input, the points that one tap meets along a row then lie side
// by side.
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
  void fill(const gemm::Cast<T>& cast, const char* from, T outside,
            T* to) const;

  const Shape& shape;
  const Axis* axes;

 private:
  template <class T>
  void fill_row(const gemm::Cast<T>& cast, const char* from, T outside,
                T* to) const;
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

// Memory of one thread that works on one plane after the other.
template <class T>
struct PlaneScratch {
  T* plane;         // kSlack items longer
  T* row;           // for the output points of a row, kSlack items longer
  int32_t* places;  // as many

  // False when there is no memory.
  bool reserve(const Planes& planes) {
    const int64_t points = planes.axes[2].points + gemm::kSlack;
    plane = planes.size < 0
                ? nullptr
                : plane_memory_.array<T>(planes.size + gemm::kSlack);
    row = row_memory_.array<T>(points);
    places = place_memory_.array<int32_t>(points);
    return plane != nullptr && row != nullptr && places != nullptr;
  }

 private:
  Scratch plane_memory_, row_memory_, place_memory_;
};

// Calls f(image, channel, scratch) for each channel of each image, with its
// plane filled. `cost` is about the time for one, in items copied.
template <class T, class F>
Error for_planes(const Planes& planes, const void* in, T outside, int64_t cost,
                 F f) {
  const Shape& s = planes.shape;
  const gemm::Cast<T> cast(s.dtype);
  const int64_t channels = s.in_channels * s.groups;
  std::atomic<bool> out_of_memory{false};
  parallel(s.batch * channels, kGrainBytes / (cost + 1) + 1,
           [&](int64_t begin, int64_t end) {
             PlaneScratch<T> scratch;
             if (!scratch.reserve(planes)) {
               out_of_memory = true;
               return;
             }
             for (int64_t i = begin; i < end; ++i) {
               const int64_t image = i / channels;
               const int64_t channel = i % channels;
               const int64_t at = image * s.in_image.batch_stride +
                                  channel * s.in_image.channel_stride;
               planes.fill(cast,
                           static_cast<const char*>(in) + at * cast.item(),
                           outside, scratch.plane);
               f(image, channel, scratch);
             }
           });
  ET_CHECK_OR_RETURN_ERROR(!out_of_memory, MemoryAllocationFailed,
                           "no memory for a padded channel of %lld items",
                           static_cast<long long>(planes.size));
  return Error::Ok;
}

}  // namespace executorch::kernels::conv
