#include "kernels/optimized/conv/depthwise.h"

#include <algorithm>

#include "kernels/optimized/conv/row_loops.h"

namespace executorch::kernels::conv {
namespace {

// Writes one output channel, row by row.
template <class T>
void weigh_plane(const Planes& planes, const PlaneScratch<T>& scratch,
                 const int64_t* offsets, const T* weights, int64_t taps, T bias,
                 char* out) {
  const Axis* axes = planes.axes;
  const gemm::Cast<T> cast(planes.shape.dtype);
  const int64_t* strides = planes.shape.out_image.strides;
  const bool in_place = cast.same() && strides[2] == 1;
  for (int64_t z = 0; z < axes[0].points; ++z) {
    for (int64_t y = 0; y < axes[1].points; ++y) {
      char* to = out + (z * strides[0] + y * strides[1]) * cast.item();
      T* row = in_place ? reinterpret_cast<T*>(to) : scratch.row;
      const T* from = scratch.plane + z * axes[0].step * planes.slice +
                      y * axes[1].step * planes.row;
      weigh_rows(row, axes[2].points, from, offsets, weights, taps, bias);
      if (!in_place) {
        cast.write(row, to, strides[2], axes[2].points);
      }
    }
  }
}

}  // namespace

template <class T>
Error run_depthwise(const Shape& s, const void* in, const void* weight,
                    const T* bias, void* out) {
  const Window w = window(s, 0);
  const Planes planes(s, w);
  const gemm::Cast<T> cast(s.dtype);
  const int64_t taps = w.taps();
  const int64_t channels = s.groups * s.out_channels;
  Scratch weight_memory, offset_memory;
  T* weights = weight_memory.array<T>(channels * taps);
  int64_t* offsets = offset_memory.array<int64_t>(taps);
  ET_CHECK_OR_RETURN_ERROR(weights != nullptr && offsets != nullptr,
                           MemoryAllocationFailed, "no memory for %lld taps",
                           static_cast<long long>(taps));
  for_taps(w, [&](int64_t i, int64_t z, int64_t y, int64_t x) {
    offsets[i] = planes.tap_offset(z, y, x);
    const int64_t* strides = s.weight.taps;
    const int64_t tap = z * strides[0] + y * strides[1] + x * strides[2];
    for (int64_t c = 0; c < channels; ++c) {
      const int64_t at = c / s.out_channels * s.weight.group +
                         c % s.out_channels * s.weight.output + tap;
      cast.read(static_cast<const char*>(weight) + at * cast.item(), 1,
                weights + c * taps + i, 1);
    }
  });
  return for_planes<T>(
      planes, in, T(0), planes.size * (1 + taps * s.out_channels / 4),
      [&](int64_t image, int64_t group, const PlaneScratch<T>& scratch) {
        for (int64_t o = 0; o < s.out_channels; ++o) {
          const int64_t c = group * s.out_channels + o;
          const int64_t at =
              image * s.out_image.batch_stride + c * s.out_image.channel_stride;
          weigh_plane(planes, scratch, offsets, weights + c * taps, taps,
                      bias != nullptr ? bias[c] : T(0),
                      static_cast<char*>(out) + at * cast.item());
        }
      });
}

template Error run_depthwise(const Shape&, const void*, const void*,
                             const float*, void*);
template Error run_depthwise(const Shape&, const void*, const void*,
                             const double*, void*);
template Error run_depthwise(const Shape&, const void*, const void*,
                             const int64_t*, void*);

}  // namespace executorch::kernels::conv
