// Making tensors that own their shape and, if wanted, their data.
#include <executorch/extension/tensor/tensor_ptr.h>
#include <executorch/runtime/core/device_allocator.h>
#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <cstring>
#include <new>
#include <numeric>

#include "src/module/elements.h"
#include "src/module/owned_memory.h"

namespace executorch::extension {

using aten::Device;
using aten::DeviceType;
using aten::DimOrderType;
using aten::ScalarType;
using aten::SizesType;
using aten::StridesType;
using aten::Tensor;
using aten::TensorImpl;
using internal::DimOrder;
using internal::Dynamism;
using internal::OwnedData;
using internal::Sizes;
using internal::Strides;
using runtime::Error;
using runtime::Result;

namespace {

// All that a TensorPtr points into.
struct Storage {
  Storage(Sizes s, DimOrder d, Strides st, void* data, ScalarType type,
          Device device, Dynamism dynamism)
      : sizes(std::move(s)),
        dim_order(std::move(d)),
        strides(std::move(st)),
        impl(type, static_cast<ssize_t>(sizes.size()), sizes.data(), data,
             dim_order.data(), strides.data(), dynamism, device.type(),
             device.index()),
        tensor(&impl),
        data(data) {}
  ~Storage() {
    if (deleter) {
      deleter(data);
    }
  }
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  Sizes sizes;
  DimOrder dim_order;
  Strides strides;
  TensorImpl impl;
  Tensor tensor;
  void* data;
  std::function<void(void*)> deleter;
};

// The number of elements; an error unless the bytes can be counted too.
Result<size_t> count_elements(const Sizes& sizes, ScalarType type) {
  ET_CHECK_OR_RETURN_ERROR(
      sizes.size() <= runtime::kTensorDimensionLimit, InvalidArgument,
      "a tensor has at most %zu dimensions, not %zu",
      static_cast<size_t>(runtime::kTensorDimensionLimit), sizes.size());
  ET_CHECK_OR_RETURN_ERROR(runtime::isValid(type), InvalidArgument,
                           "dtype %d does not exist", static_cast<int>(type));
  ET_ASSIGN_OR_RETURN(
      numel,
      aten::safe_numel(sizes.data(), static_cast<ssize_t>(sizes.size())));
  ssize_t bytes = 0;
  ET_CHECK_OR_RETURN_ERROR(
      !__builtin_mul_overflow(numel, runtime::elementSize(type), &bytes),
      InvalidArgument, "the size of the tensor in bytes overflows");
  return static_cast<size_t>(numel);
}

// The dims with the larger strides first; equal ones stay in order.
DimOrder order_of(const Strides& strides) {
  DimOrder order(strides.size());
  std::iota(order.begin(), order.end(), DimOrderType{0});
  std::stable_sort(
      order.begin(), order.end(),
      [&](DimOrderType a, DimOrderType b) { return strides[a] > strides[b]; });
  return order;
}

Error check_permutation(const DimOrder& order, size_t rank) {
  bool seen[runtime::kTensorDimensionLimit] = {};
  bool valid = order.size() == rank;
  for (size_t i = 0; valid && i < rank; ++i) {
    valid = order[i] < rank && !seen[order[i]];
    seen[valid ? order[i] : 0] = true;
  }
  ET_CHECK_OR_RETURN_ERROR(
      valid, InvalidArgument,
      "the dim order is not a permutation of the %zu dimensions", rank);
  return Error::Ok;
}

// The strides of dense memory in this order. An empty dimension counts as one
// element, as in PyTorch.
Result<Strides> dense_strides(const Sizes& sizes, const DimOrder& order) {
  Strides strides(sizes.size());
  StridesType step = 1;
  for (size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = step;
    ET_CHECK_OR_RETURN_ERROR(
        i == 0 || !__builtin_mul_overflow(
                      step, std::max<SizesType>(sizes[order[i]], 1), &step),
        InvalidArgument, "the strides of the tensor do not fit into 32 bits");
  }
  return strides;
}

// Strides say where elements are only in dimensions with more than one.
Error check_strides(const Sizes& sizes, const Strides& given,
                    const Strides& dense) {
  const bool empty = std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
  for (size_t i = 0; i < sizes.size(); ++i) {
    ET_CHECK_OR_RETURN_ERROR(
        empty || sizes[i] == 1 || given[i] == dense[i], InvalidArgument,
        "stride %d of dimension %zu leaves gaps, overlaps or contradicts the "
        "dim order: %d is expected",
        static_cast<int>(given[i]), i, static_cast<int>(dense[i]));
  }
  return Error::Ok;
}

template <class T>
std::function<void(void*)> keep_alive(std::shared_ptr<T> owner) {
  return [owner = std::move(owner)](void*) {};
}

}  // namespace

Result<TensorPtr> try_make_tensor_ptr(std::vector<SizesType> sizes, void* data,
                                      std::vector<DimOrderType> dim_order,
                                      std::vector<StridesType> strides,
                                      ScalarType type, Device device,
                                      Dynamism dynamism,
                                      std::function<void(void*)> deleter) {
  const size_t rank = sizes.size();
  ET_CHECK_OK_OR_RETURN_ERROR(count_elements(sizes, type).error());
  ET_CHECK_OR_RETURN_ERROR(
      strides.empty() || strides.size() == rank, InvalidArgument,
      "%zu strides are given for %zu dimensions", strides.size(), rank);
  if (dim_order.empty()) {
    dim_order = order_of(strides.empty() ? Strides(rank) : strides);
  }
  ET_CHECK_OK_OR_RETURN_ERROR(check_permutation(dim_order, rank));
  auto dense = dense_strides(sizes, dim_order);
  ET_CHECK_OK_OR_RETURN_ERROR(dense.error());
  if (!strides.empty()) {
    ET_CHECK_OK_OR_RETURN_ERROR(check_strides(sizes, strides, *dense));
  }
  auto storage = std::make_shared<Storage>(
      std::move(sizes), std::move(dim_order), std::move(*dense), data, type,
      device, dynamism);
  storage->deleter = std::move(deleter);
  Tensor* tensor = &storage->tensor;
  return TensorPtr(std::move(storage), tensor);
}

Result<TensorPtr> try_make_tensor_ptr(std::vector<SizesType> sizes,
                                      std::vector<uint8_t> data,
                                      std::vector<DimOrderType> dim_order,
                                      std::vector<StridesType> strides,
                                      ScalarType type, Dynamism dynamism) {
  ET_ASSIGN_OR_RETURN(count, count_elements(sizes, type));
  const size_t bytes = count * runtime::elementSize(type);
  ET_CHECK_OR_RETURN_ERROR(data.size() >= bytes, InvalidArgument,
                           "%zu bytes are given, the tensor has %zu",
                           data.size(), bytes);
  OwnedData owned = internal::own(std::move(data));
  return try_make_tensor_ptr(std::move(sizes), owned.data, std::move(dim_order),
                             std::move(strides), type, Device(DeviceType::CPU),
                             dynamism, std::move(owned.deleter));
}

Result<TensorPtr> try_make_tensor_ptr(const Tensor& tensor,
                                      std::vector<SizesType> sizes,
                                      std::vector<DimOrderType> dim_order,
                                      std::vector<StridesType> strides,
                                      std::function<void(void*)> deleter) {
  if (sizes.empty()) {
    sizes.assign(tensor.sizes().begin(), tensor.sizes().end());
  }
  ET_ASSIGN_OR_RETURN(count, count_elements(sizes, tensor.scalar_type()));
  ET_CHECK_OR_RETURN_ERROR(count <= static_cast<size_t>(tensor.numel()),
                           InvalidArgument,
                           "a view of %zu elements is larger than its tensor "
                           "of %zd",
                           count, static_cast<ssize_t>(tensor.numel()));
  const bool same_rank = sizes.size() == static_cast<size_t>(tensor.dim());
  if (dim_order.empty() && strides.empty() && same_rank) {
    dim_order.assign(tensor.dim_order().begin(), tensor.dim_order().end());
  }
  return try_make_tensor_ptr(
      std::move(sizes), tensor.mutable_data_ptr(), std::move(dim_order),
      std::move(strides), tensor.scalar_type(),
      Device(tensor.device_type(), tensor.device_index()),
      tensor.shape_dynamism(), std::move(deleter));
}

namespace internal {

Result<TensorPtr> make_owned(Sizes sizes, OwnedData data, DimOrder dim_order,
                             Strides strides, ScalarType type,
                             Dynamism dynamism) {
  ET_ASSIGN_OR_RETURN(count, count_elements(sizes, type));
  ET_CHECK_OR_RETURN_ERROR(data.count == count, InvalidArgument,
                           "%zu elements are given, the tensor has %zu",
                           data.count, count);
  if (type != data.type) {
    ET_CHECK_OR_RETURN_ERROR(
        runtime::canCast(data.type, type) &&
            internal::holds_numbers(data.type) && internal::holds_numbers(type),
        InvalidArgument, "elements of dtype %s cannot be cast to %s",
        runtime::toString(data.type), runtime::toString(type));
    ET_ASSIGN_OR_RETURN(memory,
                        internal::allocate(count * runtime::elementSize(type)));
    internal::convert(data.type, data.data, type, memory.get(), count);
    data.data = memory.get();
    data.deleter = keep_alive(std::move(memory));
  }
  return try_make_tensor_ptr(std::move(sizes), data.data, std::move(dim_order),
                             std::move(strides), type, Device(DeviceType::CPU),
                             dynamism, std::move(data.deleter));
}

}  // namespace internal

Result<TensorPtr> try_clone_tensor_ptr(const Tensor& tensor, ScalarType type) {
  Sizes sizes(tensor.sizes().begin(), tensor.sizes().end());
  DimOrder order(tensor.dim_order().begin(), tensor.dim_order().end());
  ET_CHECK_OR_RETURN_ERROR(tensor.device_type() == DeviceType::CPU,
                           NotSupported,
                           "the data is not in CPU memory: use "
                           "clone_tensor_ptr_to");
  ET_ASSIGN_OR_RETURN(count, count_elements(sizes, type));
  const ScalarType from = tensor.scalar_type();
  ET_CHECK_OR_RETURN_ERROR(from == type || (runtime::canCast(from, type) &&
                                            internal::holds_numbers(from) &&
                                            internal::holds_numbers(type)),
                           InvalidArgument,
                           "a tensor of dtype %s cannot be cast to %s",
                           runtime::toString(from), runtime::toString(type));
  const void* source = tensor.const_data_ptr();
  if (source == nullptr) {
    return try_make_tensor_ptr(std::move(sizes), nullptr, std::move(order), {},
                               type, Device(DeviceType::CPU),
                               tensor.shape_dynamism());
  }
  ET_ASSIGN_OR_RETURN(memory,
                      internal::allocate(count * runtime::elementSize(type)));
  void* target = memory.get();
  if (from != type) {
    internal::convert(from, source, type, target, count);
  } else {
    std::memcpy(target, source, tensor.nbytes());
  }
  return try_make_tensor_ptr(std::move(sizes), target, std::move(order), {},
                             type, Device(DeviceType::CPU),
                             tensor.shape_dynamism(),
                             keep_alive(std::move(memory)));
}

Error resize_tensor_ptr(TensorPtr& tensor,
                        const std::vector<SizesType>& sizes) {
  ET_CHECK_OR_RETURN_ERROR(tensor != nullptr, InvalidArgument,
                           "the tensor to resize is null");
  return runtime::resize_tensor(
      *tensor, runtime::ArrayRef<SizesType>(sizes.data(), sizes.size()));
}

namespace {

// Memory on a device, freed by the allocator it came from.
Result<std::shared_ptr<void>> allocate_on(runtime::DeviceAllocator* allocator,
                                          Device device, size_t bytes) {
  ET_ASSIGN_OR_RETURN(memory, allocator->allocate(bytes, device.index()));
  return std::shared_ptr<void>(memory, [allocator, device](void* pointer) {
    allocator->deallocate(pointer, device.index());
  });
}

}  // namespace

Result<TensorPtr> try_clone_tensor_ptr_to(const TensorPtr& tensor,
                                          Device target) {
  ET_CHECK_OR_RETURN_ERROR(tensor != nullptr, InvalidArgument,
                           "the tensor to copy is null");
  const Device source(tensor->device_type(), tensor->device_index());
  if (source.is_cpu() && target.is_cpu()) {
    return try_clone_tensor_ptr(*tensor, tensor->scalar_type());
  }
  ET_CHECK_OR_RETURN_ERROR(source.is_cpu() || target.is_cpu(), NotSupported,
                           "a tensor can be copied from or to the CPU only");
  ET_CHECK_OR_RETURN_ERROR(tensor->const_data_ptr() != nullptr, InvalidArgument,
                           "the tensor to copy has no data");
  const Device device = source.is_cpu() ? target : source;
  auto* allocator = runtime::get_device_allocator(device.type());
  ET_CHECK_OR_RETURN_ERROR(allocator != nullptr, NotFound,
                           "no allocator is registered for device type %d",
                           static_cast<int>(device.type()));
  const size_t bytes = tensor->nbytes();
  std::shared_ptr<void> memory;
  if (target.is_cpu()) {
    ET_ASSIGN_OR_RETURN(owned, internal::allocate(bytes));
    memory = std::move(owned);
    ET_CHECK_OK_OR_RETURN_ERROR(allocator->copy_device_to_host(
        memory.get(), tensor->const_data_ptr(), bytes, device.index()));
  } else {
    auto owned = allocate_on(allocator, device, bytes);
    ET_CHECK_OK_OR_RETURN_ERROR(owned.error());
    memory = std::move(*owned);
    ET_CHECK_OK_OR_RETURN_ERROR(allocator->copy_host_to_device(
        memory.get(), tensor->const_data_ptr(), bytes, device.index()));
  }
  void* data = memory.get();
  return try_make_tensor_ptr(
      Sizes(tensor->sizes().begin(), tensor->sizes().end()), data,
      DimOrder(tensor->dim_order().begin(), tensor->dim_order().end()), {},
      tensor->scalar_type(), target, tensor->shape_dynamism(),
      keep_alive(std::move(memory)));
}

}  // namespace executorch::extension
