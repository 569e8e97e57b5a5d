// What operators check and decide before they write: dtypes and their
// promotion, shapes, dimension numbers. Everything here that fails logs why.
#pragma once

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

#include <cstdint>

#include "src/registry/register_op.h"

namespace executorch::kernels {

using registry::dtype_bit;
using registry::DtypeSet;
template <class... T>
constexpr DtypeSet dtype_set(T... dtypes) {
  return (dtype_bit(dtypes) | ...);
}
inline constexpr DtypeSet kBool = dtype_bit(aten::ScalarType::Bool);
inline constexpr DtypeSet kInts = dtype_set(
    aten::ScalarType::Byte, aten::ScalarType::Char, aten::ScalarType::Short,
    aten::ScalarType::Int, aten::ScalarType::Long, aten::ScalarType::UInt16);
inline constexpr DtypeSet kHalfs =
    dtype_set(aten::ScalarType::Half, aten::ScalarType::BFloat16);
inline constexpr DtypeSet kFloats =
    kHalfs | dtype_set(aten::ScalarType::Float, aten::ScalarType::Double);
inline constexpr DtypeSet kComplex =
    dtype_set(aten::ScalarType::ComplexFloat, aten::ScalarType::ComplexDouble);
inline constexpr DtypeSet kReal = kInts | kFloats;
inline constexpr DtypeSet kRealBool = kReal | kBool;
// All that kernels compute with, and all there are.
inline constexpr DtypeSet kAnyDtype = kRealBool | kComplex;
inline constexpr DtypeSet kEveryDtype =
    dtype_bit(aten::ScalarType::Undefined) - 1;

constexpr bool is_in(aten::ScalarType dtype, DtypeSet set) {
  return (dtype_bit(dtype) & set) != 0;
}

// Their names, for messages.
struct DtypeNames {
  explicit DtypeNames(DtypeSet set);
  char text[384];
};

// Logs that `dtype` is not in the set.
runtime::Error refuse_dtype(aten::ScalarType dtype, DtypeSet allowed);
inline runtime::Error check_dtype(aten::ScalarType dtype, DtypeSet allowed) {
  return is_in(dtype, allowed) ? runtime::Error::Ok
                               : refuse_dtype(dtype, allowed);
}

// What an operator without an integer result computes integers in.
constexpr aten::ScalarType to_floating(aten::ScalarType dtype) {
  return is_in(dtype, kInts | kBool) ? aten::ScalarType::Float : dtype;
}

// The dtype two tensors are computed in; Undefined if there is none.
aten::ScalarType promote(aten::ScalarType a, aten::ScalarType b);

// The dtype of a result as torch.result_type() finds it: tensors with
// dimensions decide, a tensor without or a number only when it is of a higher
// category (bool, integer, floating, complex). Undefined if a dtype is none
// that kernels compute with, or two of them do not combine.
class ResultType {
 public:
  template <class... T>
  static aten::ScalarType of(const T&... operands) {
    ResultType type;
    (type.add(operands), ...);
    return type.get();
  }
  static aten::ScalarType of(const aten::Tensor& a, const aten::Tensor& b) {
    const aten::ScalarType dtype = a.scalar_type();
    return dtype == b.scalar_type() ? dtype : of<aten::Tensor>(a, b);
  }
  static aten::ScalarType of(const aten::Tensor& tensor) {
    return tensor.scalar_type();
  }
  static aten::ScalarType of(const aten::Tensor& tensor,
                             const aten::Scalar& number) {
    const aten::ScalarType dtype = tensor.scalar_type();
    return is_in(dtype, kFloats)
               ? dtype
               : of<aten::Tensor, aten::Scalar>(tensor, number);
  }

  void add(const aten::Tensor& tensor);
  void add(const aten::Scalar& number);
  aten::ScalarType get() const;

 private:
  aten::ScalarType tensors_ = aten::ScalarType::Undefined;
  aten::ScalarType single_ = aten::ScalarType::Undefined;
  aten::ScalarType numbers_ = aten::ScalarType::Undefined;
  bool known_ = true;
};

// Whether a result of dtype `from` may be written to `out`: not from a higher
// category to a lower one.
runtime::Error check_cast(aten::ScalarType from, const aten::Tensor& out);
// For operators whose output must have the dtype of the result.
runtime::Error check_same_dtype(aten::ScalarType result,
                                const aten::Tensor& out);

// A number as an element of a tensor.
struct Number {
  alignas(16) unsigned char bytes[16];
  aten::ScalarType dtype;
};
// As double or int64.
Number number(const aten::Scalar& value);
// Converts as a tensor is converted: integers wrap, nothing fails.
Number number(const aten::Scalar& value, aten::ScalarType dtype);
// Fails where the value does not fit: 300 as uint8, 1e300 as float.
runtime::Error check_fits(const aten::Scalar& value, aten::ScalarType dtype);

double to_double(const aten::Scalar& value);

// Dimension `dim` of `rank` ones, counted from the end if negative. A tensor
// without dimensions is treated as if it had one.
runtime::Result<int64_t> wrap_dim(int64_t dim, int64_t rank);

struct Shape {
  int dims = 0;
  aten::SizesType sizes[runtime::kTensorDimensionLimit];

  aten::ArrayRef<aten::SizesType> view() const {
    return {sizes, static_cast<size_t>(dims)};
  }
  // Grows to the shape that this one and `other` broadcast to.
  runtime::Error broadcast(aten::ArrayRef<aten::SizesType> other);
};

// Whether element i of one is beside element i of the other in memory.
bool same_layout(const aten::Tensor& a, const aten::Tensor& b);

}  // namespace executorch::kernels
