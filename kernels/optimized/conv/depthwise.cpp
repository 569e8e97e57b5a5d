#include "kernels/optimized/conv/depthwise.h"

#include <algorithm>
#include <atomic>

#include "kernels/common/parallel.h"
#include "kernels/optimized/conv/rows.h"

namespace executorch::kernels::conv {
namespace {

// Memory of one thread.
template <class T>
class Channel {
 public:
  explicit Channel(const Planes& planes, const Window& window)
      : planes_(planes), window_(window), s_(planes.shape), cast_(s_.dtype) {}

  bool reserve() {
    const int64_t taps = window_.taps();
    plane_ = plane_memory_.array<T>(planes_.size + gemm::kSlack);
    weights_ = weight_memory_.array<T>(taps);
    offsets_ = offset_memory_.array<int64_t>(taps);
    row_ = row_memory_.array<T>(window_.axes[2].points + gemm::kSlack);
    if (plane_ == nullptr || weights_ == nullptr || offsets_ == nullptr ||
        row_ == nullptr) {
      return false;
    }
    for_taps(window_, [&](int64_t i, int64_t z, int64_t y, int64_t x) {
      offsets_[i] = planes_.tap_offset(z, y, x);
    });
    return true;
  }

  // Input channel `group` of an image, and all output channels made from it.
  void run(int64_t group, const char* in, const char* weight, const T* bias,
           char* out) {
    planes_.fill(cast_, in + group * s_.in_image.channel_stride * cast_.item(),
                 plane_);
    for (int64_t o = 0; o < s_.out_channels; ++o) {
      const auto& w = s_.weight;
      const char* from =
          weight + (group * w.group + o * w.output) * cast_.item();
      for_taps(window_, [&](int64_t i, int64_t z, int64_t y, int64_t x) {
        const int64_t at = z * w.taps[0] + y * w.taps[1] + x * w.taps[2];
        cast_.read(from + at * cast_.item(), 1, weights_ + i, 1);
      });
      const int64_t channel = group * s_.out_channels + o;
      rows(bias != nullptr ? bias[channel] : T(0),
           out + channel * s_.out_image.channel_stride * cast_.item());
    }
  }

 private:
  void rows(T bias, char* out) const {
    const Axis* axes = window_.axes;
    const int64_t* strides = s_.out_image.strides;
    const bool in_place = cast_.same() && strides[2] == 1;
    for (int64_t z = 0; z < axes[0].points; ++z) {
      for (int64_t y = 0; y < axes[1].points; ++y) {
        char* to = out + (z * strides[0] + y * strides[1]) * cast_.item();
        T* row = in_place ? reinterpret_cast<T*>(to) : row_;
        weigh_rows(row, axes[2].points,
                   plane_ + z * axes[0].step * planes_.slice +
                       y * axes[1].step * planes_.row,
                   offsets_, weights_, window_.taps(), bias);
        if (!in_place) {
          cast_.write(row, to, strides[2], axes[2].points);
        }
      }
    }
  }

  const Planes& planes_;
  const Window& window_;
  const Shape& s_;
  const gemm::Cast<T> cast_;
  Scratch plane_memory_, weight_memory_, offset_memory_, row_memory_;
  T* plane_ = nullptr;
  T* weights_ = nullptr;
  int64_t* offsets_ = nullptr;
  T* row_ = nullptr;
};

}  // namespace

template <class T>
Error run_depthwise(const Shape& s, const void* in, const void* weight,
                    const T* bias, void* out) {
  const Window w = window(s, 0);
  const Planes planes(s, w);
  const int64_t item = gemm::Cast<T>(s.dtype).item();
  const int64_t cost = planes.size * (1 + w.taps() * s.out_channels / 4);
  std::atomic<bool> out_of_memory{planes.size < 0};
  parallel(out_of_memory ? 0 : s.batch * s.groups, kGrainBytes / (cost + 1) + 1,
           [&](int64_t begin, int64_t end) {
             Channel<T> channel(planes, w);
             if (!channel.reserve()) {
               out_of_memory = true;
               return;
             }
             for (int64_t i = begin; i < end; ++i) {
               const int64_t image = i / s.groups;
               channel.run(i % s.groups,
                           static_cast<const char*>(in) +
                               image * s.in_image.batch_stride * item,
                           static_cast<const char*>(weight), bias,
                           static_cast<char*>(out) +
                               image * s.out_image.batch_stride * item);
             }
           });
  ET_CHECK_OR_RETURN_ERROR(!out_of_memory, MemoryAllocationFailed,
                           "no memory for a padded channel of %lld items",
                           (long long)planes.size);
  return Error::Ok;
}

template Error run_depthwise(const Shape&, const void*, const void*,
                             const float*, void*);
template Error run_depthwise(const Shape&, const void*, const void*,
                             const double*, void*);
template Error run_depthwise(const Shape&, const void*, const void*,
                             const int64_t*, void*);

}  // namespace executorch::kernels::conv
