#include "src/xnnpack/memory.h"

#include <executorch/runtime/platform/log.h>

#include <cstdint>
#include <cstdlib>

#include "src/core/large_memory.h"

namespace executorch::xnnpack {

namespace {

thread_local size_t t_limit = SIZE_MAX;

bool within_limit(size_t size) {
  if (size > t_limit) {
    ET_LOG(Error,
           "XNNPACK wants %zu bytes, more than the %zu that the arguments and "
           "constants of the delegate explain; the program is damaged",
           size, t_limit);
  }
  return size <= t_limit;
}

}  // namespace

AllocationLimit::AllocationLimit(size_t bytes) { t_limit = bytes; }
AllocationLimit::~AllocationLimit() { t_limit = SIZE_MAX; }

const xnn_allocator& allocator() {
  static const xnn_allocator instance = {
      nullptr,
      [](void*, size_t size) {
        return within_limit(size) ? std::malloc(size) : nullptr;
      },
      [](void*, void* block, size_t size) {
        return within_limit(size) ? std::realloc(block, size) : nullptr;
      },
      [](void*, void* block) { std::free(block); },
      [](void*, size_t alignment, size_t size) {
        return within_limit(size) ? core::allocate_aligned(alignment, size)
                                  : nullptr;
      },
      [](void*, void* block) { std::free(block); },
  };
  return instance;
}

bool is_read_past(const void* data, size_t size) {
  constexpr uintptr_t kPage = 4096;  // pages are this large or a multiple
  const auto end = reinterpret_cast<uintptr_t>(data) + size;
  return size != 0 && (end - 1) / kPage != (end + XNN_EXTRA_BYTES - 1) / kPage;
}

}  // namespace executorch::xnnpack
