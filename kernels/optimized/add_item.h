// Adding to an element in place, for operators that accumulate: integers wrap,
// bools are or-ed.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/common/types.h"

namespace executorch::kernels {

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
