// From an element type (ScalarType) to its C++ type and back, and what is true
// of it. The macros that run code for the C++ type that a ScalarType stands for
// are in scalar_type_util.h.
#pragma once

#include <executorch/runtime/core/portable_type/scalar_type.h>
#include <executorch/runtime/platform/assert.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace executorch {
namespace runtime {

using etensor::is_reduced_floating_point;
using etensor::is_reduced_floating_point_v;

template <typename T>
struct is_floating_point
    : std::integral_constant<bool, std::is_floating_point<T>::value ||
                                       is_reduced_floating_point<T>::value> {};

/// ScalarTypeToCppType<ScalarType::Int>::type is int32_t.
template <aten::ScalarType N>
struct ScalarTypeToCppType;

/// CppTypeToScalarType<int32_t>::value is ScalarType::Int.
template <typename T>
struct CppTypeToScalarType;

#define ET_INTERNAL_MAP_TYPE(type__, name__)             \
  template <>                                            \
  struct ScalarTypeToCppType<aten::ScalarType::name__> { \
    using type = type__;                                 \
  };                                                     \
  template <>                                            \
  struct CppTypeToScalarType<type__>                     \
      : std::integral_constant<aten::ScalarType, aten::ScalarType::name__> {};
ET_FORALL_SCALAR_TYPES(ET_INTERNAL_MAP_TYPE)
#undef ET_INTERNAL_MAP_TYPE

/// Whether the number is that of an element type.
constexpr bool isValid(aten::ScalarType type) {
  return static_cast<int8_t>(type) >= 0 && type < aten::ScalarType::Undefined;
}

/// Name of the type, "UNKNOWN_SCALAR" for other numbers.
ET_EXPORT const char* toString(aten::ScalarType type);

/// Bytes of one element; the type has to be a valid one.
inline size_t elementSize(aten::ScalarType type) {
#define ET_INTERNAL_SIZE(type__, name__) sizeof(type__),
  constexpr uint8_t kSizes[] = {ET_FORALL_SCALAR_TYPES(ET_INTERNAL_SIZE)};
#undef ET_INTERNAL_SIZE
  ET_CHECK_MSG(isValid(type), "no element type has the number %d",
               static_cast<int>(type));
  return kSizes[static_cast<size_t>(type)];
}

/// Byte, Char, Short, Int, Long; the unsigned ones above a byte do not count,
/// as in PyTorch.
constexpr bool isIntegralType(aten::ScalarType type, bool include_bool) {
  return (type >= aten::ScalarType::Byte && type <= aten::ScalarType::Long) ||
         (include_bool && type == aten::ScalarType::Bool);
}
constexpr bool isFloatingType(aten::ScalarType type) {
  return (type >= aten::ScalarType::Half && type <= aten::ScalarType::Double) ||
         type == aten::ScalarType::BFloat16;
}
constexpr bool isComplexType(aten::ScalarType type) {
  return type >= aten::ScalarType::ComplexHalf &&
         type <= aten::ScalarType::ComplexDouble;
}
constexpr bool isQIntType(aten::ScalarType type) {
  return (type >= aten::ScalarType::QInt8 &&
          type <= aten::ScalarType::QInt32) ||
         type == aten::ScalarType::QUInt4x2 ||
         type == aten::ScalarType::QUInt2x4;
}
constexpr bool isBitsType(aten::ScalarType type) {
  return type >= aten::ScalarType::Bits1x8 && type <= aten::ScalarType::Bits16;
}
constexpr bool isFloat8Type(aten::ScalarType type) {
  return type >= aten::ScalarType::Float8_e5m2 &&
         type <= aten::ScalarType::Float8_e4m3fnuz;
}
constexpr bool isBarebonesUnsignedType(aten::ScalarType type) {
  return type >= aten::ScalarType::UInt16 && type <= aten::ScalarType::UInt64;
}

/// Integers, Float and Double; H adds Half, B Bool, BF16 BFloat16.
constexpr bool isRealType(aten::ScalarType type) {
  return isIntegralType(type, false) || type == aten::ScalarType::Float ||
         type == aten::ScalarType::Double;
}
constexpr bool isRealHType(aten::ScalarType type) {
  return isRealType(type) || type == aten::ScalarType::Half;
}
constexpr bool isRealHBType(aten::ScalarType type) {
  return isRealHType(type) || type == aten::ScalarType::Bool;
}
constexpr bool isRealHBF16Type(aten::ScalarType type) {
  return isRealHType(type) || type == aten::ScalarType::BFloat16;
}
constexpr bool isRealHBBF16Type(aten::ScalarType type) {
  return isRealHBType(type) || type == aten::ScalarType::BFloat16;
}

/// Whether the type has negative numbers; not for quantized or packed types.
constexpr bool isSignedType(aten::ScalarType type) {
  return isFloatingType(type) || isComplexType(type) ||
         (type >= aten::ScalarType::Char && type <= aten::ScalarType::Long);
}

/// The same questions to a C++ type.
template <typename T, bool include_bool>
struct is_integral_type
    : std::integral_constant<bool, isIntegralType(CppTypeToScalarType<T>::value,
                                                  include_bool)> {};
template <typename T>
struct is_complex_type
    : std::integral_constant<bool,
                             isComplexType(CppTypeToScalarType<T>::value)> {};
template <typename T>
struct is_qint_type
    : std::integral_constant<bool, isQIntType(CppTypeToScalarType<T>::value)> {
};
template <typename T>
struct is_bits_type
    : std::integral_constant<bool, isBitsType(CppTypeToScalarType<T>::value)> {
};
template <typename T>
struct is_float8_type
    : std::integral_constant<bool,
                             isFloat8Type(CppTypeToScalarType<T>::value)> {};
template <typename T>
struct is_barebones_unsigned_type
    : std::integral_constant<bool, isBarebonesUnsignedType(
                                       CppTypeToScalarType<T>::value)> {};

/// Byte, Char and Int as the quantized type over them; others unchanged.
constexpr aten::ScalarType toQIntType(aten::ScalarType type) {
  switch (type) {
    case aten::ScalarType::Byte:
      return aten::ScalarType::QUInt8;
    case aten::ScalarType::Char:
      return aten::ScalarType::QInt8;
    case aten::ScalarType::Int:
      return aten::ScalarType::QInt32;
    default:
      return type;
  }
}

/// The integer type a quantized one is stored in; others unchanged.
constexpr aten::ScalarType toUnderlying(aten::ScalarType type) {
  switch (type) {
    case aten::ScalarType::QInt8:
      return aten::ScalarType::Char;
    case aten::ScalarType::QInt32:
      return aten::ScalarType::Int;
    case aten::ScalarType::QUInt8:
    case aten::ScalarType::QUInt4x2:
    case aten::ScalarType::QUInt2x4:
      return aten::ScalarType::Byte;
    default:
      return type;
  }
}

constexpr bool isUnderlying(aten::ScalarType type, aten::ScalarType qtype) {
  return type == toUnderlying(qtype);
}

/// The type of the parts of a complex type; others unchanged.
constexpr aten::ScalarType toRealValueType(aten::ScalarType type) {
  switch (type) {
    case aten::ScalarType::ComplexHalf:
      return aten::ScalarType::Half;
    case aten::ScalarType::ComplexFloat:
      return aten::ScalarType::Float;
    case aten::ScalarType::ComplexDouble:
      return aten::ScalarType::Double;
    default:
      return type;
  }
}

/// The complex type over a floating type; Undefined when there is none.
constexpr aten::ScalarType toComplexType(aten::ScalarType type) {
  switch (toRealValueType(type)) {
    case aten::ScalarType::Half:
      return aten::ScalarType::ComplexHalf;
    case aten::ScalarType::BFloat16:
    case aten::ScalarType::Float:
      return aten::ScalarType::ComplexFloat;
    case aten::ScalarType::Double:
      return aten::ScalarType::ComplexDouble;
    default:
      return aten::ScalarType::Undefined;
  }
}

/// Whether a result of one type may be written to an output of the other:
/// complex, floating, integer and Bool go only to their own kind or one before
/// it in this list.
constexpr bool canCast(aten::ScalarType from, aten::ScalarType to) {
  return !(isComplexType(from) && !isComplexType(to)) &&
         !(isFloatingType(from) && isIntegralType(to, false)) &&
         !(from != aten::ScalarType::Bool && to == aten::ScalarType::Bool);
}
template <typename From, typename To>
struct can_cast
    : std::integral_constant<bool, canCast(CppTypeToScalarType<From>::value,
                                           CppTypeToScalarType<To>::value)> {};

namespace internal {

// Of two different types the wider one; Bool is the narrowest.
constexpr aten::ScalarType promote_integers(aten::ScalarType a,
                                            aten::ScalarType b) {
  if (a == aten::ScalarType::Bool || b == aten::ScalarType::Bool) {
    return a == aten::ScalarType::Bool ? b : a;
  }
  if (a == aten::ScalarType::Byte || b == aten::ScalarType::Byte) {
    const aten::ScalarType other = a == aten::ScalarType::Byte ? b : a;
    return other == aten::ScalarType::Char ? aten::ScalarType::Short : other;
  }
  return a > b ? a : b;
}

constexpr aten::ScalarType promote_floats(aten::ScalarType a,
                                          aten::ScalarType b) {
  if (a == aten::ScalarType::BFloat16 || b == aten::ScalarType::BFloat16) {
    const aten::ScalarType other = a == aten::ScalarType::BFloat16 ? b : a;
    return other == aten::ScalarType::Half ? aten::ScalarType::Float : other;
  }
  return a > b ? a : b;
}

}  // namespace internal

/// The type in which PyTorch computes with one element of each type, or
/// Undefined for a pair that it refuses. With half_to_float, Float where that
/// would be Half or BFloat16.
constexpr aten::ScalarType promoteTypes(aten::ScalarType a, aten::ScalarType b,
                                        bool half_to_float = false) {
  if (half_to_float) {
    const aten::ScalarType type = promoteTypes(a, b);
    return type == aten::ScalarType::Half || type == aten::ScalarType::BFloat16
               ? aten::ScalarType::Float
               : type;
  }
  if (a == b) {
    return isValid(a) ? a : aten::ScalarType::Undefined;
  }
  if (isBarebonesUnsignedType(a)) {
    return isFloatingType(b) ? b : aten::ScalarType::Undefined;
  }
  if (isBarebonesUnsignedType(b)) {
    return isFloatingType(a) ? a : aten::ScalarType::Undefined;
  }
  const bool complex = isComplexType(a) || isComplexType(b);
  const aten::ScalarType x = toRealValueType(a);
  const aten::ScalarType y = toRealValueType(b);
  const bool x_integer = isIntegralType(x, true);
  const bool y_integer = isIntegralType(y, true);
  if ((!isFloatingType(x) && !x_integer) ||
      (!isFloatingType(y) && !y_integer)) {
    return aten::ScalarType::Undefined;
  }
  const aten::ScalarType type = x == y ? x
                                : x_integer && y_integer
                                    ? internal::promote_integers(x, y)
                                : x_integer ? y
                                : y_integer ? x
                                            : internal::promote_floats(x, y);
  return complex ? toComplexType(type) : type;
}

/// promoteTypes() of C++ types.
template <typename T1, typename T2, bool half_to_float = false>
struct promote_types {
  using type = typename ScalarTypeToCppType<promoteTypes(
      CppTypeToScalarType<T1>::value, CppTypeToScalarType<T2>::value,
      half_to_float)>::type;
};

/// static_cast that goes through int64_t from floating types to integers, so
/// that negative numbers wrap around in unsigned types as in PyTorch.
template <typename To, typename From>
To convert(From value) {
  if constexpr (std::is_floating_point<From>::value &&
                std::is_integral<To>::value) {
    return static_cast<To>(static_cast<int64_t>(value));
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace runtime

namespace aten {
using ::executorch::runtime::elementSize;
}  // namespace aten
}  // namespace executorch
