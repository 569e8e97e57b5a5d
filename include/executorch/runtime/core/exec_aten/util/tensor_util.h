// Questions to tensors that kernels ask before they compute, resizing, and the
// arithmetic of indices.
//
// The tensor_ and tensors_ functions return false after an error line that says
// what was found. The ET_CHECK_ macros end the process instead, so they are for
// promises of the caller, not for data.
#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>
#include <executorch/runtime/core/portable_type/bfloat16_math.h>
#include <executorch/runtime/core/portable_type/irange.h>
#include <executorch/runtime/core/portable_type/safe_numerics.h>
#include <executorch/runtime/core/span.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace executorch {
namespace runtime {

// ---- Element types ----

ET_EXPORT bool tensor_is_type(aten::Tensor t, aten::ScalarType dtype);
ET_EXPORT bool tensor_is_type(aten::Tensor t, aten::ScalarType dtype,
                              aten::ScalarType dtype2);
ET_EXPORT bool tensor_is_type(aten::Tensor t, aten::ScalarType dtype,
                              aten::ScalarType dtype2, aten::ScalarType dtype3);
ET_EXPORT bool tensor_is_bool_type(aten::Tensor t);
ET_EXPORT bool tensor_is_integral_type(aten::Tensor t,
                                       bool include_bool = false);
ET_EXPORT bool tensor_is_floating_type(aten::Tensor t);
ET_EXPORT bool tensor_is_real_type(aten::Tensor t);
ET_EXPORT bool tensor_is_realh_type(aten::Tensor t);
ET_EXPORT bool tensor_is_realhbf16_type(aten::Tensor t);
ET_EXPORT bool tensor_is_realhb_type(aten::Tensor t);
ET_EXPORT bool tensor_is_realhbbf16_type(aten::Tensor t);
ET_EXPORT bool tensor_is_complex_type(aten::Tensor t);
ET_EXPORT bool tensor_is_bits_type(aten::Tensor t);
/// canCast() from the type of the tensor.
ET_EXPORT bool tensor_can_cast_to(aten::Tensor t, aten::ScalarType dtype);
ET_EXPORT bool tensors_have_same_dtype(aten::Tensor a, aten::Tensor b);
ET_EXPORT bool tensors_have_same_dtype(aten::Tensor a, aten::Tensor b,
                                       aten::Tensor c);

// ---- Shapes ----

/// Whether dim is in [-upper_bound, upper_bound).
ET_EXPORT bool dim_is_valid(int64_t dim, int64_t upper_bound);

/// Number of dimensions and size of one, where a tensor of no dimension counts
/// as one with a single dimension of size 1.
inline ssize_t nonzero_dim(const aten::Tensor& tensor) {
  return tensor.dim() == 0 ? 1 : tensor.dim();
}
inline ssize_t nonempty_size(const aten::Tensor& tensor, ssize_t dim) {
  return tensor.dim() == 0 ? 1 : tensor.size(dim);
}

/// No dimension, one element.
inline bool tensor_is_scalar(aten::Tensor t) {
  return t.dim() == 0 && t.numel() == 1;
}

ET_EXPORT bool tensor_is_rank(aten::Tensor t, size_t rank);
ET_EXPORT bool tensor_has_rank_greater_or_equal_to(aten::Tensor t, size_t rank);
ET_EXPORT bool tensor_has_rank_smaller_or_equal_to(aten::Tensor t, size_t rank);
ET_EXPORT bool tensors_have_same_rank(aten::Tensor a, aten::Tensor b);

/// Whether d counts a dimension, from the start or (negative) from the end; 0
/// and -1 do so in a tensor without dimensions.
ET_EXPORT bool tensor_has_dim(aten::Tensor t, int64_t d);
/// The same, and that dimension has elements.
ET_EXPORT bool tensor_has_non_empty_dim(aten::Tensor t, int64_t d);
/// Whether ix counts an element along dimension d, which has to exist.
ET_EXPORT bool tensor_dim_has_index(aten::Tensor t, int64_t d, int64_t ix);

ET_EXPORT bool tensor_has_expected_size(
    aten::Tensor a, aten::ArrayRef<aten::SizesType> expected_sizes);
ET_EXPORT bool tensors_have_same_size_at_dims(aten::Tensor a, size_t dim_a,
                                              aten::Tensor b, size_t dim_b);
/// Equal sizes; tensors of one element each match whatever their rank.
ET_EXPORT bool tensors_have_same_shape(aten::Tensor a, aten::Tensor b);
ET_EXPORT bool tensors_have_same_shape(aten::Tensor a, aten::Tensor b,
                                       aten::Tensor c);
ET_EXPORT bool tensors_have_same_shape_and_dtype(aten::Tensor a,
                                                 aten::Tensor b);
ET_EXPORT bool tensors_have_same_shape_and_dtype(aten::Tensor a, aten::Tensor b,
                                                 aten::Tensor c);

// ---- Order in memory ----
//
// Dimensions of size 1 do not count, nor do tensors without elements: orders
// that describe the same bytes are the same.

ET_EXPORT bool tensors_have_same_strides(aten::Tensor a, aten::Tensor b);
ET_EXPORT bool tensors_have_same_strides(aten::Tensor a, aten::Tensor b,
                                         aten::Tensor c);
/// Dense, with the last dimension adjacent.
ET_EXPORT bool tensor_is_contiguous(aten::Tensor t);
/// Whether the dim order is a permutation of the dimensions.
ET_EXPORT bool tensor_has_valid_dim_order(aten::Tensor t);
ET_EXPORT bool tensor_is_default_dim_order(aten::Tensor t);
ET_EXPORT bool tensor_is_channels_last_dim_order(aten::Tensor t);
ET_EXPORT bool tensor_is_default_or_channels_last_dim_order(aten::Tensor t);
/// Whether there is one order that is right for all of them.
ET_EXPORT bool tensors_have_same_dim_order(
    const aten::ArrayRef<aten::Tensor> tensor_list);
template <typename... More>
bool tensors_have_same_dim_order(const aten::Tensor& a, const aten::Tensor& b,
                                 const More&... more) {
  const aten::Tensor list[] = {a, b, more...};
  return tensors_have_same_dim_order(aten::ArrayRef<aten::Tensor>(list));
}

/// Copies the dim order. InvalidArgument: the tensor has none, or not
/// out_dim_order_size dimensions.
ET_EXPORT ET_NODISCARD Error get_dim_order(const aten::Tensor& tensor,
                                           aten::DimOrderType* out_dim_order,
                                           size_t out_dim_order_size);

// ---- Indices, for contiguous tensors ----

/// Product of the sizes before `dim`, which is in [0, tensor.dim()].
ET_EXPORT size_t getLeadingDims(const aten::Tensor& tensor, int64_t dim);
/// Product of the sizes after `dim`, which is in [-1, tensor.dim()).
ET_EXPORT size_t getTrailingDims(const aten::Tensor& tensor, int64_t dim);

/// Between the number of an element and its coordinate, an array of at least
/// tensor.dim() numbers. The index has to exist.
ET_EXPORT size_t coordinateToIndex(const aten::Tensor& tensor,
                                   const size_t* const coordinate);
ET_EXPORT void indexToCoordinate(const aten::Tensor& tensor, size_t index,
                                 size_t* coordinate);

/// getTrailingDims() of every dimension at once, and its use.
ET_EXPORT void memoizeTrailingDims(
    const aten::Tensor& tensor,
    size_t trailing_dims_memo[kTensorDimensionLimit]);
ET_EXPORT size_t coordinateToIndexWithTrailingDimsMemo(
    const aten::Tensor& tensor, const size_t* const coordinate,
    const size_t trailing_dims_memo[kTensorDimensionLimit]);

/// Offset of an element by strides, in elements.
inline size_t calculate_linear_index(const aten::SizesType* coordinate,
                                     const aten::StridesType* strides,
                                     const size_t ndim) {
  size_t index = 0;
  for (size_t i = 0; i < ndim; ++i) {
    index +=
        static_cast<size_t>(coordinate[i]) * static_cast<size_t>(strides[i]);
  }
  return index;
}

// ---- Values ----

namespace internal {

/// The only element of a tensor: of an integer type, or of any type that
/// isRealHBF16Type() tells. False without an error line.
ET_EXPORT bool extract_integer(aten::Tensor tensor, int64_t* out_val);
ET_EXPORT bool extract_number(aten::Tensor tensor, double* out_val);
ET_EXPORT bool extract_bool(aten::Tensor tensor, bool* out_val);

}  // namespace internal

/// Reads the only element of a tensor: an integer from an integer type, a
/// floating number from any number type, a bool from Bool. False, without an
/// error line: another type, not one element, or out of the range of T.
template <typename T>
bool extract_scalar_tensor(aten::Tensor tensor, T* out_val) {
  static_assert(std::is_integral<T>::value || is_floating_point<T>::value,
                "T has to be a number");
  if constexpr (std::is_same<T, bool>::value) {
    return internal::extract_bool(tensor, out_val);
  } else if constexpr (std::is_integral<T>::value) {
    int64_t value = 0;
    if (!internal::extract_integer(tensor, &value)) {
      return false;
    }
    if (static_cast<int64_t>(static_cast<T>(value)) != value ||
        (value < 0 && std::is_unsigned<T>::value)) {
      return false;
    }
    *out_val = static_cast<T>(value);
    return true;
  } else {
    double value = 0;
    if (!internal::extract_number(tensor, &value)) {
      return false;
    }
    const bool finite = value - value == 0;
    const bool fits =
        value >= static_cast<double>(std::numeric_limits<T>::lowest()) &&
        value <= static_cast<double>(std::numeric_limits<T>::max());
    if (finite && !fits) {
      return false;
    }
    *out_val = static_cast<T>(value);
    return true;
  }
}

// ---- Changing a tensor ----

/// Gives the tensor other sizes and the strides of its dim order, see
/// TensorShapeDynamism; the data stays where it is. NotSupported: another rank,
/// a static shape, or more elements than it was made with. InvalidArgument: a
/// size is negative or too large. The tensor is untouched then.
ET_EXPORT ET_NODISCARD Error
resize_tensor(aten::Tensor t, aten::ArrayRef<aten::SizesType> new_sizes);

/// The same from other integer types.
template <typename T,
          std::enable_if_t<!std::is_same<aten::SizesType, T>::value, int> = 0>
ET_NODISCARD Error resize_tensor(aten::Tensor t, aten::ArrayRef<T> new_sizes) {
  ET_CHECK_OR_RETURN_ERROR(new_sizes.size() <= kTensorDimensionLimit,
                           InvalidArgument, "%zu sizes, the limit is %zu",
                           new_sizes.size(), kTensorDimensionLimit);
  std::array<aten::SizesType, kTensorDimensionLimit> sizes{};
  for (size_t i = 0; i < new_sizes.size(); ++i) {
    sizes[i] = static_cast<aten::SizesType>(new_sizes[i]);
    ET_CHECK_OR_RETURN_ERROR(static_cast<T>(sizes[i]) == new_sizes[i],
                             InvalidArgument, "size %lld does not fit",
                             static_cast<long long>(new_sizes[i]));
  }
  return resize_tensor(
      t, aten::ArrayRef<aten::SizesType>(sizes.data(), new_sizes.size()));
}

/// Use resize_tensor(), which returns the error.
ET_DEPRECATED inline void resize(aten::Tensor t,
                                 aten::ArrayRef<aten::SizesType> new_sizes) {
  const Error error = resize_tensor(t, new_sizes);
  ET_CHECK_MSG(error == Error::Ok, "resize: %s", to_string(error));
}

namespace internal {

/// Lets t_dst use the memory of t_src, which has as many bytes.
ET_EXPORT ET_NODISCARD Error share_tensor_data(const aten::Tensor& t_dst,
                                               const aten::Tensor& t_src);
/// Copies the bytes of t_src, as many as t_dst has, to its memory.
ET_EXPORT ET_NODISCARD Error copy_tensor_data(const aten::Tensor& t_dst,
                                              const aten::Tensor& t_src);
/// Lets the tensor use that buffer, which has at least its number of bytes.
ET_EXPORT ET_NODISCARD Error set_tensor_data(const aten::Tensor& t,
                                             void* buffer, size_t buffer_size);
/// Takes the memory away from the tensor; nothing is freed.
ET_EXPORT void reset_data_ptr(const aten::Tensor& tensor);
ET_EXPORT ET_NODISCARD Error resize_tensor_impl(
    aten::TensorImpl* impl, aten::ArrayRef<aten::SizesType> new_sizes);

/// The one who may resize a TensorImpl.
class TensorResizerFriend final {
 public:
  ET_NODISCARD static Error resize_tensor_impl(
      aten::TensorImpl* impl, aten::ArrayRef<aten::SizesType> new_sizes) {
    return impl->internal_resize_contiguous(new_sizes);
  }
};

}  // namespace internal
}  // namespace runtime
}  // namespace executorch

// ---- Macros ----

#define ET_TENSOR_CHECK_PREFIX__ "Tensors do not match"
#define ET_MIN2(a, b) ((a) < (b) ? (a) : (b))
#define ET_MIN3(a, b, c) ET_MIN2(a, ET_MIN2(b, c))

/// An index that counts from the end when it is negative, from the start.
#define ET_NORMALIZE_IX(IX, UPPER_BOUND) IX < 0 ? IX + UPPER_BOUND : IX

#define ET_CHECK_VALID_IX(IX, UPPER_BOUND)                                  \
  ET_CHECK_MSG((IX) >= -static_cast<int64_t>(UPPER_BOUND) &&                \
                   (IX) < static_cast<int64_t>(UPPER_BOUND),                \
               "index %" PRId64 " is not in [-%zd, %zd)",                   \
               static_cast<int64_t>(IX), static_cast<ssize_t>(UPPER_BOUND), \
               static_cast<ssize_t>(UPPER_BOUND))
#define ET_CHECK_VALID_DIM(DIM, UPPER_BOUND) ET_CHECK_VALID_IX(DIM, UPPER_BOUND)

#define ET_CHECK_NON_ZERO_DIM_SIZE(DIM, T)           \
  const size_t udim = ET_NORMALIZE_IX(DIM, T.dim()); \
  ET_CHECK_MSG(T.size(udim) != 0, "dimension %zu has no elements", udim);

#define ET_CHECK_SAME_SHAPE2(a__, b__) \
  ET_CHECK(::executorch::runtime::tensors_have_same_shape(a__, b__))
#define ET_CHECK_SAME_SHAPE3(a__, b__, c__) \
  ET_CHECK(::executorch::runtime::tensors_have_same_shape(a__, b__, c__))
#define ET_CHECK_SAME_DTYPE2(a__, b__) \
  ET_CHECK(::executorch::runtime::tensors_have_same_dtype(a__, b__))
#define ET_CHECK_SAME_DTYPE3(a__, b__, c__) \
  ET_CHECK(::executorch::runtime::tensors_have_same_dtype(a__, b__, c__))
#define ET_CHECK_SAME_SHAPE_AND_DTYPE2(a__, b__) \
  ET_CHECK(::executorch::runtime::tensors_have_same_shape_and_dtype(a__, b__))
#define ET_CHECK_SAME_SHAPE_AND_DTYPE3(a__, b__, c__) \
  ET_CHECK(                                           \
      ::executorch::runtime::tensors_have_same_shape_and_dtype(a__, b__, c__))
#define ET_CHECK_SAME_STRIDES2(a__, b__) \
  ET_CHECK(::executorch::runtime::tensors_have_same_strides(a__, b__))
#define ET_CHECK_SAME_STRIDES3(a__, b__, c__) \
  ET_CHECK(::executorch::runtime::tensors_have_same_strides(a__, b__, c__))
#define ET_CHECK_CONTIGUOUS(a__) \
  ET_CHECK(::executorch::runtime::tensor_is_contiguous(a__))
#define ET_CHECK_DEFAULT_OR_CHANNELSLAST_DIMORDER(t__)                     \
  ET_CHECK(                                                                \
      ::executorch::runtime::tensor_is_default_or_channels_last_dim_order( \
          t__))

/// In functions that return bool: logs the condition and returns false.
#define ET_LOG_AND_RETURN_IF_FALSE(cond) \
  ET_CHECK_OR_RETURN_FALSE(cond, "%s", "")
#define ET_LOG_MSG_AND_RETURN_IF_FALSE ET_CHECK_OR_RETURN_FALSE

/// In kernels: unless the condition holds, logs it, fails the context with the
/// error (named without scope) and returns `retval`.
#define ET_KERNEL_CHECK(context, cond, error, retval) \
  ET_KERNEL_CHECK_MSG(context, cond, error, retval, "%s", "")
#define ET_KERNEL_CHECK_MSG(context, cond, error, retval, ...) \
  do {                                                         \
    if (!(cond)) {                                             \
      ET_INTERNAL_LOG_FAILED_CHECK(#cond, __VA_ARGS__);        \
      context.fail(::executorch::runtime::Error::error);       \
      return retval;                                           \
    }                                                          \
  } while (false)

/// extract_scalar_tensor(), which has to succeed.
#define ET_EXTRACT_SCALAR_TENSOR(scalar_tensor, out_val)                     \
  ET_CHECK_MSG(                                                              \
      ::executorch::runtime::extract_scalar_tensor(scalar_tensor, &out_val), \
      #scalar_tensor " has another type or is out of range");
