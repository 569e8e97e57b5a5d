// Lists of C++ element types, and the step from a run-time dtype to one.
#pragma once

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>

#include <cstdint>

#include "kernels/common/checks.h"

namespace executorch::kernels {

template <class... T>
struct Types {};

template <class T>
struct TypeTag {
  using type = T;
};

using IntTypes = Types<uint8_t, int8_t, int16_t, int32_t, int64_t>;
using FloatTypes = Types<float, double, aten::Half, aten::BFloat16>;
using RealTypes = Types<uint8_t, int8_t, int16_t, int32_t, int64_t, float,
                        double, aten::Half, aten::BFloat16>;
using RealBoolTypes = Types<uint8_t, int8_t, int16_t, int32_t, int64_t, float,
                            double, aten::Half, aten::BFloat16, bool>;

// Calls f(TypeTag<T>{}) for the listed T that `dtype` names; false if none is.
template <class... T, class F>
bool visit(Types<T...>, aten::ScalarType dtype, F&& f) {
  return ((runtime::CppTypeToScalarType<T>::value == dtype &&
           (f(TypeTag<T>{}), true)) ||
          ...);
}

template <class... T>
constexpr DtypeSet dtype_set(Types<T...>) {
  return dtype_set(runtime::CppTypeToScalarType<T>::value...);
}

template <class... T>
constexpr bool contains(Types<T...>, aten::ScalarType dtype) {
  return ((runtime::CppTypeToScalarType<T>::value == dtype) || ...);
}

}  // namespace executorch::kernels
