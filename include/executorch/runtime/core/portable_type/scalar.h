// A number whose type is known at run time.
#pragma once

#include <executorch/runtime/core/portable_type/reduced_float.h>
#include <executorch/runtime/core/tag.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstdint>
#include <type_traits>

namespace executorch {
namespace runtime {
namespace etensor {

/// Holds an int64_t, a double or a bool.
class Scalar {
 public:
  /// The integer 0.
  Scalar() : tag_(Tag::Int) { value_.as_int = 0; }

  template <typename T, std::enable_if_t<std::is_integral<T>::value, int> = 0>
  /*implicit*/ Scalar(T value) : tag_(Tag::Int) {
    value_.as_int = static_cast<int64_t>(value);
  }
  /*implicit*/ Scalar(bool value) : tag_(Tag::Bool) { value_.as_bool = value; }
  /*implicit*/ Scalar(double value) : tag_(Tag::Double) {
    value_.as_double = value;
  }
  /*implicit*/ Scalar(Half value) : Scalar(double{static_cast<float>(value)}) {}
  /*implicit*/ Scalar(BFloat16 value)
      : Scalar(double{static_cast<float>(value)}) {}

  bool isIntegral(bool include_bool) const {
    return tag_ == Tag::Int || (include_bool && tag_ == Tag::Bool);
  }
  bool isFloatingPoint() const { return tag_ == Tag::Double; }
  bool isBoolean() const { return tag_ == Tag::Bool; }

  /// The number as a T, which is an arithmetic type. A double becomes an
  /// integer by cutting its fraction; one that does not fit becomes the nearest
  /// int64_t, NaN becomes 0. As a bool: whether it is not zero.
  template <typename T>
  T to() const {
    if constexpr (std::is_same<T, bool>::value) {
      return tag_ == Tag::Double ? value_.as_double != 0 : to_int() != 0;
    } else if constexpr (std::is_integral<T>::value) {
      return static_cast<T>(to_int());
    } else {
      return static_cast<T>(tag_ == Tag::Double
                                ? value_.as_double
                                : static_cast<double>(to_int()));
    }
  }

 private:
  int64_t to_int() const {
    switch (tag_) {
      case Tag::Bool:
        return value_.as_bool ? 1 : 0;
      case Tag::Int:
        return value_.as_int;
      default:
        break;
    }
    const double value = value_.as_double;
    if (value != value) {
      return 0;
    }
    if (value >= 0x1p63) {
      return INT64_MAX;
    }
    return value < -0x1p63 ? INT64_MIN : static_cast<int64_t>(value);
  }

  Tag tag_;
  union {
    int64_t as_int;
    double as_double;
    bool as_bool;
  } value_;
};

}  // namespace etensor
}  // namespace runtime
}  // namespace executorch
