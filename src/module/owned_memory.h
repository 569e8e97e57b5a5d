// Memory whose size the caller does not vouch for.
#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/log.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace executorch::extension::internal {

// Enough for every vector instruction and a cache line.
inline constexpr size_t kMemoryAlignment = 64;

// Uninitialized memory, or MemoryAllocationFailed. Never null, also for 0
// bytes.
inline runtime::Result<std::shared_ptr<void>> allocate(size_t bytes) {
  constexpr std::align_val_t kAlignment{kMemoryAlignment};
  void* memory =
      ::operator new(bytes > 0 ? bytes : 1, kAlignment, std::nothrow);
  ET_CHECK_OR_RETURN_ERROR(memory != nullptr, MemoryAllocationFailed,
                           "%zu bytes of memory are not to be had", bytes);
  return std::shared_ptr<void>(
      memory, [](void* p) { ::operator delete(p, kAlignment); });
}

// The same, filled with zeros. Large blocks come from the system as pages that
// are not there before somebody writes to them.
inline runtime::Result<std::shared_ptr<void>> allocate_zeroed(size_t bytes) {
  void* block = bytes <= SIZE_MAX - kMemoryAlignment
                    ? std::calloc(bytes + kMemoryAlignment, 1)
                    : nullptr;
  ET_CHECK_OR_RETURN_ERROR(block != nullptr, MemoryAllocationFailed,
                           "%zu bytes of memory are not to be had", bytes);
  std::shared_ptr<void> owner(block, [](void* p) { std::free(p); });
  const auto address = reinterpret_cast<uintptr_t>(block);
  void* aligned =
      static_cast<uint8_t*>(block) + (-address & (kMemoryAlignment - 1));
  return std::shared_ptr<void>(std::move(owner), aligned);
}

}  // namespace executorch::extension::internal
