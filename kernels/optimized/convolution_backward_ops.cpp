// aten::convolution_backward: gradients of a convolution.
//
// That of the input is a convolution again, transposed where the other was not.
// That of the weight is a product of the smaller image with the patches that
// the kernel saw of the larger one, summed over all images.
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <algorithm>

#include "kernels/optimized/conv/convolution.h"

namespace executorch::kernels {
namespace {

using conv::Params;
using conv::Planes;
using conv::Shape;
using conv::Window;

// The convolution of `grad` whose result is the gradient of the input.
Shape input_gradient(const Shape& s, const Tensor& grad, const Tensor& weight,
                     const Tensor& out) {
  Shape g = s;
  g.transposed = !s.transposed;
  std::swap(g.in_channels, g.out_channels);
  std::copy(s.out, s.out + 3, g.in);
  std::copy(s.in, s.in + 3, g.out);
  conv::set_strides(g, grad, weight, out);
  return g;
}

// The plain convolution that has the same weight, and the larger of the two
// images as its input.
Shape plain(const Shape& s, const Tensor& grad, const Tensor& in,
            const Tensor& weight) {
  if (!s.transposed) {
    Shape p = s;
    conv::set_strides(p, in, weight, grad);
    return p;
  }
  return input_gradient(s, grad, weight, in);
}

// Patches with steps of k along the output points and a column for each tap of
// each channel.
template <class T>
class TapColumns final : public gemm::Operand<T> {
 public:
  TapColumns(const Planes& planes, const T* data, const int64_t* taps,
             const int64_t* points)
      : planes_(planes), data_(data), taps_(taps), points_(points) {}

  gemm::Panel<T> panel(int64_t batch, const gemm::Range& range, int64_t width,
                       int64_t from, int64_t depth, T* buffer) const override {
    const T* data = data_ + batch * planes_.shape.in_channels * planes_.size;
    std::fill(buffer, buffer + depth * width, T(0));
    for (int64_t k = 0; k < depth; ++k) {
      for (int64_t i = 0; i < range.count; ++i) {
        buffer[k * width + i] =
            data[taps_[range.first + i] + points_[from + k]];
      }
    }
    return {buffer, width};
  }

 private:
  const Planes& planes_;
  const T* data_;
  const int64_t* taps_;
  const int64_t* points_;
};

// Where things are in the planes of one image.
struct Offsets {
  Scratch memory;
  int64_t* taps = nullptr;    // per tap of each channel
  int64_t* points = nullptr;  // per output point

  bool init(const Shape& s, const Window& w, const Planes& planes) {
    const int64_t k = s.in_channels * w.taps();
    taps = memory.array<int64_t>(k + w.points());
    if (taps == nullptr) {
      return false;
    }
    points = taps + k;
    for (int64_t c = 0; c < s.in_channels; ++c) {
      conv::for_taps(w, [&](int64_t i, int64_t z, int64_t y, int64_t x) {
        taps[c * w.taps() + i] = c * planes.size + planes.tap_offset(z, y, x);
      });
    }
    for (int64_t i = 0; i < w.points(); ++i) {
      points[i] = planes.point_offset(i);
    }
    return true;
  }
};

// Sums of the weight's gradient, [group][output][input][tap], in T.
template <class T>
Error sum_weight(const Shape& s, const Window& w, const void* in,
                 const void* grad, T* sums) {
  const Planes planes(s, w);
  const int64_t channels = s.in_channels * s.groups;
  const int64_t k = s.in_channels * w.taps();
  Scratch memory;
  Offsets offsets;
  int64_t items = -1;
  const bool countable = planes.size >= 0 &&
                         !__builtin_mul_overflow(planes.size, channels, &items);
  T* data = countable ? memory.array<T>(items + gemm::kSlack) : nullptr;
  ET_CHECK_OR_RETURN_ERROR(data != nullptr && offsets.init(s, w, planes),
                           MemoryAllocationFailed,
                           "no memory for %lld channels of %lld items",
                           (long long)channels, (long long)planes.size);
  const gemm::Cast<T> cast(s.dtype);
  Scratch gradient_memory;
  T* gradient =
      gradient_memory.array<T>(s.groups * s.out_channels * w.points());
  ET_CHECK_OR_RETURN_ERROR(gradient != nullptr, MemoryAllocationFailed,
                           "no memory for a gradient of %lld points",
                           (long long)w.points());
  std::fill(sums, sums + s.groups * s.out_channels * k, T(0));
  std::fill(data, data + items, T(0));  // around the points
  for (int64_t n = 0; n < s.batch; ++n) {
    for (int64_t c = 0; c < channels; ++c) {
      const int64_t at =
          n * s.in_image.batch_stride + c * s.in_image.channel_stride;
      planes.fill(cast, static_cast<const char*>(in) + at * cast.item(),
                  data + c * planes.size);
    }
    conv::for_rows(s, n, [&](int64_t c, int64_t point, int64_t at) {
      cast.read(static_cast<const char*>(grad) + at * cast.item(),
                s.out_image.strides[2], gradient + c * w.points() + point,
                s.out[2]);
    });
    const gemm::BatchOffset left_batch = {1, s.out_channels * w.points(), 0};
    const gemm::Matrix<T> left(gemm::Side::left, {gradient, gemm::dtype_of<T>(),
                                                  w.points(), 1, left_batch});
    const TapColumns<T> right(planes, data, offsets.taps, offsets.points);
    gemm::MatrixOutput<T> out(sums, gemm::dtype_of<T>(), {k}, {1},
                              {1, s.out_channels * k, 0});
    out.accumulate();
    ET_CHECK_OK_OR_RETURN_ERROR(gemm::multiply<T>(
        s.groups, s.out_channels, k, w.points(), left, right, out));
  }
  return Error::Ok;
}

template <class T>
Error weight_gradient(const Shape& s, const void* in, const void* grad,
                      Tensor& out) {
  const Window w = conv::window(s, 0);
  const int64_t outputs = s.groups * s.out_channels;
  const int64_t taps = w.taps();
  Scratch memory;
  T* sums = memory.array<T>(outputs * s.in_channels * taps);
  ET_CHECK_OR_RETURN_ERROR(sums != nullptr, MemoryAllocationFailed,
                           "no memory for a gradient of %lld taps",
                           (long long)taps);
  ET_CHECK_OK_OR_RETURN_ERROR(sum_weight(s, w, in, grad, sums));
  const gemm::Cast<T> cast(s.dtype);
  char* to = static_cast<char*>(out.mutable_data_ptr());
  const conv::Image strides = conv::image_of(out, 2);
  for (int64_t i = 0; i < outputs * s.in_channels; ++i) {
    conv::for_taps(w, [&](int64_t t, int64_t z, int64_t y, int64_t x) {
      const int64_t at = i / s.in_channels * strides.batch_stride +
                         i % s.in_channels * strides.channel_stride +
                         z * strides.strides[0] + y * strides.strides[1] +
                         x * strides.strides[2];
      cast.write(sums + i * taps + t, to + at * cast.item(), 1, 1);
    });
  }
  return Error::Ok;
}

// Sums of a channel over all images, in double.
template <class T>
Error bias_gradient(const Shape& s, const void* grad, Tensor& out) {
  const gemm::Cast<T> cast(s.dtype);
  const int64_t channels = s.groups * s.out_channels;
  Scratch row_memory, sum_memory;
  T* row = row_memory.array<T>(s.out[2]);
  double* sums = sum_memory.array<double>(channels);
  ET_CHECK_OR_RETURN_ERROR(row != nullptr && sums != nullptr,
                           MemoryAllocationFailed, "no memory for a row");
  std::fill(sums, sums + channels, 0.0);
  for (int64_t n = 0; n < s.batch; ++n) {
    conv::for_rows(s, n, [&](int64_t c, int64_t, int64_t at) {
      cast.read(static_cast<const char*>(grad) + at * cast.item(),
                s.out_image.strides[2], row, s.out[2]);
      for (int64_t x = 0; x < s.out[2]; ++x) {
        sums[c] += row[x];
      }
    });
  }
  for (int64_t c = 0; c < channels; ++c) {
    const T sum = static_cast<T>(sums[c]);
    cast.write(&sum,
               static_cast<char*>(out.mutable_data_ptr()) +
                   c * out.strides()[0] * cast.item(),
               1, 1);
  }
  return Error::Ok;
}

Error check(const Tensor& grad, const Tensor& in, const Shape& s,
            const std::optional<ArrayRef<int64_t>>& bias_sizes,
            ArrayRef<bool> mask, const Tensor& out0, const Tensor& out1,
            const Tensor& out2) {
  ET_CHECK_OR_RETURN_ERROR(mask.size() == 3, InvalidArgument,
                           "the output mask has %zu entries, must have 3",
                           mask.size());
  const Tensor* outs[] = {&out0, &out1, &out2};
  for (int i = 0; i < 3; ++i) {
    ET_CHECK_OR_RETURN_ERROR(
        !mask[i] || outs[i]->scalar_type() == in.scalar_type(), InvalidArgument,
        "the input has dtype %s, result %d %s",
        runtime::toString(in.scalar_type()), i,
        runtime::toString(outs[i]->scalar_type()));
  }
  ET_CHECK_OR_RETURN_ERROR(!bias_sizes.has_value() ||
                               (bias_sizes->size() == 1 &&
                                (*bias_sizes)[0] == s.groups * s.out_channels),
                           InvalidArgument, "the bias must have %lld items",
                           (long long)(s.groups * s.out_channels));
  bool fits = grad.dim() == in.dim() && grad.scalar_type() == in.scalar_type();
  for (int d = 0; fits && d < grad.dim(); ++d) {
    fits = grad.size(d) == (d == 0   ? s.batch
                            : d == 1 ? s.groups * s.out_channels
                                     : s.out[3 + d - grad.dim()]);
  }
  ET_CHECK_OR_RETURN_ERROR(fits, InvalidArgument,
                           "the gradient does not have the dtype and the "
                           "sizes of the convolution's result");
  return Error::Ok;
}

Error resize(const Tensor& in, const Tensor& weight, const Shape& s,
             ArrayRef<bool> mask, Tensor& out0, Tensor& out1, Tensor& out2) {
  const aten::SizesType channels =
      static_cast<aten::SizesType>(s.groups * s.out_channels);
  if (mask[0]) {
    ET_CHECK_OK_OR_RETURN_ERROR(runtime::resize_tensor(out0, in.sizes()));
  }
  if (mask[1]) {
    ET_CHECK_OK_OR_RETURN_ERROR(runtime::resize_tensor(out1, weight.sizes()));
  }
  return mask[2] ? runtime::resize_tensor(out2, {&channels, 1}) : Error::Ok;
}

Error backward(KernelRuntimeContext&, const Tensor& grad, const Tensor& in,
               const Tensor& weight,
               std::optional<ArrayRef<int64_t>> bias_sizes,
               ArrayRef<int64_t> stride, ArrayRef<int64_t> padding,
               ArrayRef<int64_t> dilation, bool transposed,
               ArrayRef<int64_t> output_padding, int64_t groups,
               ArrayRef<bool> mask, Tensor& out0, Tensor& out1, Tensor& out2) {
  const Params params = {stride,     padding,        dilation,
                         transposed, output_padding, groups};
  Result<Shape> shape = conv::check(in, weight, std::nullopt, params, nullptr);
  ET_CHECK_OK_OR_RETURN_ERROR(shape.error());
  ET_CHECK_OK_OR_RETURN_ERROR(
      check(grad, in, *shape, bias_sizes, mask, out0, out1, out2));
  ET_CHECK_OK_OR_RETURN_ERROR(
      resize(in, weight, *shape, mask, out0, out1, out2));
  if (mask[0]) {
    ET_CHECK_OK_OR_RETURN_ERROR(conv::run(
        input_gradient(*shape, grad, weight, out0), grad.const_data_ptr(),
        weight.const_data_ptr(), nullptr, 0, out0.mutable_data_ptr(), nullptr));
  }
  const auto rest = [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (mask[1]) {
      const Shape p = plain(*shape, grad, in, weight);
      const Tensor& large = transposed ? grad : in;
      const Tensor& small = transposed ? in : grad;
      ET_CHECK_OK_OR_RETURN_ERROR(weight_gradient<T>(
          p, large.const_data_ptr(), small.const_data_ptr(), out1));
    }
    if (mask[2]) {
      shape->out_image = conv::image_of(grad, 2);
      return bias_gradient<T>(*shape, grad.const_data_ptr(), out2);
    }
    return Error::Ok;
  };
  return in.scalar_type() == ScalarType::Double ? rest(TypeTag<double>{})
                                                : rest(TypeTag<float>{});
}

const Op kOps[] = {
    op<kFloats, backward>("aten::convolution_backward.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
