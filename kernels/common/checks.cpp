#include "kernels/common/checks.h"

#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <limits>

#include "kernels/common/convert.h"

namespace executorch::kernels {

using aten::ArrayRef;
using aten::Scalar;
using aten::ScalarType;
using aten::SizesType;
using aten::Tensor;
using runtime::Error;
using runtime::Result;

namespace {

// Rank within the real types; a promotion keeps the higher one.
int rank(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Bool:
      return 0;
    case ScalarType::Byte:
      return 1;
    case ScalarType::Char:
      return 2;
    case ScalarType::UInt16:
      return 3;
    case ScalarType::Short:
      return 4;
    case ScalarType::Int:
      return 5;
    case ScalarType::Long:
      return 6;
    case ScalarType::Half:
      return 7;
    case ScalarType::BFloat16:
      return 8;
    case ScalarType::Float:
      return 9;
    case ScalarType::Double:
      return 10;
    case ScalarType::ComplexFloat:
      return 11;
    case ScalarType::ComplexDouble:
      return 12;
    default:
      return -1;
  }
}

ScalarType to_complex(ScalarType dtype) {
  return dtype == ScalarType::Double ? ScalarType::ComplexDouble
                                     : ScalarType::ComplexFloat;
}

// As promote(), where Undefined stands for no operand.
ScalarType promote_present(ScalarType a, ScalarType b) {
  return a == ScalarType::Undefined   ? b
         : b == ScalarType::Undefined ? a
                                      : promote(a, b);
}

// A lower group of operands matters only by its category.
ScalarType combine(ScalarType high, ScalarType low) {
  if (is_in(high, kComplex)) {
    return high;
  }
  if (is_in(high, kFloats)) {
    return is_in(low, kComplex) ? to_complex(high) : high;
  }
  if (high == ScalarType::Undefined || high == ScalarType::Bool ||
      is_in(low, kFloats | kComplex)) {
    return promote_present(high, low);
  }
  return high;
}

template <class T>
bool fits_int(int64_t value) {
  // A negative value may wrap into an unsigned type, as in PyTorch.
  constexpr int64_t max = std::numeric_limits<T>::max();
  constexpr int64_t min =
      std::is_signed_v<T> ? std::numeric_limits<T>::lowest() : -max;
  return value >= min && value <= max;
}
template <class T>
bool fits_int(double value) {
  constexpr double limit = static_cast<double>(std::numeric_limits<T>::max());
  constexpr double low = static_cast<double>(std::numeric_limits<T>::lowest());
  return value >= low && value <= limit;
}
bool fits_float(double value, double max) {
  return !std::isfinite(value) || std::fabs(value) <= max;
}

template <class V>
bool fits(V value, ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Byte:
      return fits_int<uint8_t>(value);
    case ScalarType::Char:
      return fits_int<int8_t>(value);
    case ScalarType::UInt16:
      return fits_int<uint16_t>(value);
    case ScalarType::Short:
      return fits_int<int16_t>(value);
    case ScalarType::Int:
      return fits_int<int32_t>(value);
    case ScalarType::Long:
      return fits_int<int64_t>(value);
    case ScalarType::Half:
      return fits_float(double(value), 65504);
    case ScalarType::BFloat16:
      return fits_float(double(value), 0x1.FEp127);
    case ScalarType::Float:
    case ScalarType::ComplexFloat:
      return fits_float(double(value), std::numeric_limits<float>::max());
    default:
      return true;
  }
}

}  // namespace

DtypeNames::DtypeNames(DtypeSet set) {
  size_t length = 0;
  text[0] = '\0';
  for (int i = 0; i < static_cast<int>(ScalarType::Undefined); ++i) {
    const auto dtype = static_cast<ScalarType>(i);
    if (is_in(dtype, set) && length < sizeof(text)) {
      length += std::snprintf(text + length, sizeof(text) - length, "%s%s",
                              length == 0 ? "" : " ", runtime::toString(dtype));
    }
  }
}

Error refuse_dtype(ScalarType dtype, DtypeSet allowed) {
  ET_LOG(Error,
         "dtype %s is not supported by this operator, expected one of %s",
         runtime::toString(dtype), DtypeNames(allowed).text);
  return Error::InvalidArgument;
}

ScalarType promote(ScalarType a, ScalarType b) {
  if (a == b) {
    return a;
  }
  if (rank(a) > rank(b)) {
    std::swap(a, b);
  }
  if (rank(a) < 0) {
    return ScalarType::Undefined;
  }
  if (a == ScalarType::Half && b == ScalarType::BFloat16) {
    return ScalarType::Float;
  }
  if (a == ScalarType::Byte && b == ScalarType::Char) {
    return ScalarType::Short;
  }
  if (a == ScalarType::Double && b == ScalarType::ComplexFloat) {
    return ScalarType::ComplexDouble;
  }
  const bool has_uint16 = a == ScalarType::UInt16 || b == ScalarType::UInt16;
  if (has_uint16 && is_in(a, kInts) && is_in(b, kInts)) {
    return ScalarType::Undefined;
  }
  return b;
}

void ResultType::add(const Tensor& tensor) {
  ScalarType& group = tensor.dim() == 0 ? single_ : tensors_;
  group = promote_present(group, tensor.scalar_type());
  known_ = known_ && is_in(tensor.scalar_type(), kAnyDtype) &&
           group != ScalarType::Undefined;
}

void ResultType::add(const Scalar& number) {
  const ScalarType dtype = number.isBoolean()         ? ScalarType::Bool
                           : number.isFloatingPoint() ? ScalarType::Float
                                                      : ScalarType::Long;
  numbers_ = promote_present(numbers_, dtype);
}

ScalarType ResultType::get() const {
  return known_ ? combine(tensors_, combine(single_, numbers_))
                : ScalarType::Undefined;
}

Error check_cast(ScalarType from, const Tensor& out) {
  const ScalarType to = out.scalar_type();
  if (from == to && is_in(from, kAnyDtype)) {
    return Error::Ok;
  }
  const bool known = is_in(from, kAnyDtype) && is_in(to, kAnyDtype);
  const bool loses = (is_in(from, kComplex) && !is_in(to, kComplex)) ||
                     (is_in(from, kFloats) && is_in(to, kInts | kBool)) ||
                     (is_in(from, kInts) && is_in(to, kBool));
  ET_CHECK_OR_RETURN_ERROR(
      known && !loses, InvalidArgument,
      "a result of dtype %s cannot be written to an output of dtype %s",
      runtime::toString(from), runtime::toString(to));
  return Error::Ok;
}

Error check_same_dtype(ScalarType result, const Tensor& out) {
  ET_CHECK_OR_RETURN_ERROR(
      result == out.scalar_type(), InvalidArgument,
      "the output has dtype %s, but the result has dtype %s",
      runtime::toString(out.scalar_type()), runtime::toString(result));
  return Error::Ok;
}

Number number(const Scalar& value) {
  Number result;
  if (value.isFloatingPoint()) {
    const double x = value.to<double>();
    result.dtype = ScalarType::Double;
    std::memcpy(result.bytes, &x, sizeof(x));
  } else {
    const int64_t x = value.to<int64_t>();
    result.dtype = ScalarType::Long;
    std::memcpy(result.bytes, &x, sizeof(x));
  }
  return result;
}

Number number(const Scalar& value, ScalarType dtype) {
  const Number own = number(value);
  Number result;
  result.dtype = dtype;
  Converter(own.dtype, dtype)(own.bytes, result.bytes, 1);
  return result;
}

Error check_fits(const Scalar& value, ScalarType dtype) {
  if (value.isFloatingPoint()) {
    ET_CHECK_OR_RETURN_ERROR(fits(value.to<double>(), dtype), InvalidArgument,
                             "the number %g does not fit into dtype %s",
                             value.to<double>(), runtime::toString(dtype));
  } else {
    ET_CHECK_OR_RETURN_ERROR(fits(value.to<int64_t>(), dtype), InvalidArgument,
                             "the number %" PRId64
                             " does not fit into dtype %s",
                             value.to<int64_t>(), runtime::toString(dtype));
  }
  return Error::Ok;
}

double to_double(const Scalar& value) {
  return value.isFloatingPoint() ? value.to<double>()
                                 : static_cast<double>(value.to<int64_t>());
}

Result<int64_t> wrap_dim(int64_t dim, int64_t rank) {
  const int64_t dims = rank == 0 ? 1 : rank;
  ET_CHECK_OR_RETURN_ERROR(dim >= -dims && dim < dims, InvalidArgument,
                           "dimension %" PRId64 " is not in [%" PRId64
                           ", %" PRId64 "]",
                           dim, -dims, dims - 1);
  return dim < 0 ? dim + dims : dim;
}

Error Shape::broadcast(ArrayRef<SizesType> other) {
  ET_CHECK_OR_RETURN_ERROR(
      other.size() <= runtime::kTensorDimensionLimit, InvalidArgument,
      "a tensor has %zu dimensions, at most %zu are "
      "supported",
      other.size(), size_t{runtime::kTensorDimensionLimit});
  const int other_dims = static_cast<int>(other.size());
  if (other_dims > dims) {
    const int added = other_dims - dims;
    std::copy_backward(sizes, sizes + dims, sizes + other_dims);
    std::fill_n(sizes, added, 1);
    dims = other_dims;
  }
  for (int d = 0; d < other_dims; ++d) {
    SizesType& size = sizes[dims - other_dims + d];
    ET_CHECK_OR_RETURN_ERROR(
        size == other[d] || size == 1 || other[d] == 1, InvalidArgument,
        "sizes %d and %d do not broadcast, %d dimensions from the end",
        static_cast<int>(size), static_cast<int>(other[d]), other_dims - d);
    size = size == 1 ? other[d] : size;
  }
  return Error::Ok;
}

bool same_layout(const Tensor& a, const Tensor& b) {
  const auto dims = static_cast<size_t>(a.dim());
  if (dims != static_cast<size_t>(b.dim())) {
    return false;
  }
  const SizesType* sizes_a = a.sizes().data();
  const SizesType* sizes_b = b.sizes().data();
  const auto* strides_a = a.strides().data();
  const auto* strides_b = b.strides().data();
  for (size_t d = 0; d < dims; ++d) {
    // The stride of a dimension of size 1 is never used.
    if (sizes_a[d] != sizes_b[d] ||
        (strides_a[d] != strides_b[d] && sizes_a[d] != 1)) {
      return false;
    }
  }
  return true;
}

}  // namespace executorch::kernels
