#include <executorch/runtime/executor/platform_memory_allocator.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/platform.h>

namespace executorch {
namespace runtime {
namespace internal {

PlatformMemoryAllocator::~PlatformMemoryAllocator() {
  PlatformMemoryAllocator::reset();
}

void* PlatformMemoryAllocator::allocate(size_t size, size_t alignment) {
  size_t total = 0;
  if (!isPowerOf2(alignment) ||
      __builtin_add_overflow(size, sizeof(Block) + alignment - 1, &total)) {
    ET_LOG(Error, "%zu bytes aligned to %zu are not to be had", size,
           alignment);
    return nullptr;
  }
  void* memory = pal_allocate(total);
  if (memory == nullptr) {
    ET_LOG(Error, "the platform layer has no memory for %zu bytes", total);
    return nullptr;
  }
  auto* block = static_cast<Block*>(memory);
  block->next = blocks_;
  blocks_ = block;
  return alignPointer(block + 1, alignment);
}

void PlatformMemoryAllocator::reset() {
  while (blocks_ != nullptr) {
    Block* next = blocks_->next;
    pal_free(blocks_);
    blocks_ = next;
  }
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
