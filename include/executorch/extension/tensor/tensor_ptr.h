// Tensors that own what they need: sizes, strides and, if wanted, their data.
//
// A factory aborts the process when its arguments describe no tensor: sizes
// that are negative or overflow, data of another size, a dim order that is not
// a permutation, strides that leave gaps or overlap, a cast that loses
// information in kind (float to integer, anything but bool to bool). Each has a
// twin that returns an Error instead, named try_*: use it when an argument
// comes from outside the program.
//
// An EValue made from a TensorPtr keeps the tensor and its data alive.
#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/compiler.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace executorch {
namespace extension {

using TensorPtr = std::shared_ptr<executorch::aten::Tensor>;

namespace internal {

using Sizes = std::vector<executorch::aten::SizesType>;
using DimOrder = std::vector<executorch::aten::DimOrderType>;
using Strides = std::vector<executorch::aten::StridesType>;
using Dynamism = executorch::aten::TensorShapeDynamism;

/// Elements in one piece, and what frees them.
struct OwnedData {
  void* data = nullptr;
  size_t count = 0;
  executorch::aten::ScalarType type = executorch::aten::ScalarType::Float;
  std::function<void(void*)> deleter;
};

template <class T>
OwnedData own(std::vector<T> values) {
  OwnedData owned;
  owned.count = values.size();
  owned.type = runtime::CppTypeToScalarType<T>::value;
  if constexpr (std::is_same_v<T, bool>) {  // std::vector packs them into bits
    auto bools = std::make_shared<std::vector<unsigned char>>(values.begin(),
                                                              values.end());
    owned.data = bools->data();
    owned.deleter = [bools](void*) {};
  } else {
    auto owner = std::make_shared<std::vector<T>>(std::move(values));
    owned.data = owner->data();
    owned.deleter = [owner](void*) {};
  }
  return owned;
}

/// A tensor of `data`, cast to `type` if that is another one.
ET_EXPORT runtime::Result<TensorPtr> make_owned(
    Sizes sizes, OwnedData data, DimOrder dim_order, Strides strides,
    executorch::aten::ScalarType type, Dynamism dynamism);

inline TensorPtr value_or_abort(runtime::Result<TensorPtr> result) {
  ET_CHECK_MSG(result.ok(), "cannot make a tensor: %s",
               runtime::to_string(result.error()));
  return std::move(*result);
}

}  // namespace internal

/// A tensor of data that stays where it is.
///
/// @param sizes One per dimension, none for a single number; at most 16.
/// @param data Elements of `type`; on `device`. Not copied, not owned: it must
///     outlive the tensor, unless `deleter` is given. May be null for a tensor
///     that gets its data later.
/// @param dim_order Dimensions from outermost to innermost in memory, e.g.
///     {0, 2, 3, 1} for channels last. Empty: derived from the strides, or
///     row-major.
/// @param strides Distance of neighbours in elements. Empty: derived from the
///     dim order. If given, they must describe dense memory.
/// @param device Where the data is. Nothing is copied to it.
/// @param dynamism Whether the tensor can be resized: STATIC not at all, others
///     up to the number of elements it has now.
/// @param deleter Called with `data` when the tensor is destroyed.
///
/// @retval InvalidArgument The arguments do not describe a tensor. `deleter`
///     was not called then: the data is the caller's as before.
ET_EXPORT runtime::Result<TensorPtr> try_make_tensor_ptr(
    std::vector<executorch::aten::SizesType> sizes, void* data,
    std::vector<executorch::aten::DimOrderType> dim_order,
    std::vector<executorch::aten::StridesType> strides,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::Device device =
        executorch::aten::Device(executorch::aten::DeviceType::CPU),
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND,
    std::function<void(void*)> deleter = nullptr);

/// The same; aborts on an error.
inline TensorPtr make_tensor_ptr(
    std::vector<executorch::aten::SizesType> sizes, void* data,
    std::vector<executorch::aten::DimOrderType> dim_order,
    std::vector<executorch::aten::StridesType> strides,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::Device device =
        executorch::aten::Device(executorch::aten::DeviceType::CPU),
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND,
    std::function<void(void*)> deleter = nullptr) {
  return internal::value_or_abort(try_make_tensor_ptr(
      std::move(sizes), data, std::move(dim_order), std::move(strides), type,
      device, dynamism, std::move(deleter)));
}

/// A row-major tensor of data that stays where it is.
inline runtime::Result<TensorPtr> try_make_tensor_ptr(
    std::vector<executorch::aten::SizesType> sizes, void* data,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::Device device =
        executorch::aten::Device(executorch::aten::DeviceType::CPU),
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND,
    std::function<void(void*)> deleter = nullptr) {
  return try_make_tensor_ptr(std::move(sizes), data, {}, {}, type, device,
                             dynamism, std::move(deleter));
}

/// The same; aborts on an error.
inline TensorPtr make_tensor_ptr(
    std::vector<executorch::aten::SizesType> sizes, void* data,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::Device device =
        executorch::aten::Device(executorch::aten::DeviceType::CPU),
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND,
    std::function<void(void*)> deleter = nullptr) {
  return internal::value_or_abort(try_make_tensor_ptr(
      std::move(sizes), data, type, device, dynamism, std::move(deleter)));
}

/// A tensor that owns the elements given, in memory order.
///
/// @param type What the elements are cast to, if not their own type.
/// @retval InvalidArgument The number of elements is not that of `sizes`, or
///     the cast is not allowed (see runtime::canCast()).
template <typename T = float, executorch::aten::ScalarType deduced_type =
                                  runtime::CppTypeToScalarType<T>::value>
runtime::Result<TensorPtr> try_make_tensor_ptr(
    std::vector<executorch::aten::SizesType> sizes, std::vector<T> data,
    std::vector<executorch::aten::DimOrderType> dim_order = {},
    std::vector<executorch::aten::StridesType> strides = {},
    executorch::aten::ScalarType type = deduced_type,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return internal::make_owned(std::move(sizes), internal::own(std::move(data)),
                              std::move(dim_order), std::move(strides), type,
                              dynamism);
}

/// The same; aborts on an error.
template <typename T = float, executorch::aten::ScalarType deduced_type =
                                  runtime::CppTypeToScalarType<T>::value>
TensorPtr make_tensor_ptr(
    std::vector<executorch::aten::SizesType> sizes, std::vector<T> data,
    std::vector<executorch::aten::DimOrderType> dim_order = {},
    std::vector<executorch::aten::StridesType> strides = {},
    executorch::aten::ScalarType type = deduced_type,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return internal::value_or_abort(internal::make_owned(
      std::move(sizes), internal::own(std::move(data)), std::move(dim_order),
      std::move(strides), type, dynamism));
}

/// A tensor with one dimension that owns the elements given.
template <typename T = float, executorch::aten::ScalarType deduced_type =
                                  runtime::CppTypeToScalarType<T>::value>
TensorPtr make_tensor_ptr(
    std::vector<T> data, executorch::aten::ScalarType type = deduced_type,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  internal::Sizes sizes{static_cast<executorch::aten::SizesType>(data.size())};
  return internal::value_or_abort(
      internal::make_owned(std::move(sizes), internal::own(std::move(data)), {},
                           {}, type, dynamism));
}

/// As for a vector: make_tensor_ptr({2, 2}, {1.0f, 2.0f, 3.0f, 4.0f}). The twin
/// takes a std::vector.
template <typename T = float, executorch::aten::ScalarType deduced_type =
                                  runtime::CppTypeToScalarType<T>::value>
TensorPtr make_tensor_ptr(
    std::vector<executorch::aten::SizesType> sizes,
    std::initializer_list<T> list,
    std::vector<executorch::aten::DimOrderType> dim_order = {},
    std::vector<executorch::aten::StridesType> strides = {},
    executorch::aten::ScalarType type = deduced_type,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return make_tensor_ptr<T, deduced_type>(
      std::move(sizes), std::vector<T>(list), std::move(dim_order),
      std::move(strides), type, dynamism);
}
template <typename T = float, executorch::aten::ScalarType deduced_type =
                                  runtime::CppTypeToScalarType<T>::value>
TensorPtr make_tensor_ptr(
    std::initializer_list<T> list,
    executorch::aten::ScalarType type = deduced_type,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return make_tensor_ptr<T, deduced_type>(std::vector<T>(list), type, dynamism);
}

/// A tensor without dimensions that holds one number.
template <typename T>
TensorPtr make_tensor_ptr(T value) {
  return make_tensor_ptr(internal::Sizes{}, std::vector<T>{value});
}

/// A tensor that owns `data`, the bytes of elements of `type` in memory order.
///
/// @retval InvalidArgument There are fewer bytes than the tensor has.
ET_EXPORT runtime::Result<TensorPtr> try_make_tensor_ptr(
    std::vector<executorch::aten::SizesType> sizes, std::vector<uint8_t> data,
    std::vector<executorch::aten::DimOrderType> dim_order,
    std::vector<executorch::aten::StridesType> strides,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND);

/// The same; aborts on an error.
inline TensorPtr make_tensor_ptr(
    std::vector<executorch::aten::SizesType> sizes, std::vector<uint8_t> data,
    std::vector<executorch::aten::DimOrderType> dim_order,
    std::vector<executorch::aten::StridesType> strides,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return internal::value_or_abort(try_make_tensor_ptr(
      std::move(sizes), std::move(data), std::move(dim_order),
      std::move(strides), type, dynamism));
}
inline TensorPtr make_tensor_ptr(
    std::vector<executorch::aten::SizesType> sizes, std::vector<uint8_t> data,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return make_tensor_ptr(std::move(sizes), std::move(data), {}, {}, type,
                         dynamism);
}

/// Another tensor on the data of `tensor`, which is not copied and must outlive
/// it.
///
/// @param sizes Of the view; empty: those of `tensor`. It may have fewer
///     elements, not more.
/// @param dim_order, strides If both are empty and the rank stays: the dim
///     order of `tensor`; else as for a new tensor.
/// @param deleter Called with the data when the view is destroyed.
/// @retval InvalidArgument The view is larger than the tensor, or the arguments
///     do not describe one.
ET_EXPORT runtime::Result<TensorPtr> try_make_tensor_ptr(
    const executorch::aten::Tensor& tensor,
    std::vector<executorch::aten::SizesType> sizes = {},
    std::vector<executorch::aten::DimOrderType> dim_order = {},
    std::vector<executorch::aten::StridesType> strides = {},
    std::function<void(void*)> deleter = nullptr);

/// The same; aborts on an error.
inline TensorPtr make_tensor_ptr(
    const executorch::aten::Tensor& tensor,
    std::vector<executorch::aten::SizesType> sizes = {},
    std::vector<executorch::aten::DimOrderType> dim_order = {},
    std::vector<executorch::aten::StridesType> strides = {},
    std::function<void(void*)> deleter = nullptr) {
  return internal::value_or_abort(
      try_make_tensor_ptr(tensor, std::move(sizes), std::move(dim_order),
                          std::move(strides), std::move(deleter)));
}

/// A view that keeps `tensor_ptr` alive.
inline TensorPtr make_tensor_ptr(
    const TensorPtr& tensor_ptr,
    std::vector<executorch::aten::SizesType> sizes = {},
    std::vector<executorch::aten::DimOrderType> dim_order = {},
    std::vector<executorch::aten::StridesType> strides = {}) {
  return make_tensor_ptr(*tensor_ptr, std::move(sizes), std::move(dim_order),
                         std::move(strides), [tensor_ptr](void*) {});
}

/// A tensor with a copy of the data, cast to `type` if that is another one. It
/// has the dim order and the dynamism of `tensor`.
///
/// @retval InvalidArgument The cast is not allowed.
/// @retval NotSupported The data is not in CPU memory.
/// @retval MemoryAllocationFailed There is not enough memory.
ET_EXPORT runtime::Result<TensorPtr> try_clone_tensor_ptr(
    const executorch::aten::Tensor& tensor, executorch::aten::ScalarType type);

/// The same; aborts on an error.
inline TensorPtr clone_tensor_ptr(const executorch::aten::Tensor& tensor,
                                  executorch::aten::ScalarType type) {
  return internal::value_or_abort(try_clone_tensor_ptr(tensor, type));
}
inline TensorPtr clone_tensor_ptr(const executorch::aten::Tensor& tensor) {
  return clone_tensor_ptr(tensor, tensor.scalar_type());
}
inline TensorPtr clone_tensor_ptr(const TensorPtr& tensor,
                                  executorch::aten::ScalarType type) {
  return clone_tensor_ptr(*tensor, type);
}
inline TensorPtr clone_tensor_ptr(const TensorPtr& tensor) {
  return clone_tensor_ptr(*tensor, tensor->scalar_type());
}

/// Changes the sizes of a tensor without moving its data.
///
/// @retval NotSupported The tensor is static, has another rank, or is too
///     small.
ET_NODISCARD ET_EXPORT runtime::Error resize_tensor_ptr(
    TensorPtr& tensor, const std::vector<executorch::aten::SizesType>& sizes);

/// A copy of `tensor` in the memory of `target`, made by the allocator that is
/// registered for the device: CPU to device, or device to CPU.
///
/// @retval NotFound No allocator is registered for the device.
/// @retval NotSupported Both sides are devices.
ET_EXPORT runtime::Result<TensorPtr> try_clone_tensor_ptr_to(
    const TensorPtr& tensor, executorch::aten::Device target);

/// The same; aborts on an error.
inline TensorPtr clone_tensor_ptr_to(const TensorPtr& tensor,
                                     executorch::aten::Device target) {
  return internal::value_or_abort(try_clone_tensor_ptr_to(tensor, target));
}

}  // namespace extension
}  // namespace executorch
