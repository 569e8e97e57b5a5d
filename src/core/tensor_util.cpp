// Indices, single values, and changes of tensors.
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <cstring>

namespace executorch {
namespace runtime {

using aten::ScalarType;
using aten::Tensor;

namespace {

// Product of the sizes in [begin, end).
size_t product(const Tensor& tensor, size_t begin, size_t end) {
  size_t result = 1;
  for (size_t i = begin; i < end; ++i) {
    ET_CHECK_MSG(!__builtin_mul_overflow(result, tensor.sizes()[i], &result),
                 "the product of sizes overflows at dimension %zu", i);
  }
  return result;
}

}  // namespace

size_t getLeadingDims(const Tensor& tensor, int64_t dim) {
  ET_CHECK_MSG(dim >= 0 && dim <= tensor.dim(),
               "dimension %" PRId64 " is not in [0, %zd]", dim, tensor.dim());
  return product(tensor, 0, static_cast<size_t>(dim));
}

size_t getTrailingDims(const Tensor& tensor, int64_t dim) {
  ET_CHECK_MSG(dim >= -1 && dim < tensor.dim(),
               "dimension %" PRId64 " is not in [-1, %zd)", dim, tensor.dim());
  return product(tensor, static_cast<size_t>(dim + 1), tensor.sizes().size());
}

size_t coordinateToIndex(const Tensor& tensor, const size_t* const coordinate) {
  size_t index = 0;
  for (size_t i = 0; i < tensor.sizes().size(); ++i) {
    index = index * static_cast<size_t>(tensor.sizes()[i]) + coordinate[i];
  }
  return index;
}

void indexToCoordinate(const Tensor& tensor, size_t index, size_t* coordinate) {
  ET_CHECK_MSG(index < static_cast<size_t>(tensor.numel()),
               "index %zu of %zd elements", index, tensor.numel());
  for (size_t i = tensor.sizes().size(); i > 0; --i) {
    const size_t size = static_cast<size_t>(tensor.sizes()[i - 1]);
    coordinate[i - 1] = index % size;
    index /= size;
  }
}

void memoizeTrailingDims(const Tensor& tensor,
                         size_t trailing_dims_memo[kTensorDimensionLimit]) {
  size_t trailing = 1;
  for (size_t i = tensor.sizes().size(); i > 0; --i) {
    trailing_dims_memo[i - 1] = trailing;
    trailing *= static_cast<size_t>(tensor.sizes()[i - 1]);
  }
}

size_t coordinateToIndexWithTrailingDimsMemo(
    const Tensor& tensor, const size_t* const coordinate,
    const size_t trailing_dims_memo[kTensorDimensionLimit]) {
  size_t index = 0;
  for (size_t i = 0; i < tensor.sizes().size(); ++i) {
    index += coordinate[i] * trailing_dims_memo[i];
  }
  return index;
}

namespace internal {
namespace {

bool has_one_value(const Tensor& tensor) {
  return tensor.numel() == 1 && tensor.const_data_ptr() != nullptr;
}

}  // namespace

bool extract_integer(Tensor tensor, int64_t* out_val) {
  if (!has_one_value(tensor)) {
    return false;
  }
  switch (tensor.scalar_type()) {
#define ET_INTERNAL_EXTRACT(type__, name__)      \
  case ScalarType::name__:                       \
    *out_val = *tensor.const_data_ptr<type__>(); \
    return true;
    ET_FORALL_INT_TYPES(ET_INTERNAL_EXTRACT)
#undef ET_INTERNAL_EXTRACT
    default:
      return false;
  }
}

bool extract_number(Tensor tensor, double* out_val) {
  if (!has_one_value(tensor)) {
    return false;
  }
  switch (tensor.scalar_type()) {
#define ET_INTERNAL_EXTRACT(type__, name__)                           \
  case ScalarType::name__:                                            \
    *out_val = static_cast<double>(*tensor.const_data_ptr<type__>()); \
    return true;
    ET_FORALL_REALHBF16_TYPES(ET_INTERNAL_EXTRACT)
#undef ET_INTERNAL_EXTRACT
    default:
      return false;
  }
}

bool extract_bool(Tensor tensor, bool* out_val) {
  if (!has_one_value(tensor) || tensor.scalar_type() != ScalarType::Bool) {
    return false;
  }
  *out_val = *tensor.const_data_ptr<bool>();
  return true;
}

Error share_tensor_data(const Tensor& t_dst, const Tensor& t_src) {
  ET_CHECK_OR_RETURN_ERROR(t_dst.nbytes() == t_src.nbytes(), InvalidArgument,
                           "a tensor of %zu bytes cannot share the memory of "
                           "one of %zu",
                           t_dst.nbytes(), t_src.nbytes());
  ET_CHECK_OR_RETURN_ERROR(
      t_src.const_data_ptr() != nullptr || t_src.nbytes() == 0, InvalidArgument,
      "the source tensor of %zu bytes has no memory", t_src.nbytes());
  t_dst.unsafeGetTensorImpl()->set_data(t_src.mutable_data_ptr());
  return Error::Ok;
}

Error copy_tensor_data(const Tensor& t_dst, const Tensor& t_src) {
  const size_t nbytes = t_dst.nbytes();
  ET_CHECK_OR_RETURN_ERROR(nbytes == t_src.nbytes(), InvalidArgument,
                           "cannot copy %zu bytes into a tensor of %zu",
                           t_src.nbytes(), nbytes);
  if (nbytes == 0) {
    return Error::Ok;
  }
  ET_CHECK_OR_RETURN_ERROR(
      t_dst.const_data_ptr() != nullptr && t_src.const_data_ptr() != nullptr,
      InvalidArgument, "the %s tensor of %zu bytes has no memory",
      t_dst.const_data_ptr() == nullptr ? "target" : "source", nbytes);
  std::memmove(t_dst.mutable_data_ptr(), t_src.const_data_ptr(), nbytes);
  return Error::Ok;
}

Error set_tensor_data(const Tensor& t, void* buffer, size_t buffer_size) {
  ET_CHECK_OR_RETURN_ERROR(buffer_size >= t.nbytes(), InvalidArgument,
                           "a buffer of %zu bytes for a tensor of %zu",
                           buffer_size, t.nbytes());
  t.unsafeGetTensorImpl()->set_data(buffer);
  return Error::Ok;
}

void reset_data_ptr(const Tensor& tensor) {
  tensor.unsafeGetTensorImpl()->set_data(nullptr);
}

Error resize_tensor_impl(aten::TensorImpl* impl,
                         aten::ArrayRef<aten::SizesType> new_sizes) {
  return TensorResizerFriend::resize_tensor_impl(impl, new_sizes);
}

}  // namespace internal

Error resize_tensor(Tensor t, aten::ArrayRef<aten::SizesType> new_sizes) {
  return internal::resize_tensor_impl(t.unsafeGetTensorImpl(), new_sizes);
}

}  // namespace runtime
}  // namespace executorch
