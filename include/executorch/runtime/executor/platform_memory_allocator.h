// Memory from et_pal_allocate() as an allocator.
#pragma once

#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstddef>

namespace executorch {
namespace runtime {
namespace internal {

/// Takes each block from et_pal_allocate() and gives all of them back in
/// reset() and when it is destroyed. Not thread safe.
class ET_EXPORT PlatformMemoryAllocator final : public MemoryAllocator {
 public:
  PlatformMemoryAllocator() : MemoryAllocator(0, nullptr) {}
  PlatformMemoryAllocator(const PlatformMemoryAllocator&) = delete;
  PlatformMemoryAllocator& operator=(const PlatformMemoryAllocator&) = delete;
  ~PlatformMemoryAllocator() override;

  /// Null, with a log line, when there is no memory or `alignment` is not a
  /// power of two.
  void* allocate(size_t size, size_t alignment = kDefaultAlignment) override;

  void reset() override;

 private:
  // Stands before each block.
  struct Block {
    Block* next;
  };

  Block* blocks_ = nullptr;
};

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
