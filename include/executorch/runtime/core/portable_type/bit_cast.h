// The bytes of one value as another type.
#pragma once

#include <executorch/runtime/platform/compiler.h>

#include <cstring>
#include <type_traits>

namespace executorch {
namespace runtime {
namespace etensor {

template <typename To, typename From>
std::enable_if_t<sizeof(To) == sizeof(From) &&
                     std::is_trivially_copyable<From>::value &&
                     std::is_trivially_copyable<To>::value,
                 To>
bit_cast(const From& from) noexcept {
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

}  // namespace etensor
}  // namespace runtime
}  // namespace executorch
