// Sizes of tensors: counting elements, and the rules of a resize.
#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/portable_type/tensor_impl.h>

#include <algorithm>
#include <cstring>

namespace executorch {
namespace runtime {
namespace etensor {
namespace {

using Sizes = ArrayRef<TensorImpl::SizesType>;

// The strides of dense memory; without a dim order dimensions are in order.
Error dense_strides(Sizes sizes, const TensorImpl::DimOrderType* dim_order,
                    TensorImpl::StridesType* strides) {
  TensorImpl::DimOrderType in_order[kTensorDimensionLimit];
  if (dim_order == nullptr && sizes.size() <= kTensorDimensionLimit) {
    for (size_t i = 0; i < sizes.size(); ++i) {
      in_order[i] = static_cast<TensorImpl::DimOrderType>(i);
    }
    dim_order = in_order;
  }
  return dim_order_to_stride(sizes.data(), dim_order, sizes.size(), strides);
}

}  // namespace

ssize_t compute_numel(const TensorImpl::SizesType* sizes, ssize_t dim) {
  const Result<ssize_t> numel = safe_numel(sizes, dim);
  ET_CHECK_MSG(numel.ok(), "the sizes of a tensor of %zd dimensions", dim);
  return *numel;
}

Result<ssize_t> safe_numel(const TensorImpl::SizesType* sizes, ssize_t dim) {
  ET_CHECK_OR_RETURN_ERROR(dim == 0 || sizes != nullptr, InvalidArgument,
                           "no sizes given for %zd dimensions", dim);
  ssize_t numel = 1;
  for (ssize_t i = 0; i < dim; ++i) {
    ET_CHECK_OR_RETURN_ERROR(sizes[i] >= 0, InvalidArgument,
                             "size %d of dimension %zd is negative", sizes[i],
                             i);
    ET_CHECK_OR_RETURN_ERROR(!__builtin_mul_overflow(numel, sizes[i], &numel),
                             InvalidArgument,
                             "the number of elements overflows at dimension "
                             "%zd of size %d",
                             i, sizes[i]);
  }
  return numel;
}

TensorImpl::TensorImpl(ScalarType type, ssize_t dim, SizesType* sizes,
                       void* data, DimOrderType* dim_order,
                       StridesType* strides, TensorShapeDynamism dynamism,
                       DeviceType device_type, DeviceIndex device_index)
    : sizes_(sizes),
      dim_order_(dim_order),
      strides_(strides),
      data_(data),
      dim_(dim),
      numel_(compute_numel(sizes, dim)),
      numel_bound_(static_cast<size_t>(numel_)),
      type_(type),
      shape_dynamism_(dynamism),
      device_(device_type, device_index) {
  ET_CHECK_MSG(isValid(type), "no element type has the number %d",
               static_cast<int>(type));
  ET_CHECK_MSG(dim >= 0, "%zd dimensions", dim);
}

size_t TensorImpl::nbytes() const {
  return static_cast<size_t>(numel_) * elementSize(type_);
}

ssize_t TensorImpl::element_size() const {
  return static_cast<ssize_t>(elementSize(type_));
}

Error TensorImpl::internal_resize_contiguous(Sizes new_sizes) {
  ET_CHECK_OR_RETURN_ERROR(new_sizes.size() == rank(), NotSupported,
                           "a tensor of %zu dimensions cannot get %zu", rank(),
                           new_sizes.size());
  if (new_sizes == sizes()) {
    return Error::Ok;
  }
  ET_CHECK_OR_RETURN_ERROR(
      shape_dynamism_ != TensorShapeDynamism::STATIC, NotSupported,
      "the shape is static, it cannot change from %zd elements", numel_);
  const Result<ssize_t> numel = safe_numel(new_sizes.data(), dim_);
  if (!numel.ok()) {
    return numel.error();
  }
  ET_CHECK_OR_RETURN_ERROR(
      static_cast<size_t>(*numel) <= numel_bound_, NotSupported,
      "%zd elements wanted, the tensor was made for %zu at most", *numel,
      numel_bound_);
  if (strides_ != nullptr) {
    ET_CHECK_OK_OR_RETURN_ERROR(dense_strides(new_sizes, dim_order_, strides_));
  }
  numel_ = *numel;
  std::copy(new_sizes.begin(), new_sizes.end(), sizes_);
  return Error::Ok;
}

}  // namespace etensor
}  // namespace runtime
}  // namespace executorch
