#include "kernels/optimized/conv/depthwise.h"

#include <algorithm>

#include "kernels/optimized/conv/sweep_loops.h"

namespace executorch::kernels::conv {

template <class T>
const T* depthwise_taps(const Shape& s, const void* weight, Scratch& memory) {
  const Window w = window(s, 0);
  const gemm::Cast<T> cast(s.dtype);
  const int64_t taps = w.taps();
  const int64_t channels = s.groups * s.out_channels;
  const int64_t* strides = s.weight.taps;
  if (cast.same() && s.taps_in_order() && s.weight.output == taps &&
      s.weight.group == taps * s.out_channels) {
    return static_cast<const T*>(weight);
  }
  T* dense = memory.array<T>(channels * taps);
  for (int64_t c = 0; dense != nullptr && c < channels; ++c) {
    const char* from = static_cast<const char*>(weight) +
                       (c / s.out_channels * s.weight.group +
                        c % s.out_channels * s.weight.output) *
                           cast.item();
    for_taps(w, [&](int64_t i, int64_t z, int64_t y, int64_t x) {
      const int64_t at = z * strides[0] + y * strides[1] + x * strides[2];
      cast.read(from + at * cast.item(), 1, dense + c * taps + i, 1);
    });
  }
  return dense;
}

template <class T>
Error run_depthwise(const Shape& s, const void* in, const T* weights,
                    const T* bias, const float* limits, void* out) {
  const Window w = window(s, 0);
  const Planes planes(s, w);
  const gemm::Cast<T> cast(s.dtype);
  const int64_t taps = w.taps();
  Scratch offset_memory;
  int64_t* offsets = offset_memory.array<int64_t>(taps);
  ET_CHECK_OR_RETURN_ERROR(weights != nullptr && offsets != nullptr,
                           MemoryAllocationFailed, "no memory for %lld taps",
                           static_cast<long long>(taps));
  for_taps(w, [&](int64_t i, int64_t z, int64_t y, int64_t x) {
    offsets[i] = planes.tap_offset(z, y, x);
  });
  const Axis* axes = w.axes;
  return for_planes<T>(
      planes, in, T(0), planes.size * (1 + taps * s.out_channels / 4),
      [&](int64_t image, int64_t group, const PlaneScratch<T>& scratch) {
        for (int64_t o = 0; o < s.out_channels; ++o) {
          const int64_t c = group * s.out_channels + o;
          const int64_t at =
              image * s.out_image.batch_stride + c * s.out_image.channel_stride;
          for_slices(
              planes, s.out_image, s.dtype, scratch.plane, scratch.out,
              static_cast<char*>(out) + at * cast.item(),
              [&](const T* from, T* to, int64_t step) {
                weigh(Sweep<T>{to, step, from, axes[1].step * planes.row,
                               axes[1].points, axes[2].points, offsets, taps},
                      weights + c * taps, bias != nullptr ? bias[c] : T(0),
                      limits);
              });
        }
      });
}

#define ET_INSTANTIATE(T)                                                     \
  template const T* depthwise_taps(const Shape&, const void*, Scratch&);      \
  template Error run_depthwise(const Shape&, const void*, const T*, const T*, \
                               const float*, void*)
ET_INSTANTIATE(float);
ET_INSTANTIATE(double);
ET_INSTANTIATE(int64_t);

}  // namespace executorch::kernels::conv
