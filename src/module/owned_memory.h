// Memory whose size the caller does not vouch for.
#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/log.h>

#include <cstddef>
#include <memory>
#include <new>

namespace executorch::module {

// Enough for every vector instruction and a cache line.
inline constexpr std::align_val_t kMemoryAlignment{64};

// Uninitialized memory, or MemoryAllocationFailed. Never null, also for 0
// bytes.
inline runtime::Result<std::shared_ptr<void>> allocate(size_t bytes) {
  void* memory =
      ::operator new(bytes > 0 ? bytes : 1, kMemoryAlignment, std::nothrow);
  ET_CHECK_OR_RETURN_ERROR(memory != nullptr, MemoryAllocationFailed,
                           "%zu bytes of memory are not to be had", bytes);
  return std::shared_ptr<void>(
      memory, [](void* p) { ::operator delete(p, kMemoryAlignment); });
}

}  // namespace executorch::module
