// An allocator without a fixed size.
#pragma once

#include <executorch/extension/memory_allocator/memory_allocator_utils.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/platform/log.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace executorch {
namespace extension {

/// Takes memory from the heap and keeps it until reset() or the end. Not thread
/// safe.
class MallocMemoryAllocator : public executorch::runtime::MemoryAllocator {
 public:
  MallocMemoryAllocator() : MemoryAllocator(0, nullptr) {}
  ~MallocMemoryAllocator() override { reset(); }
  MallocMemoryAllocator(const MallocMemoryAllocator&) = delete;
  MallocMemoryAllocator& operator=(const MallocMemoryAllocator&) = delete;

  /// `size` bytes at a multiple of `alignment`, a power of two. Null when there
  /// is not enough memory.
  void* allocate(size_t size, size_t alignment = kDefaultAlignment) override {
    if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
      ET_LOG(Error, "the alignment %zu is not a power of two", alignment);
      return nullptr;
    }
    // No object is larger than PTRDIFF_MAX.
    const bool possible = size <= PTRDIFF_MAX && alignment <= PTRDIFF_MAX;
    void* block = possible
                      ? std::malloc(*utils::get_aligned_size(size, alignment))
                      : nullptr;
    if (block == nullptr) {
      ET_LOG(Error, "%zu bytes of memory are not to be had", size);
      return nullptr;
    }
    blocks_.push_back(block);
    const auto address = reinterpret_cast<uintptr_t>(block);
    return reinterpret_cast<void*>((address + alignment - 1) &
                                   ~(alignment - 1));
  }

  /// Frees everything.
  void reset() override {
    for (void* block : blocks_) {
      std::free(block);
    }
    blocks_.clear();
  }

 private:
  std::vector<void*> blocks_;
};

}  // namespace extension
}  // namespace executorch

namespace torch {
namespace executor {
namespace util {
using ::executorch::extension::MallocMemoryAllocator;
}  // namespace util
}  // namespace executor
}  // namespace torch
