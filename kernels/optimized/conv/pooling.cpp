#include "kernels/optimized/conv/pooling.h"

#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <algorithm>

namespace executorch::kernels::conv {
namespace {

Error check_input(const Tensor& in) {
  ET_CHECK_OR_RETURN_ERROR(in.dim() == 3 || in.dim() == 4, InvalidArgument,
                           "an input of rank %d, must be 3 or 4",
                           int(in.dim()));
  for (int d = in.dim() == 4 ? 1 : 0; d < in.dim(); ++d) {
    ET_CHECK_OR_RETURN_ERROR(in.size(d) > 0, InvalidArgument,
                             "dimension %d of the input is empty", d);
  }
  return Error::Ok;
}

// Size of the result along one dimension. In ceil mode the last window may
// leave the padded input, but must start inside of it or of the padding before
// it.
Error set_out_size(Shape& s, int d, bool ceil_mode) {
  const int64_t reach = s.dilation[d] * (s.kernel[d] - 1) + 1;
  const int64_t room = s.in[d] + 2 * s.padding[d] - reach;
  const int64_t extra = ceil_mode ? s.stride[d] - 1 : 0;
  s.out[d] = room + extra < 0 ? 0 : (room + extra) / s.stride[d] + 1;
  if (ceil_mode && (s.out[d] - 1) * s.stride[d] >= s.in[d] + s.padding[d]) {
    --s.out[d];
  }
  ET_CHECK_OR_RETURN_ERROR(
      s.out[d] >= 1, InvalidArgument,
      "an input of %lld points, padded by %lld, does not fit a window that "
      "reaches over %lld",
      (long long)s.in[d], (long long)s.padding[d], (long long)reach);
  return Error::Ok;
}

}  // namespace

Result<Shape> pool_shape(const Tensor& in, const PoolParams& params) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_input(in));
  const int first = static_cast<int>(in.dim()) - 2;
  Shape s = {};
  s.dtype = in.scalar_type();
  s.batch = first == 2 ? in.size(0) : 1;
  s.groups = in.size(first - 1);
  s.in_channels = s.out_channels = 1;
  s.in_image = image_of(in, first);
  const auto& stride = params.stride.empty() ? params.kernel : params.stride;
  ET_CHECK_OK_OR_RETURN_ERROR(
      expand(params.kernel, 2, 1, 1, "kernel size", s.kernel));
  ET_CHECK_OK_OR_RETURN_ERROR(expand(stride, 2, 1, 1, "stride", s.stride));
  ET_CHECK_OK_OR_RETURN_ERROR(
      expand(params.padding, 2, 0, 0, "padding", s.padding));
  ET_CHECK_OK_OR_RETURN_ERROR(
      expand(params.dilation, 2, 1, 1, "dilation", s.dilation));
  s.in[0] = s.out[0] = 1;
  for (int d = 1; d < 3; ++d) {
    s.in[d] = in.size(first + d - 1);
    ET_CHECK_OR_RETURN_ERROR(
        s.padding[d] <= (s.dilation[d] * (s.kernel[d] - 1) + 1) / 2,
        InvalidArgument, "padding %lld is more than half of the kernel, %lld",
        (long long)s.padding[d], (long long)s.kernel[d]);
    ET_CHECK_OK_OR_RETURN_ERROR(set_out_size(s, d, params.ceil_mode));
  }
  return s;
}

Error resize_pooled(const Tensor& in, int64_t height, int64_t width,
                    Tensor& out) {
  aten::SizesType sizes[4];
  const size_t rank = in.dim();
  std::copy(in.sizes().begin(), in.sizes().end(), sizes);
  sizes[rank - 2] = static_cast<aten::SizesType>(height);
  sizes[rank - 1] = static_cast<aten::SizesType>(width);
  return runtime::resize_tensor(out, {sizes, rank});
}

}  // namespace executorch::kernels::conv
