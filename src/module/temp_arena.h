// Scratch memory of kernels: after the first runs it takes nothing more from
// the heap.
#pragma once

#include <executorch/runtime/core/memory_allocator.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace executorch::extension::internal {

// Hands out pieces of one chunk. When that is too small it adds chunks, and the
// next reset() replaces them by a single one that has room for all.
class TempArena final : public runtime::MemoryAllocator {
 public:
  TempArena() : MemoryAllocator(0, nullptr) {}

  void* allocate(size_t size, size_t alignment = kDefaultAlignment) override;
  void reset() override;

 private:
  struct Chunk {
    std::shared_ptr<void> memory;
    size_t size;
  };
  bool add_chunk(size_t size);

  std::vector<Chunk> chunks_;
  size_t used_ = 0;   // of the last chunk
  size_t total_ = 0;  // of all chunks
};

}  // namespace executorch::extension::internal
