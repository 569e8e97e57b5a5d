// What a Tensor refers to: element type, sizes, order of dimensions, memory.
#pragma once

#include <executorch/runtime/core/array_ref.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/portable_type/scalar_type.h>
#include <executorch/runtime/core/portable_type/tensor_options.h>
#include <executorch/runtime/core/result.h>

#include <cstddef>
#include <cstdint>

namespace executorch {
namespace runtime {
namespace internal {
class TensorResizerFriend;
}  // namespace internal

namespace etensor {

/// Describes a tensor. Owns nothing: the arrays and the data it is made from
/// have to outlive it, and a resize writes to the arrays. Reading from several
/// threads is safe, a resize is not.
class ET_EXPORT TensorImpl {
 public:
  using SizesType = int32_t;
  using DimOrderType = uint8_t;
  using StridesType = int32_t;

  TensorImpl() = delete;

  /// @param type Element type; has to be a valid one.
  /// @param dim Number of dimensions.
  /// @param sizes `dim` elements, none negative; may be null if dim is 0.
  /// @param data numel() elements, or null.
  /// @param dim_order `dim` dimensions from the outermost to the innermost in
  ///     memory, or null.
  /// @param strides `dim` distances of neighbours, in elements, or null.
  /// @param dynamism Whether sizes may change; the number of elements now is
  ///     the most there can be.
  TensorImpl(ScalarType type, ssize_t dim, SizesType* sizes,
             void* data = nullptr, DimOrderType* dim_order = nullptr,
             StridesType* strides = nullptr,
             TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC,
             DeviceType device_type = DeviceType::CPU,
             DeviceIndex device_index = 0);

  /// Bytes of all elements, as the sizes are now.
  size_t nbytes() const;

  /// Elements along a dimension, which has to be in [0, dim()).
  ssize_t size(ssize_t dim) const {
    ET_CHECK_MSG(dim >= 0 && dim < dim_,
                 "dimension %zd of a tensor that has %zd", dim, dim_);
    return sizes_[dim];
  }

  ssize_t dim() const { return dim_; }
  ssize_t numel() const { return numel_; }
  ScalarType scalar_type() const { return type_; }
  ScalarType dtype() const { return type_; }

  /// Bytes of one element.
  ssize_t element_size() const;

  const ArrayRef<SizesType> sizes() const { return {sizes_, rank()}; }
  const ArrayRef<DimOrderType> dim_order() const {
    return {dim_order_, rank()};
  }
  const ArrayRef<StridesType> strides() const { return {strides_, rank()}; }

  TensorShapeDynamism shape_dynamism() const { return shape_dynamism_; }

  Device device() const { return device_; }
  DeviceType device_type() const { return device_.type(); }
  DeviceIndex device_index() const { return device_.index(); }

  /// The first element. The element type is not checked.
  template <typename T>
  const T* data() const {
    return static_cast<const T*>(data_);
  }
  const void* data() const { return data_; }
  template <typename T>
  T* mutable_data() const {
    return static_cast<T*>(data_);
  }
  void* mutable_data() const { return data_; }

  /// Changes where the elements are; there has to be room for all of them.
  void set_data(void* ptr) { data_ = ptr; }

  /// Use resize_tensor(), which returns the error.
  ET_DEPRECATED void set_sizes_contiguous(ArrayRef<SizesType> new_sizes) {
    const Error error = internal_resize_contiguous(new_sizes);
    ET_CHECK_MSG(error == Error::Ok, "resize: %s", to_string(error));
  }

 private:
  friend class ::executorch::runtime::internal::TensorResizerFriend;

  ET_NODISCARD Error internal_resize_contiguous(ArrayRef<SizesType> new_sizes);

  size_t rank() const { return static_cast<size_t>(dim_); }

  SizesType* sizes_;
  DimOrderType* dim_order_;
  StridesType* strides_;
  void* data_;
  const ssize_t dim_;
  ssize_t numel_;
  size_t numel_bound_;  // no resize goes beyond it
  const ScalarType type_;
  const TensorShapeDynamism shape_dynamism_;
  Device device_;
};

/// Number of elements; the sizes have to be valid, see safe_numel().
ET_EXPORT ssize_t compute_numel(const TensorImpl::SizesType* sizes,
                                ssize_t dim);

/// Number of elements. InvalidArgument: a size is negative, the product does
/// not fit, or `sizes` is null and dim is not 0.
ET_EXPORT ::executorch::runtime::Result<ssize_t> safe_numel(
    const TensorImpl::SizesType* sizes, ssize_t dim);

// printf conversions of size(), dim(), numel() and of elements of sizes() and
// strides(), without the percent sign.
#define ET_PRI_TENSOR_SIZE "zd"
#define ET_PRI_TENSOR_DIM "zd"
#define ET_PRI_TENSOR_NUMEL "zd"
#define ET_PRI_SIZES_AND_STRIDES "d"

}  // namespace etensor
}  // namespace runtime
}  // namespace executorch
