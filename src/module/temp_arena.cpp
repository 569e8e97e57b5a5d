#include "src/module/temp_arena.h"

#include <executorch/runtime/platform/log.h>

#include <algorithm>

#include "src/module/owned_memory.h"

namespace executorch::extension::internal {

bool TempArena::add_chunk(size_t size) {
  auto memory = internal::allocate(size);
  if (!memory.ok()) {
    return false;
  }
  chunks_.push_back({std::move(*memory), size});
  total_ += size;
  used_ = 0;
  return true;
}

void* TempArena::allocate(size_t size, size_t alignment) {
  constexpr size_t kMinChunk = 16 * 1024;
  if (alignment == 0 || (alignment & (alignment - 1)) != 0 ||
      size > SIZE_MAX / 2 || alignment > SIZE_MAX / 4) {
    ET_LOG(Error, "%zu bytes aligned to %zu cannot be allocated", size,
           alignment);
    return nullptr;
  }
  const auto place = [&]() -> void* {
    if (chunks_.empty()) {
      return nullptr;
    }
    auto* base = static_cast<uint8_t*>(chunks_.back().memory.get());
    const auto address = reinterpret_cast<uintptr_t>(base) + used_;
    const size_t padding = -address & (alignment - 1);
    const size_t left = chunks_.back().size - used_;
    if (left < padding || left - padding < size) {
      return nullptr;
    }
    used_ += padding + size;
    return base + used_ - size;
  };
  void* memory = place();
  if (memory == nullptr &&
      add_chunk(std::max({size + alignment, total_, kMinChunk}))) {
    memory = place();
  }
  return memory;
}

void TempArena::reset() {
  used_ = 0;
  if (chunks_.size() > 1) {
    const size_t total = total_;
    chunks_.clear();
    total_ = 0;
    add_chunk(total);  // a failure shows at the next allocation
  }
}

}  // namespace executorch::extension::internal
