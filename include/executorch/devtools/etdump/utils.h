// Alignment of memory that an etdump uses.
#pragma once

#include <cstddef>
#include <cstdint>

namespace executorch {
namespace etdump {
namespace internal {

/// The first address from `ptr` on that is a multiple of `alignment`, a power
/// of two.
inline uint8_t* align_pointer(void* ptr, size_t alignment) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(ptr);
  const uintptr_t past = address & (alignment - 1);
  return static_cast<uint8_t*>(ptr) + (past == 0 ? 0 : alignment - past);
}

}  // namespace internal
}  // namespace etdump
}  // namespace executorch
