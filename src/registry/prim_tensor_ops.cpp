// The primitive operators on tensors: what their sizes are, the number in one,
// views, and a row copied into a larger tensor.
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <cstring>
#include <iterator>
#include <limits>

#include "src/registry/prim_op.h"

namespace executorch::registry {
namespace {

using aten::ArrayRef;
using aten::DimOrderType;
using aten::ScalarType;
using aten::SizesType;
using aten::Tensor;
using runtime::Error;
using runtime::EValue;
using runtime::kTensorDimensionLimit;
using runtime::Result;

Result<EValue> size(const EValue& self, const EValue& dim) {
  const Tensor& tensor = self.toTensor();
  const int64_t rank = tensor.dim();
  const int64_t d = dim.toInt() < 0 ? dim.toInt() + rank : dim.toInt();
  ET_CHECK_OR_RETURN_ERROR(
      d >= 0 && d < rank, InvalidArgument,
      "dimension %lld of a tensor with %lld dimensions is asked for",
      static_cast<long long>(dim.toInt()), static_cast<long long>(rank));
  return EValue(static_cast<int64_t>(tensor.size(d)));
}

Result<EValue> numel(const EValue& self) {
  return EValue(static_cast<int64_t>(self.toTensor().numel()));
}

template <class T>
T first(const Tensor& tensor) {
  return *tensor.const_data_ptr<T>();
}

Result<EValue> item(const EValue& self) {
  const Tensor& t = self.toTensor();
  ET_CHECK_OR_RETURN_ERROR(t.numel() == 1 && t.const_data_ptr() != nullptr,
                           InvalidArgument,
                           "a tensor with one element is expected, got %zd "
                           "elements",
                           static_cast<ssize_t>(t.numel()));
  const auto integer = [](int64_t v) { return EValue(v); };
  switch (t.scalar_type()) {
    case ScalarType::Bool:
      return EValue(first<bool>(t));
    case ScalarType::Byte:
      return integer(first<uint8_t>(t));
    case ScalarType::Char:
      return integer(first<int8_t>(t));
    case ScalarType::Short:
      return integer(first<int16_t>(t));
    case ScalarType::Int:
      return integer(first<int32_t>(t));
    case ScalarType::Long:
      return integer(first<int64_t>(t));
    case ScalarType::UInt16:
      return integer(first<uint16_t>(t));
    case ScalarType::UInt32:
      return integer(first<uint32_t>(t));
    case ScalarType::Half:
      return EValue(
          static_cast<double>(static_cast<float>(first<aten::Half>(t))));
    case ScalarType::BFloat16:
      return EValue(
          static_cast<double>(static_cast<float>(first<aten::BFloat16>(t))));
    case ScalarType::Float:
      return EValue(static_cast<double>(first<float>(t)));
    case ScalarType::Double:
      return EValue(first<double>(t));
    default:
      ET_LOG(Error, "no scalar can be made of a tensor of dtype %s",
             runtime::toString(t.scalar_type()));
      return Error::NotSupported;
  }
}

// Whether the elements follow each other in memory in the order of their
// indices. Where a dimension of size 1 stands in the dim order is no matter.
bool is_row_major(const Tensor& tensor) {
  int last = -1;
  for (const DimOrderType dim : tensor.dim_order()) {
    if (tensor.size(dim) == 1) {
      continue;
    }
    if (static_cast<int>(dim) < last) {
      return false;
    }
    last = dim;
  }
  return true;
}

// Replaces a -1 in `size` by what makes the number of elements that of `self`.
Error infer_size(const Tensor& self, ArrayRef<int64_t> size, SizesType* out) {
  const int64_t numel = self.numel();
  int64_t known = 1;
  size_t unknown = size.size();
  bool valid = size.size() <= kTensorDimensionLimit;
  for (size_t i = 0; valid && i < size.size(); ++i) {
    if (size[i] == -1 && unknown == size.size()) {
      unknown = i;
    } else {
      valid = size[i] >= 0 &&
              size[i] <= std::numeric_limits<SizesType>::max() &&
              !__builtin_mul_overflow(known, size[i], &known);
      out[i] = static_cast<SizesType>(size[i]);
    }
  }
  if (valid && unknown < size.size()) {
    valid = known != 0 && numel % known == 0 &&
            numel / known <= std::numeric_limits<SizesType>::max();
    out[unknown] = valid ? static_cast<SizesType>(numel / known) : 0;
    known = numel;
  }
  ET_CHECK_OR_RETURN_ERROR(
      valid && known == numel, InvalidArgument,
      "a tensor of %lld elements cannot be viewed with the %zu sizes given",
      static_cast<long long>(numel), size.size());
  return Error::Ok;
}

// Makes `out` a view of the memory of `self`.
Error view(EValue& self_value, EValue& size_value, EValue& out_value) {
  const Tensor& self = self_value.toTensor();
  Tensor& out = out_value.toTensor();
  const auto size = size_value.tryToIntList();
  ET_CHECK_OR_RETURN_ERROR(size.ok(), InvalidType,
                           "the size of a view is not a list of integers");
  SizesType sizes[kTensorDimensionLimit];
  ET_CHECK_OK_OR_RETURN_ERROR(infer_size(self, *size, sizes));
  ET_CHECK_OR_RETURN_ERROR(self.scalar_type() == out.scalar_type(),
                           InvalidArgument, "a view of %s cannot be a %s",
                           runtime::toString(self.scalar_type()),
                           runtime::toString(out.scalar_type()));
  ET_CHECK_OR_RETURN_ERROR(
      self.const_data_ptr() != nullptr || self.numel() == 0, InvalidState,
      "the tensor to view has no memory");
  ET_CHECK_OK_OR_RETURN_ERROR(
      runtime::resize_tensor(out, ArrayRef<SizesType>(sizes, size->size())));
  const bool same_layout =
      self.sizes() == out.sizes() && self.dim_order() == out.dim_order();
  ET_CHECK_OR_RETURN_ERROR(
      same_layout || (is_row_major(self) && is_row_major(out)), NotSupported,
      "only a tensor in row-major order can be viewed with other sizes");
  out.unsafeGetTensorImpl()->set_data(self.mutable_data_ptr());
  return Error::Ok;
}

// Row `index` of `to` becomes `from`. A tensor that can be resized has
// index + 1 rows afterwards: loops gather their results in one.
Error copy_index(EValue& to_value, EValue& from_value, EValue& index_value) {
  Tensor& to = to_value.toTensor();
  const Tensor& from = from_value.toTensor();
  const int64_t index = index_value.toInt();
  const size_t rank = from.dim();

  bool matches = to.dim() == from.dim() + 1 &&
                 to.scalar_type() == from.scalar_type() &&
                 rank < kTensorDimensionLimit && to.dim_order()[0] == 0;
  SizesType sizes[kTensorDimensionLimit];
  for (size_t i = 0; matches && i < rank; ++i) {
    sizes[i + 1] = from.size(i);
    matches = to.size(i + 1) == from.size(i) &&
              to.dim_order()[i + 1] == from.dim_order()[i] + 1;
  }
  ET_CHECK_OR_RETURN_ERROR(matches, InvalidArgument,
                           "the tensor to copy is not like a row of the "
                           "destination in dtype, sizes and dim order");
  ET_CHECK_OR_RETURN_ERROR(
      index >= 0 && index < std::numeric_limits<SizesType>::max(),
      InvalidArgument, "row %lld cannot be copied to",
      static_cast<long long>(index));

  const bool is_static =
      to.shape_dynamism() == aten::TensorShapeDynamism::STATIC;
  if (!is_static || index >= to.size(0)) {
    sizes[0] = static_cast<SizesType>(index + 1);
    ET_CHECK_OK_OR_RETURN_ERROR(
        runtime::resize_tensor(to, ArrayRef<SizesType>(sizes, rank + 1)));
  }
  if (from.nbytes() == 0) {
    return Error::Ok;
  }
  auto* target = static_cast<uint8_t*>(to.mutable_data_ptr());
  ET_CHECK_OR_RETURN_ERROR(
      target != nullptr && from.const_data_ptr() != nullptr, InvalidState,
      "a tensor has no memory");
  std::memmove(target + static_cast<size_t>(index) * from.nbytes(),
               from.const_data_ptr(), from.nbytes());
  return Error::Ok;
}

const Op kOps[] = {
    value<item, kTensor>("aten::_local_scalar_dense"),
    value<numel, kTensor>("aten::sym_numel"),
    value<size, kTensor, kInt>("aten::sym_size.int"),
    in_place<copy_index, kTensor, kTensor, kInt>(
        "executorch_prim::et_copy_index.tensor"),
    in_place<view, kTensor, kInts, kTensor>("executorch_prim::et_view.default"),
};

const Error registered = register_ops({kOps, std::size(kOps)}, nullptr);

}  // namespace
}  // namespace executorch::registry
