// Tensors by name of what is in them: blobs, zeros, ones, random numbers.
//
// As in tensor_ptr.h, what cannot be made aborts the process. The functions
// named try_* return the error instead.
#pragma once

#include <executorch/extension/tensor/tensor_ptr.h>

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace executorch {
namespace extension {

/// Collects what is known of a tensor step by step:
///
///     auto t = for_blob(data, {2, 3}).type(ScalarType::Int).make_tensor_ptr();
///
/// The meaning of each property is that of the argument of make_tensor_ptr().
class TensorPtrMaker final {
 public:
  TensorPtrMaker(const TensorPtrMaker&) = delete;
  TensorPtrMaker& operator=(const TensorPtrMaker&) = delete;
  TensorPtrMaker(TensorPtrMaker&&) = default;
  TensorPtrMaker& operator=(TensorPtrMaker&&) = default;

  TensorPtrMaker&& type(executorch::aten::ScalarType type) {
    type_ = type;
    return std::move(*this);
  }
  TensorPtrMaker&& dim_order(
      std::vector<executorch::aten::DimOrderType> dim_order) {
    dim_order_ = std::move(dim_order);
    return std::move(*this);
  }
  TensorPtrMaker&& strides(std::vector<executorch::aten::StridesType> strides) {
    strides_ = std::move(strides);
    return std::move(*this);
  }
  TensorPtrMaker&& dynamism(executorch::aten::TensorShapeDynamism dynamism) {
    dynamism_ = dynamism;
    return std::move(*this);
  }
  TensorPtrMaker&& deleter(std::function<void(void*)>&& deleter) {
    deleter_ = std::move(deleter);
    return std::move(*this);
  }
  TensorPtrMaker&& device(executorch::aten::Device device) {
    device_ = device;
    return std::move(*this);
  }

  /// The tensor. May be called once.
  runtime::Result<TensorPtr> try_make_tensor_ptr() && {
    return ::executorch::extension::try_make_tensor_ptr(
        std::move(sizes_), data_, std::move(dim_order_), std::move(strides_),
        type_, device_, dynamism_, std::move(deleter_));
  }
  /// The same; aborts on an error.
  TensorPtr make_tensor_ptr() && {
    return internal::value_or_abort(std::move(*this).try_make_tensor_ptr());
  }
  operator TensorPtr() && { return std::move(*this).make_tensor_ptr(); }

 private:
  TensorPtrMaker(void* data, std::vector<executorch::aten::SizesType> sizes,
                 executorch::aten::ScalarType type)
      : sizes_(std::move(sizes)), data_(data), type_(type) {}

  friend TensorPtrMaker for_blob(void* data,
                                 std::vector<executorch::aten::SizesType> sizes,
                                 executorch::aten::ScalarType type);

  std::vector<executorch::aten::SizesType> sizes_;
  std::vector<executorch::aten::StridesType> strides_;
  std::vector<executorch::aten::DimOrderType> dim_order_;
  std::function<void(void*)> deleter_ = nullptr;
  void* data_ = nullptr;
  executorch::aten::ScalarType type_ = executorch::aten::ScalarType::Float;
  executorch::aten::TensorShapeDynamism dynamism_ =
      executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND;
  executorch::aten::Device device_ =
      executorch::aten::Device(executorch::aten::DeviceType::CPU);
};

/// Starts a tensor of data that stays where it is and must outlive the tensor
/// unless a deleter is set.
inline TensorPtrMaker for_blob(
    void* data, std::vector<executorch::aten::SizesType> sizes,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float) {
  return TensorPtrMaker(data, std::move(sizes), type);
}

/// A tensor of data that stays where it is; for a std::function<void(void*)>
/// as last but one argument, one that calls it with the data in the end.
inline TensorPtr from_blob(
    void* data, std::vector<executorch::aten::SizesType> sizes,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::Device device =
        executorch::aten::Device(executorch::aten::DeviceType::CPU),
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return for_blob(data, std::move(sizes), type)
      .device(device)
      .dynamism(dynamism)
      .make_tensor_ptr();
}
inline TensorPtr from_blob(
    void* data, std::vector<executorch::aten::SizesType> sizes,
    std::vector<executorch::aten::StridesType> strides,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::Device device =
        executorch::aten::Device(executorch::aten::DeviceType::CPU),
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return for_blob(data, std::move(sizes), type)
      .strides(std::move(strides))
      .device(device)
      .dynamism(dynamism)
      .make_tensor_ptr();
}
inline TensorPtr from_blob(
    void* data, std::vector<executorch::aten::SizesType> sizes,
    executorch::aten::ScalarType type, executorch::aten::Device device,
    std::function<void(void*)>&& deleter,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return for_blob(data, std::move(sizes), type)
      .device(device)
      .deleter(std::move(deleter))
      .dynamism(dynamism)
      .make_tensor_ptr();
}
inline TensorPtr from_blob(
    void* data, std::vector<executorch::aten::SizesType> sizes,
    std::vector<executorch::aten::StridesType> strides,
    executorch::aten::ScalarType type, executorch::aten::Device device,
    std::function<void(void*)>&& deleter,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return for_blob(data, std::move(sizes), type)
      .strides(std::move(strides))
      .device(device)
      .deleter(std::move(deleter))
      .dynamism(dynamism)
      .make_tensor_ptr();
}

namespace internal {

inline Sizes sizes_of(const TensorPtr& other) {
  return {other->sizes().begin(), other->sizes().end()};
}
inline Strides strides_of(const TensorPtr& other) {
  return {other->strides().begin(), other->strides().end()};
}
inline executorch::aten::ScalarType type_of(const TensorPtr& other,
                                            executorch::aten::ScalarType type) {
  return type == executorch::aten::ScalarType::Undefined ? other->scalar_type()
                                                         : type;
}

}  // namespace internal

// The makers below allocate CPU memory. `sizes` and `strides` are as for
// make_tensor_ptr(); `_like` takes both, and the dtype unless another is given,
// from `other`. A failure is InvalidArgument, NotSupported for a dtype that
// holds no plain numbers, or MemoryAllocationFailed.

/// Tensors whose elements have no particular value.
ET_EXPORT runtime::Result<TensorPtr> try_empty_strided(
    std::vector<executorch::aten::SizesType> sizes,
    std::vector<executorch::aten::StridesType> strides,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND);
inline TensorPtr empty_strided(
    std::vector<executorch::aten::SizesType> sizes,
    std::vector<executorch::aten::StridesType> strides,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return internal::value_or_abort(
      try_empty_strided(std::move(sizes), std::move(strides), type, dynamism));
}
inline TensorPtr empty(
    std::vector<executorch::aten::SizesType> sizes,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return empty_strided(std::move(sizes), {}, type, dynamism);
}
inline TensorPtr empty_like(
    const TensorPtr& other,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Undefined,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return empty_strided(internal::sizes_of(other), internal::strides_of(other),
                       internal::type_of(other, type), dynamism);
}

/// Tensors with all elements `fill_value`, cast to the dtype as in C++.
ET_EXPORT runtime::Result<TensorPtr> try_full_strided(
    std::vector<executorch::aten::SizesType> sizes,
    std::vector<executorch::aten::StridesType> strides,
    executorch::aten::Scalar fill_value,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND);
inline TensorPtr full_strided(
    std::vector<executorch::aten::SizesType> sizes,
    std::vector<executorch::aten::StridesType> strides,
    executorch::aten::Scalar fill_value,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return internal::value_or_abort(try_full_strided(
      std::move(sizes), std::move(strides), fill_value, type, dynamism));
}
inline TensorPtr full(
    std::vector<executorch::aten::SizesType> sizes,
    executorch::aten::Scalar fill_value,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return full_strided(std::move(sizes), {}, fill_value, type, dynamism);
}
inline TensorPtr full_like(
    const TensorPtr& other, executorch::aten::Scalar fill_value,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Undefined,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return full_strided(internal::sizes_of(other), internal::strides_of(other),
                      fill_value, internal::type_of(other, type), dynamism);
}

/// A tensor without dimensions that holds `value`.
inline TensorPtr scalar_tensor(
    executorch::aten::Scalar value,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float) {
  return full({}, value, type);
}

/// Tensors of ones.
inline TensorPtr ones(
    std::vector<executorch::aten::SizesType> sizes,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return full(std::move(sizes), 1, type, dynamism);
}
inline TensorPtr ones_like(
    const TensorPtr& other,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Undefined,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return full_like(other, 1, type, dynamism);
}

/// Tensors of zeros.
inline TensorPtr zeros(
    std::vector<executorch::aten::SizesType> sizes,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return full(std::move(sizes), 0, type, dynamism);
}
inline TensorPtr zeros_like(
    const TensorPtr& other,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Undefined,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return full_like(other, 0, type, dynamism);
}

/// Tensors of random numbers from [0, 1), another sequence in each process and
/// thread.
ET_EXPORT runtime::Result<TensorPtr> try_rand_strided(
    std::vector<executorch::aten::SizesType> sizes,
    std::vector<executorch::aten::StridesType> strides,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND);
inline TensorPtr rand_strided(
    std::vector<executorch::aten::SizesType> sizes,
    std::vector<executorch::aten::StridesType> strides,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return internal::value_or_abort(
      try_rand_strided(std::move(sizes), std::move(strides), type, dynamism));
}
inline TensorPtr rand(
    std::vector<executorch::aten::SizesType> sizes,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return rand_strided(std::move(sizes), {}, type, dynamism);
}
inline TensorPtr rand_like(
    const TensorPtr& other,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Undefined,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return rand_strided(internal::sizes_of(other), internal::strides_of(other),
                      internal::type_of(other, type), dynamism);
}

/// Tensors of random numbers with mean 0 and variance 1.
ET_EXPORT runtime::Result<TensorPtr> try_randn_strided(
    std::vector<executorch::aten::SizesType> sizes,
    std::vector<executorch::aten::StridesType> strides,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND);
inline TensorPtr randn_strided(
    std::vector<executorch::aten::SizesType> sizes,
    std::vector<executorch::aten::StridesType> strides,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return internal::value_or_abort(
      try_randn_strided(std::move(sizes), std::move(strides), type, dynamism));
}
inline TensorPtr randn(
    std::vector<executorch::aten::SizesType> sizes,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Float,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return randn_strided(std::move(sizes), {}, type, dynamism);
}
inline TensorPtr randn_like(
    const TensorPtr& other,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Undefined,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return randn_strided(internal::sizes_of(other), internal::strides_of(other),
                       internal::type_of(other, type), dynamism);
}

/// Tensors of random integers, low <= x < high.
ET_EXPORT runtime::Result<TensorPtr> try_randint_strided(
    int64_t low, int64_t high, std::vector<executorch::aten::SizesType> sizes,
    std::vector<executorch::aten::StridesType> strides,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Int,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND);
inline TensorPtr randint_strided(
    int64_t low, int64_t high, std::vector<executorch::aten::SizesType> sizes,
    std::vector<executorch::aten::StridesType> strides,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Int,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return internal::value_or_abort(try_randint_strided(
      low, high, std::move(sizes), std::move(strides), type, dynamism));
}
inline TensorPtr randint(
    int64_t low, int64_t high, std::vector<executorch::aten::SizesType> sizes,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Int,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return randint_strided(low, high, std::move(sizes), {}, type, dynamism);
}
inline TensorPtr randint_like(
    const TensorPtr& other, int64_t low, int64_t high,
    executorch::aten::ScalarType type = executorch::aten::ScalarType::Undefined,
    executorch::aten::TensorShapeDynamism dynamism =
        executorch::aten::TensorShapeDynamism::DYNAMIC_BOUND) {
  return randint_strided(low, high, internal::sizes_of(other),
                         internal::strides_of(other),
                         internal::type_of(other, type), dynamism);
}

}  // namespace extension
}  // namespace executorch
