#include "kernels/optimized/conv/shape.h"

#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <algorithm>
#include <limits>

namespace executorch::kernels::conv {
namespace {

constexpr int kMost = 3;  // spatial dimensions

void spatial(const Tensor& t, int64_t (&out)[kMost]) {
  const int dims = static_cast<int>(t.dim()) - 2;
  std::fill(out, out + kMost, int64_t{1});
  std::copy(t.sizes().begin() + 2, t.sizes().end(), out + kMost - dims);
}

Error set_out_sizes(Shape& s) {
  for (int d = 0; d < kMost; ++d) {
    const int64_t reach = s.dilation[d] * (s.kernel[d] - 1) + 1;
    if (s.transposed) {
      s.out[d] = (s.in[d] - 1) * s.stride[d] - 2 * s.padding[d] + reach +
                 s.output_padding[d];
      ET_CHECK_OR_RETURN_ERROR(
          s.output_padding[d] < std::max(s.stride[d], s.dilation[d]),
          InvalidArgument,
          "output padding %lld, must be smaller than stride %lld or dilation "
          "%lld",
          (long long)s.output_padding[d], (long long)s.stride[d],
          (long long)s.dilation[d]);
    } else {
      const int64_t room = s.in[d] + 2 * s.padding[d] - reach;
      s.out[d] = room < 0 ? 0 : room / s.stride[d] + 1;
    }
    ET_CHECK_OR_RETURN_ERROR(
        s.out[d] >= 1 && s.out[d] <= std::numeric_limits<int32_t>::max(),
        InvalidArgument,
        "an input of %lld points, padded by %lld, does not fit a kernel that "
        "reaches over %lld",
        (long long)s.in[d], (long long)s.padding[d], (long long)reach);
  }
  return Error::Ok;
}

Error check_channels(const Tensor& in, const Tensor& weight,
                     const std::optional<Tensor>& bias, Shape& s) {
  ET_CHECK_OR_RETURN_ERROR(
      s.groups > 0 && weight.size(0) > 0 && weight.size(0) % s.groups == 0,
      InvalidArgument, "a weight of %d channels in %lld groups",
      int(weight.size(0)), (long long)s.groups);
  const int64_t first = weight.size(0) / s.groups;
  s.in_channels = s.transposed ? first : weight.size(1);
  s.out_channels = s.transposed ? weight.size(1) : first;
  ET_CHECK_OR_RETURN_ERROR(
      in.size(1) == s.in_channels * s.groups, InvalidArgument,
      "an input of %d channels, the weight is for %lld", int(in.size(1)),
      (long long)(s.in_channels * s.groups));
  if (bias.has_value()) {
    ET_CHECK_OR_RETURN_ERROR(
        bias->dim() == 1 && bias->numel() == s.out_channels * s.groups,
        InvalidArgument, "a bias of rank %d and %d items for %lld channels",
        int(bias->dim()), int(bias->numel()),
        (long long)(s.out_channels * s.groups));
    ET_CHECK_OR_RETURN_ERROR(bias->scalar_type() == in.scalar_type(),
                             InvalidArgument,
                             "the bias has dtype %s, the input %s",
                             runtime::toString(bias->scalar_type()),
                             runtime::toString(in.scalar_type()));
  }
  return Error::Ok;
}

Error check_sizes(const Tensor& in, const Tensor& weight, Shape& s) {
  spatial(in, s.in);
  spatial(weight, s.kernel);
  for (int d = 0; d < kMost; ++d) {
    ET_CHECK_OR_RETURN_ERROR(s.in[d] > 0 && s.kernel[d] > 0, InvalidArgument,
                             "an input of %lld points and a kernel of %lld",
                             (long long)s.in[d], (long long)s.kernel[d]);
  }
  return set_out_sizes(s);
}

}  // namespace

Error expand(ArrayRef<int64_t> values, int dims, int64_t least, int64_t rest,
             const char* what, int64_t (&out)[kMost]) {
  ET_CHECK_OR_RETURN_ERROR(
      values.size() == 1 || values.size() == static_cast<size_t>(dims),
      InvalidArgument, "%s has %zu entries for %d dimensions", what,
      values.size(), dims);
  std::fill(out, out + kMost, rest);
  for (int d = 0; d < dims; ++d) {
    const int64_t value = values[values.size() == 1 ? 0 : d];
    ET_CHECK_OR_RETURN_ERROR(
        value >= least && value <= std::numeric_limits<int32_t>::max(),
        InvalidArgument, "%s %lld, at least %lld expected", what,
        (long long)value, (long long)least);
    out[kMost - dims + d] = value;
  }
  return Error::Ok;
}

Image image_of(const Tensor& t, int first) {
  Image x = {first == 2 ? t.strides()[0] : 0, t.strides()[first - 1], {}};
  std::copy(t.strides().begin() + first, t.strides().end(),
            x.strides + kMost + first - t.dim());
  return x;
}

Result<Shape> check(const Tensor& in, const Tensor& weight,
                    const std::optional<Tensor>& bias, const Params& params,
                    Tensor* out) {
  ET_CHECK_OR_RETURN_ERROR(
      in.dim() == weight.dim() && in.dim() >= 3 && in.dim() <= 2 + kMost,
      InvalidArgument,
      "an input of rank %d and a weight of rank %d; both must be 3, 4 or 5",
      int(in.dim()), int(weight.dim()));
  ET_CHECK_OR_RETURN_ERROR(
      in.scalar_type() == weight.scalar_type() &&
          (out == nullptr || out->scalar_type() == in.scalar_type()),
      InvalidArgument, "the input has dtype %s, the weight %s, the result %s",
      runtime::toString(in.scalar_type()),
      runtime::toString(weight.scalar_type()),
      runtime::toString((out != nullptr ? *out : in).scalar_type()));
  Shape s;
  s.dtype = in.scalar_type();
  s.batch = in.size(0);
  s.groups = params.groups;
  s.transposed = params.transposed;
  const int dims = static_cast<int>(in.dim()) - 2;
  ET_CHECK_OK_OR_RETURN_ERROR(
      expand(params.stride, dims, 1, 1, "stride", s.stride));
  ET_CHECK_OK_OR_RETURN_ERROR(
      expand(params.padding, dims, 0, 0, "padding", s.padding));
  ET_CHECK_OK_OR_RETURN_ERROR(
      expand(params.dilation, dims, 1, 1, "dilation", s.dilation));
  ET_CHECK_OK_OR_RETURN_ERROR(expand(params.output_padding, dims, 0, 0,
                                     "output padding", s.output_padding));
  ET_CHECK_OK_OR_RETURN_ERROR(check_channels(in, weight, bias, s));
  ET_CHECK_OK_OR_RETURN_ERROR(check_sizes(in, weight, s));
  if (out != nullptr) {
    aten::SizesType sizes[2 + kMost];
    sizes[0] = static_cast<aten::SizesType>(s.batch);
    sizes[1] = static_cast<aten::SizesType>(s.out_channels * s.groups);
    std::copy(s.out + kMost - dims, s.out + kMost, sizes + 2);
    ET_CHECK_OK_OR_RETURN_ERROR(
        runtime::resize_tensor(*out, {sizes, size_t(dims + 2)}));
    set_strides(s, in, weight, *out);
  }
  return s;
}

void set_strides(Shape& s, const Tensor& in, const Tensor& weight,
                 const Tensor& out) {
  s.in_image = image_of(in, 2);
  s.out_image = image_of(out, 2);
  const Image w = image_of(weight, 2);
  s.weight.output = s.transposed ? w.channel_stride : w.batch_stride;
  s.weight.input = s.transposed ? w.batch_stride : w.channel_stride;
  s.weight.group = w.batch_stride * (weight.size(0) / s.groups);
  std::copy(w.strides, w.strides + kMost, s.weight.taps);
}

int64_t num_windows(const Shape& s) {
  return s.transposed ? s.stride[0] * s.stride[1] * s.stride[2] : 1;
}

namespace {

// Output points p, p + stride, ... of a transposed convolution: tap t meets
// input point j + (p + padding - t * dilation) / stride where that is whole.
Axis transposed_axis(const Shape& s, int d, int64_t p) {
  Axis a = {};
  a.first = p;
  a.spacing = s.stride[d];
  a.points = p < s.out[d] ? (s.out[d] - p - 1) / s.stride[d] + 1 : 0;
  a.step = 1;
  a.tap_step = 1;
  for (int64_t t = 0; t < s.kernel[d]; ++t) {
    const int64_t at = p + s.padding[d] - t * s.dilation[d];
    if (at % s.stride[d] != 0) {
      continue;
    }
    if (a.taps == 0) {
      a.first_tap = t;
      a.offset0 = at / s.stride[d];
    } else if (a.taps == 1) {
      a.tap_step = t - a.first_tap;
      a.offset_step = at / s.stride[d] - a.offset0;
    }
    ++a.taps;
  }
  a.low = a.offset0 + (a.taps > 0 ? a.offset_step * (a.taps - 1) : 0);
  return a;
}

Axis plain_axis(const Shape& s, int d) {
  Axis a = {};
  a.points = s.out[d];
  a.spacing = 1;
  a.step = s.stride[d];
  a.taps = s.kernel[d];
  a.tap_step = 1;
  a.low = a.offset0 = -s.padding[d];
  a.offset_step = s.dilation[d];
  return a;
}

}  // namespace

Window window(const Shape& s, int64_t i) {
  Window w;
  for (int d = kMost - 1; d >= 0; --d) {
    w.axes[d] = s.transposed ? transposed_axis(s, d, i % s.stride[d])
                             : plain_axis(s, d);
    i /= s.stride[d];
  }
  return w;
}

}  // namespace executorch::kernels::conv
