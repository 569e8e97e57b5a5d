// An allocator that remembers what it freed.
#pragma once

#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace executorch {
namespace extension {

/// Takes memory from the heap. reset() keeps the blocks for the next
/// allocations of the same size, up to a limit, so that a loop that allocates
/// the same sizes again and again does not call malloc(). Thread safe.
class ET_EXPORT CPUCachingAllocator
    : public executorch::runtime::MemoryAllocator {
 public:
  static constexpr size_t kDefaultAlignment = 64;

  /// @param max_size How many bytes of unused blocks are kept at most.
  explicit CPUCachingAllocator(uint32_t max_size);
  ~CPUCachingAllocator() override;
  CPUCachingAllocator(const CPUCachingAllocator&) = delete;
  CPUCachingAllocator& operator=(const CPUCachingAllocator&) = delete;

  /// `size` bytes at a multiple of `alignment`, a power of two. Null when there
  /// is not enough memory.
  void* allocate(size_t size, size_t alignment = kDefaultAlignment) override;

  /// Takes back all blocks that were allocated.
  void reset() override;

 private:
  struct Block {
    void* memory;
    size_t size;
  };

  std::mutex mutex_;
  std::multimap<size_t, void*> unused_;  // by size
  std::vector<Block> used_;
  size_t unused_bytes_ = 0;
  const size_t max_size_;
};

}  // namespace extension
}  // namespace executorch
