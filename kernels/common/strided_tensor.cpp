// The part of strided.h that has to do with tensors.
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <cinttypes>
#include <limits>

#include "kernels/common/checks.h"
#include "kernels/common/strided.h"

namespace executorch::kernels {

using aten::ArrayRef;
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

Error resize(Tensor& out, ArrayRef<int64_t> sizes) {
  ET_CHECK_OR_RETURN_ERROR(
      sizes.size() <= runtime::kTensorDimensionLimit, InvalidArgument,
      "the result has %zu dimensions, at most %zu are supported", sizes.size(),
      size_t{runtime::kTensorDimensionLimit});
  Shape shape;
  shape.dims = static_cast<int>(sizes.size());
  for (int d = 0; d < shape.dims; ++d) {
    ET_CHECK_OR_RETURN_ERROR(
        sizes[d] >= 0 &&
            sizes[d] <= std::numeric_limits<aten::SizesType>::max(),
        InvalidArgument, "%" PRId64 " is not a size (dimension %d)", sizes[d],
        d);
    shape.sizes[d] = static_cast<aten::SizesType>(sizes[d]);
  }
  return runtime::resize_tensor(out, shape.view());
}

Error resize(Tensor& out, const ConstView& like) {
  return resize(out, like.shape());
}

Error expand(ConstView& v, ArrayRef<int64_t> sizes) {
  const int dims = static_cast<int>(sizes.size());
  ET_CHECK_OR_RETURN_ERROR(dims >= v.dims, InvalidArgument,
                           "%d dimensions do not expand to %d", v.dims, dims);
  while (v.dims < dims) {
    v.insert(0, 1, 0);
  }
  for (int d = 0; d < dims; ++d) {
    ET_CHECK_OR_RETURN_ERROR(
        v.sizes[d] == 1 || v.sizes[d] == sizes[d], InvalidArgument,
        "size %" PRId64 " does not expand to %" PRId64 " (dimension %d)",
        v.sizes[d], sizes[d], d);
    if (v.sizes[d] != sizes[d]) {
      v.sizes[d] = sizes[d];
      v.strides[d] = 0;
    }
  }
  return Error::Ok;
}

Error check_format(std::optional<aten::MemoryFormat> format) {
  const auto value = format.value_or(aten::MemoryFormat::Preserve);
  ET_CHECK_OR_RETURN_ERROR(value == aten::MemoryFormat::Contiguous ||
                               value == aten::MemoryFormat::Preserve,
                           InvalidArgument,
                           "memory format %d is not supported, expected 0 "
                           "(contiguous) or 1 (preserve)",
                           static_cast<int>(value));
  return Error::Ok;
}

Error deliver(const ConstView& src, ScalarType dtype, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(dtype, out));
  ET_CHECK_OK_OR_RETURN_ERROR(resize(out, src));
  copy(mutable_view(out), src);
  return Error::Ok;
}

}  // namespace executorch::kernels
