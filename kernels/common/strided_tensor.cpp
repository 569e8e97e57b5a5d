// The part of strided.h that has to do with tensors.
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <cinttypes>
#include <limits>

#include "kernels/common/checks.h"
#include "kernels/common/strided.h"

namespace executorch::kernels {

using aten::ScalarType;
using aten::Tensor;
using runtime::Error;

namespace {

template <class V>
V make_view(decltype(V::data) data, const aten::Tensor& tensor) {
  V v(data, static_cast<int64_t>(tensor.element_size()));
  v.dims = static_cast<int>(tensor.dim());
  const auto sizes = tensor.sizes();
  const auto strides = tensor.strides();
  for (int d = 0; d < v.dims; ++d) {
    v.sizes[d] = sizes[d];
    v.strides[d] = strides[d] * v.item;
  }
  return v;
}

}  // namespace

ConstView view(const aten::Tensor& tensor) {
  return make_view<ConstView>(static_cast<const char*>(tensor.const_data_ptr()),
                              tensor);
}

View mutable_view(aten::Tensor& tensor) {
  return make_view<View>(static_cast<char*>(tensor.mutable_data_ptr()), tensor);
}

Error resize(Tensor& out, const ConstView& like) {
  ET_CHECK_OR_RETURN_ERROR(
      like.dims <= static_cast<int>(runtime::kTensorDimensionLimit),
      InvalidArgument,
      "the result has %d dimensions, at most %zu are supported", like.dims,
      size_t{runtime::kTensorDimensionLimit});
  Shape shape;
  shape.dims = like.dims;
  for (int d = 0; d < like.dims; ++d) {
    ET_CHECK_OR_RETURN_ERROR(
        like.sizes[d] <= std::numeric_limits<aten::SizesType>::max(),
        InvalidArgument, "size %" PRId64 " of dimension %d is too large",
        like.sizes[d], d);
    shape.sizes[d] = static_cast<aten::SizesType>(like.sizes[d]);
  }
  return runtime::resize_tensor(out, shape.view());
}

Error check_same_dtype(ScalarType dtype, const Tensor& out) {
  ET_CHECK_OR_RETURN_ERROR(out.scalar_type() == dtype, InvalidArgument,
                           "the result has dtype %s, the output has %s",
                           runtime::toString(dtype),
                           runtime::toString(out.scalar_type()));
  return Error::Ok;
}

Error deliver(const ConstView& src, ScalarType dtype, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(dtype, out));
  ET_CHECK_OK_OR_RETURN_ERROR(resize(out, src));
  copy(mutable_view(out), src);
  return Error::Ok;
}

}  // namespace executorch::kernels
