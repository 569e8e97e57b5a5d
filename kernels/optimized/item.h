// Single elements of tensors: reading an index, adding to a sum.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/common/types.h"

namespace executorch::kernels {

// An element of an Int or a Long tensor.
inline int64_t read_index(const char* item, aten::ScalarType dtype) {
  return dtype == aten::ScalarType::Int
             ? *reinterpret_cast<const int32_t*>(item)
             : *reinterpret_cast<const int64_t*>(item);
}

// Integers wrap, bools are or-ed.
template <class T>
void add_item(char* to, const char* from) {
  T& sum = *reinterpret_cast<T*>(to);
  const T value = *reinterpret_cast<const T*>(from);
  if constexpr (std::is_same_v<T, bool>) {
    sum = sum || value;
  } else if constexpr (std::is_integral_v<T>) {
    sum = static_cast<T>(static_cast<uint64_t>(sum) +
                         static_cast<uint64_t>(value));
  } else {
    sum = static_cast<T>(sum + value);
  }
}

}  // namespace executorch::kernels
