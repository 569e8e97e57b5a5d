// Padded copies of the channels of an image, and loops over them.
#pragma once

#include <algorithm>
#include <atomic>

#include "kernels/common/parallel.h"
#include "kernels/optimized/conv/shape.h"
#include "kernels/optimized/gemm/matrix.h"

namespace executorch::kernels::conv {

// The input points that a window reads, channel by channel, padded with
// `outside`, and with the points of a row sorted by their remainder modulo the
// step. Whatever the padding, stride or dilation, and whatever the layout and
// dtype of the input, the points that one tap meets along a row then lie side
// by side. The first one that the input has is at the start of a cache line.
struct Planes {
  Planes(const Shape& shape, const Window& window);

  // Items of one channel; -1 when they cannot be counted.
  int64_t size = -1;

  int64_t row = 0;    // items from one row to the next
  int64_t slice = 0;  // and to the next slice

  // Where tap (z, y, x) finds its point for output point 0.
  int64_t tap_offset(int64_t z, int64_t y, int64_t x) const;

  // How much further on it finds that for the n-th output point.
  int64_t point_offset(int64_t n) const {
    return n / axes[2].points / axes[1].points * axes[0].step * slice +
           n / axes[2].points % axes[1].points * axes[1].step * row +
           n % axes[2].points;
  }

  // Copies the channel at `from` to `to` (size items). The points around it are
  // not touched.
  template <class T>
  void fill(const gemm::Cast<T>& cast, const char* from, T* to) const;

  const Shape& shape;
  const Axis* axes;

 private:
  // The part [begin, end) of the points along an axis that the input has.
  struct Inside {
    int64_t begin, end;
  };

  template <class T>
  void fill_slice(const gemm::Cast<T>& cast, const char* from, T* to) const;
  int64_t place(int64_t n) const;
  int64_t start(int64_t remainder) const;

  Inside inside_[3];
  int64_t run_ = 0;   // from one remainder to the next
  int64_t lead_ = 0;  // items before the first row
  // Where the first point of the input goes in its slice, and the second.
  int64_t first_ = 0, second_ = 0;
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

// Memory of one thread that works on one plane after the other. Small planes
// are filled several at a time: one that was written just before is slow to
// read.
template <class T>
struct PlaneScratch {
  static constexpr int64_t kTogether = 4096;  // items

  T* planes;  // `count` of them, kSlack items longer
  int64_t count;
  T* plane;         // the current one
  T* out;           // for the output points of one slice
  int64_t* places;  // as many

  // False when there is no memory.
  bool reserve(const Planes& planes, T outside) {
    const int64_t points = planes.axes[1].points * planes.axes[2].points;
    count = std::clamp<int64_t>(kTogether / (planes.size + 2), 1, 32);
    const int64_t items = count * planes.size + gemm::kSlack;
    this->planes = planes.size < 0 ? nullptr : plane_memory_.array<T>(items);
    out = out_memory_.array<T>(points);
    places = place_memory_.array<int64_t>(points);
    if (this->planes == nullptr || out == nullptr || places == nullptr) {
      return false;
    }
    std::fill(this->planes, this->planes + items, outside);
    return true;
  }

 private:
  Scratch plane_memory_, out_memory_, place_memory_;
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
             if (!scratch.reserve(planes, outside)) {
               out_of_memory = true;
               return;
             }
             int64_t count;
             for (int64_t i = begin; i < end; i += count) {
               // Channels of one image.
               const int64_t image = i / channels, first = i % channels;
               count = std::min({scratch.count, end - i, channels - first});
               for (int64_t j = 0; j < count; ++j) {
                 const int64_t at = image * s.in_image.batch_stride +
                                    (first + j) * s.in_image.channel_stride;
                 planes.fill(cast,
                             static_cast<const char*>(in) + at * cast.item(),
                             scratch.planes + j * planes.size);
               }
               for (int64_t j = 0; j < count; ++j) {
                 scratch.plane = scratch.planes + j * planes.size;
                 f(image, first + j, scratch);
               }
             }
           });
  ET_CHECK_OR_RETURN_ERROR(!out_of_memory, MemoryAllocationFailed,
                           "no memory for a padded channel of %lld items",
                           static_cast<long long>(planes.size));
  return Error::Ok;
}

// Calls f(slice of the plane, results, their row step) for each slice of output
// points; results go to `to` right away, or through `out` when the layout or
// the dtype there differ.
template <class T, class F>
void for_slices(const Planes& planes, const Image& image, ScalarType dtype,
                const T* plane, T* out, void* to, F f) {
  const Axis* axes = planes.axes;
  const gemm::Cast<T> cast(dtype);
  const int64_t width = axes[2].points;
  const bool in_place = cast.same() && (image.strides[2] == 1 || width == 1);
  for (int64_t z = 0; z < axes[0].points; ++z) {
    char* slice = static_cast<char*>(to) + z * image.strides[0] * cast.item();
    const T* from = plane + z * axes[0].step * planes.slice;
    if (in_place) {
      f(from, reinterpret_cast<T*>(slice), image.strides[1]);
      continue;
    }
    f(from, out, width);
    for (int64_t y = 0; y < axes[1].points; ++y) {
      cast.write(out + y * width, slice + y * image.strides[1] * cast.item(),
                 image.strides[2], width);
    }
  }
}

}  // namespace executorch::kernels::conv
