// What the pooling operators share: a window of pooling is a window of a
// convolution with one channel per group. shape.h and planes.h turn padding,
// stride and dilation into shifted copies of a padded plane, and sweep.h
// combines these.
#pragma once

#include "kernels/optimized/conv/planes.h"
#include "kernels/optimized/conv/sweep_loops.h"

namespace executorch::kernels::conv {

struct PoolParams {
  ArrayRef<int64_t> kernel, stride, padding, dilation;
  bool ceil_mode;
};

// The window as a convolution, without strides of a result.
Result<Shape> pool_shape(const Tensor& in, const PoolParams& params);

// Gives `out` the sizes of the input with `height` x `width` points.
Error resize_pooled(const Tensor& in, int64_t height, int64_t width,
                    Tensor& out);

// Calls f(TypeTag<T>{}) with the type that windows of `dtype` are combined in.
template <class F>
Error in_sum_type(ScalarType dtype, F f) {
  switch (dtype) {
    case ScalarType::Double:
      return f(TypeTag<double>{});
    case ScalarType::Float:
    case ScalarType::Half:
    case ScalarType::BFloat16:
      return f(TypeTag<float>{});
    default:
      return f(TypeTag<int64_t>{});
  }
}

inline int64_t plane_offset(const Image& image, int64_t n, int64_t c) {
  return n * image.batch_stride + c * image.channel_stride;
}
inline int64_t row_offset(const Image& image, int64_t n, int64_t c, int64_t y) {
  return plane_offset(image, n, c) + y * image.strides[1];
}

// Taps of the window in its plane, and how far they move an index of the input.
struct PoolTaps {
  Scratch memory;
  int64_t count = 0;
  int64_t* offsets = nullptr;
  int32_t* steps = nullptr;

  bool init(const Shape& s, const Window& w, const Planes& planes) {
    count = w.taps();
    offsets = memory.array<int64_t>(2 * count);
    if (offsets == nullptr) {
      return false;
    }
    steps = reinterpret_cast<int32_t*>(offsets + count);
    for_taps(w, [&](int64_t i, int64_t z, int64_t y, int64_t x) {
      offsets[i] = planes.tap_offset(z, y, x);
      steps[i] =
          static_cast<int32_t>(y * s.dilation[1] * s.in[2] + x * s.dilation[2]);
    });
    return true;
  }
};

// Calls f with the loop over one channel of the result.
template <class T, class F>
void sweep_channel(const Planes& planes, const Shape& s, const PoolTaps& taps,
                   const PlaneScratch<T>& scratch, int64_t n, int64_t c,
                   void* out, F f) {
  const int64_t item = gemm::Cast<T>(s.dtype).item();
  for_slices(planes, s.out_image, s.dtype, scratch.plane, scratch.out,
             static_cast<char*>(out) + plane_offset(s.out_image, n, c) * item,
             [&](const T* from, T* to, int64_t step) {
               f(Sweep<T>{to, step, from, s.stride[1] * planes.row, s.out[1],
                          s.out[2], taps.offsets, taps.count});
             });
}

}  // namespace executorch::kernels::conv
