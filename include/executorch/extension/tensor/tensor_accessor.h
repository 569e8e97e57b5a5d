// Reading and writing the elements of a tensor by index: `a[i][j]`.
#pragma once

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/assert.h>

#include <type_traits>

namespace executorch {
namespace extension {

template <typename T, ssize_t N>
class TensorAccessor;

/// Makes an accessor of `tensor`, which must outlive it unchanged in shape.
///
/// @tparam T The element type; const for reading only.
/// @tparam N The number of dimensions, at least 1.
/// @retval InvalidArgument The tensor has another number of dimensions, or
///     elements of another size.
/// @retval NotSupported The tensor is not in row-major order.
template <typename T, ssize_t N>
runtime::Result<TensorAccessor<T, N>> make_tensor_accessor(
    const executorch::aten::Tensor& tensor);

namespace internal {

/// What accessors of any rank have.
template <typename T, ssize_t N>
class TensorAccessorBase {
 public:
  /// The size of dimension `i`, 0 <= i < N.
  executorch::aten::SizesType size(ssize_t i) const {
    ET_CHECK_MSG(i >= 0 && i < N, "dimension %zd of %zd", i, N);
    return sizes_[i];
  }

  /// How many elements apart neighbours in dimension `i` are, 0 <= i < N.
  executorch::aten::StridesType stride(ssize_t i) const {
    ET_CHECK_MSG(i >= 0 && i < N, "dimension %zd of %zd", i, N);
    return strides_[i];
  }

 protected:
  TensorAccessorBase(T* data, const executorch::aten::SizesType* sizes,
                     const executorch::aten::StridesType* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}

  T* at(ssize_t i) const { return data_ + strides_[0] * i; }

  T* data_;
  const executorch::aten::SizesType* sizes_;
  const executorch::aten::StridesType* strides_;
};

}  // namespace internal

/// Access to N dimensions of a tensor. Indices are not checked.
template <typename T, ssize_t N>
class TensorAccessor : public internal::TensorAccessorBase<T, N> {
 public:
  /// The remaining dimensions at index `i` of the first one.
  TensorAccessor<T, N - 1> operator[](ssize_t i) {
    return {this->at(i), this->sizes_ + 1, this->strides_ + 1};
  }
  const TensorAccessor<T, N - 1> operator[](ssize_t i) const {
    return {this->at(i), this->sizes_ + 1, this->strides_ + 1};
  }

 private:
  using internal::TensorAccessorBase<T, N>::TensorAccessorBase;

  template <typename T2, ssize_t N2>
  friend class TensorAccessor;
  template <typename T2, ssize_t N2>
  friend runtime::Result<TensorAccessor<T2, N2>> make_tensor_accessor(
      const executorch::aten::Tensor& tensor);
};

/// Access to the last dimension: its elements.
template <typename T>
class TensorAccessor<T, 1> : public internal::TensorAccessorBase<T, 1> {
 public:
  T& operator[](ssize_t i) { return *this->at(i); }
  const T& operator[](ssize_t i) const { return *this->at(i); }

 private:
  using internal::TensorAccessorBase<T, 1>::TensorAccessorBase;

  template <typename T2, ssize_t N2>
  friend class TensorAccessor;
  template <typename T2, ssize_t N2>
  friend runtime::Result<TensorAccessor<T2, N2>> make_tensor_accessor(
      const executorch::aten::Tensor& tensor);
};

template <typename T, ssize_t N>
runtime::Result<TensorAccessor<T, N>> make_tensor_accessor(
    const executorch::aten::Tensor& tensor) {
  static_assert(N > 0, "for a tensor without dimensions use *_data_ptr<T>()");
  ET_CHECK_OR_RETURN_ERROR(tensor.dim() == N, InvalidArgument,
                           "%zd dimensions are expected, the tensor has %zd", N,
                           static_cast<ssize_t>(tensor.dim()));
  ET_CHECK_OR_RETURN_ERROR(
      static_cast<size_t>(tensor.element_size()) == sizeof(T), InvalidArgument,
      "elements of %zu bytes are expected, the tensor has ones of %zd bytes",
      sizeof(T), static_cast<ssize_t>(tensor.element_size()));
  for (ssize_t i = 0; i < N; ++i) {
    ET_CHECK_OR_RETURN_ERROR(tensor.dim_order()[i] == i, NotSupported,
                             "the tensor is not in row-major order");
  }
  T* data = nullptr;
  if constexpr (std::is_const_v<T>) {
    data = tensor.const_data_ptr<std::remove_const_t<T>>();
  } else {
    data = tensor.mutable_data_ptr<T>();
  }
  return TensorAccessor<T, N>(data, tensor.sizes().data(),
                              tensor.strides().data());
}

}  // namespace extension
}  // namespace executorch
