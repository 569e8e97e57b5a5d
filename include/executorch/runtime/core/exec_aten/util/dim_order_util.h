// The order of dimensions in memory, and the strides that follow from it.
//
// A dim order lists the dimensions from the outermost to the innermost: {0, 1,
// 2, 3} is contiguous NCHW, {0, 2, 3, 1} is channels last.
#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>

#include <cstddef>
#include <cstdint>

namespace executorch {
namespace runtime {

/// Whether it is a permutation of [0, dims) and dims is within the limit.
template <typename DimOrderType>
bool validate_dim_order(const DimOrderType* dim_order, const size_t dims) {
  if (dims > kTensorDimensionLimit) {
    return false;
  }
  uint32_t seen = 0;
  for (size_t i = 0; i < dims; ++i) {
    const size_t dim = static_cast<size_t>(dim_order[i]);
    if (dim >= dims || (seen >> dim & 1u) != 0) {
      return false;
    }
    seen |= 1u << dim;
  }
  return true;
}

/// Whether it is {0, 1, 2, ...}.
template <typename DimOrderType>
bool is_contiguous_dim_order(const DimOrderType* dim_order, const size_t dims) {
  for (size_t i = 0; i < dims; ++i) {
    if (static_cast<size_t>(dim_order[i]) != i) {
      return false;
    }
  }
  return true;
}

/// Whether it is {0, 2, 3, 1} or {0, 2, 3, 4, 1}.
template <typename DimOrderType>
bool is_channels_last_dim_order(const DimOrderType* dim_order,
                                const size_t dims) {
  if ((dims != 4 && dims != 5) || dim_order[0] != 0 ||
      dim_order[dims - 1] != 1) {
    return false;
  }
  for (size_t i = 1; i + 1 < dims; ++i) {
    if (static_cast<size_t>(dim_order[i]) != i + 1) {
      return false;
    }
  }
  return true;
}

/// Strides of dense memory in that order, in elements; a size of 0 counts as 1.
/// The order has to be a valid one and no stride may overflow.
template <typename SizesType, typename DimOrderType, typename StridesType>
void dim_order_to_stride_nocheck(const SizesType* sizes,
                                 const DimOrderType* dim_order,
                                 const size_t dims, StridesType* strides) {
  StridesType stride = 1;
  for (size_t i = dims; i > 0; --i) {
    const size_t dim = static_cast<size_t>(dim_order[i - 1]);
    strides[dim] = stride;
    if (sizes[dim] != 0) {
      stride = static_cast<StridesType>(stride *
                                        static_cast<StridesType>(sizes[dim]));
    }
  }
}

/// The same with checks. InvalidArgument: the order is no permutation, or a
/// size is negative or a stride does not fit; `strides` is then untouched.
template <typename SizesType, typename DimOrderType, typename StridesType>
ET_NODISCARD Error dim_order_to_stride(const SizesType* sizes,
                                       const DimOrderType* dim_order,
                                       const size_t dims,
                                       StridesType* strides) {
  ET_CHECK_OR_RETURN_ERROR(validate_dim_order(dim_order, dims), InvalidArgument,
                           "the dim order is no permutation of %zu dimensions",
                           dims);
  StridesType stride = 1;
  for (size_t i = dims; i > 1; --i) {  // the outermost size is in no stride
    const SizesType size = sizes[dim_order[i - 1]];
    ET_CHECK_OR_RETURN_ERROR(
        size >= 0 &&
            (size == 0 || !__builtin_mul_overflow(stride, size, &stride)),
        InvalidArgument, "size %lld of dimension %zu is negative or too large",
        static_cast<long long>(size), static_cast<size_t>(dim_order[i - 1]));
  }
  dim_order_to_stride_nocheck(sizes, dim_order, dims, strides);
  return Error::Ok;
}

/// The order that falling strides tell; dimensions of equal stride stay in
/// their order. MemoryAllocationFailed: no memory for the order; NotSupported:
/// more dimensions than the limit.
template <typename DimOrderType, typename StridesType>
ET_NODISCARD Error stride_to_dim_order(const StridesType* strides,
                                       const size_t dims,
                                       DimOrderType* dim_order) {
  ET_CHECK_OR_RETURN_ERROR(dim_order != nullptr, MemoryAllocationFailed,
                           "no memory was given for the dim order");
  ET_CHECK_OR_RETURN_ERROR(dims <= kTensorDimensionLimit, NotSupported,
                           "%zu dimensions, the limit is %zu", dims,
                           kTensorDimensionLimit);
  for (size_t dim = 0; dim < dims; ++dim) {  // insertion sort: stable, few
    size_t at = dim;
    for (; at > 0 && strides[dim_order[at - 1]] < strides[dim]; --at) {
      dim_order[at] = dim_order[at - 1];
    }
    dim_order[at] = static_cast<DimOrderType>(dim);
  }
  return Error::Ok;
}

}  // namespace runtime
}  // namespace executorch
