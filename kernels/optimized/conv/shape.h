// What a convolution computes, in one form for all of them.
//
// Everything has three spatial dimensions (missing ones have size 1) and reads
//   in[j * step + offset(tap)]   for output point   first + j * spacing
// along each. A plain convolution is one such window. A transposed one is split
// into windows by the remainder of the output point modulo the stride: within
// one, only every stride-th tap of the kernel meets an input point.
#pragma once

#include "kernels/common/op.h"
#include "kernels/common/scratch.h"

namespace executorch::kernels::conv {

struct Params {
  ArrayRef<int64_t> stride, padding, dilation;
  bool transposed;
  ArrayRef<int64_t> output_padding;
  int64_t groups;
};

// A tensor with all spatial dimensions. Strides are in items.
struct Image {
  int64_t batch_stride, channel_stride;
  int64_t strides[3];
};

struct Shape {
  ScalarType dtype;
  int64_t batch, groups;
  int64_t in_channels, out_channels;  // per group
  int64_t in[3], out[3], kernel[3];
  int64_t stride[3], padding[3], dilation[3], output_padding[3];
  bool transposed;

  Image in_image, out_image;
  // Weight (group g, output o, input i, tap) is at
  //   g * group + o * output + i * input + tap . taps
  struct {
    int64_t group, output, input;
    int64_t taps[3];
  } weight;

  // Whether the taps of a channel lie side by side, in order.
  bool taps_in_order() const {
    return (kernel[2] == 1 || weight.taps[2] == 1) &&
           (kernel[1] == 1 || weight.taps[1] == kernel[2]) &&
           (kernel[0] == 1 || weight.taps[0] == kernel[1] * kernel[2]);
  }
};

// Checks the arguments, sizes included, and resizes `out`. With `out` null the
// shape of the result is only computed.
Result<Shape> check(const Tensor& in, const Tensor& weight,
                    const std::optional<Tensor>& bias, const Params& params,
                    Tensor* out);

// Strides of a tensor whose spatial dimensions are its last ones: `first` is
// the index of the first of them, after the channels and perhaps a batch.
Image image_of(const Tensor& t, int first);

// One number for all `dims` dimensions, or one for each, into the last entries
// of `out`; the others become `rest`. None may be below `least`.
Error expand(ArrayRef<int64_t> values, int dims, int64_t least, int64_t rest,
             const char* what, int64_t (&out)[3]);

// The same convolution between other tensors: `in`, `weight` and `out` have
// sizes that fit it, as checked before.
void set_strides(Shape& shape, const Tensor& in, const Tensor& weight,
                 const Tensor& out);

// One spatial dimension of a window.
struct Axis {
  int64_t points;   // output points
  int64_t first;    // the first of them
  int64_t spacing;  // from one to the next
  int64_t step;     // input points from one output point to the next
  int64_t taps;     // taps of the kernel in use: first_tap + i * tap_step
  int64_t first_tap, tap_step;
  int64_t low;                   // the least offset
  int64_t offset0, offset_step;  // of tap i: offset0 + i * offset_step

  // Input points that are read: [low, low + extent).
  int64_t extent() const {
    if (points == 0 || taps == 0) {
      return 0;
    }
    const int64_t reach = offset_step * (taps - 1);
    return (points - 1) * step + (reach < 0 ? -reach : reach) + 1;
  }
  int64_t offset(int64_t tap) const { return offset0 + tap * offset_step; }
};

struct Window {
  Axis axes[3];

  int64_t points() const {
    return axes[0].points * axes[1].points * axes[2].points;
  }
  int64_t taps() const { return axes[0].taps * axes[1].taps * axes[2].taps; }
};

// Calls f(channel, point, offset) for each row of output points of image `n`:
// the index of its first point, and where that is in the result.
template <class F>
void for_rows(const Shape& s, int64_t n, F f) {
  for (int64_t c = 0; c < s.groups * s.out_channels; ++c) {
    for (int64_t z = 0; z < s.out[0]; ++z) {
      for (int64_t y = 0; y < s.out[1]; ++y) {
        f(c, (z * s.out[1] + y) * s.out[2],
          n * s.out_image.batch_stride + c * s.out_image.channel_stride +
              z * s.out_image.strides[0] + y * s.out_image.strides[1]);
      }
    }
  }
}

// How many windows there are, and the i-th.
int64_t num_windows(const Shape& shape);
Window window(const Shape& shape, int64_t i);

}  // namespace executorch::kernels::conv
