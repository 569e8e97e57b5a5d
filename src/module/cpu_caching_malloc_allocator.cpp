#include <executorch/extension/memory_allocator/cpu_caching_malloc_allocator.h>
#include <executorch/runtime/platform/log.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace executorch::extension {

namespace {

bool is_aligned(const void* memory, size_t alignment) {
  return reinterpret_cast<uintptr_t>(memory) % alignment == 0;
}

}  // namespace

CPUCachingAllocator::CPUCachingAllocator(uint32_t max_size)
    : MemoryAllocator(0, nullptr), max_size_(max_size) {}

CPUCachingAllocator::~CPUCachingAllocator() {
  reset();
  for (const auto& [size, memory] : unused_) {
    std::free(memory);
  }
}

void* CPUCachingAllocator::allocate(size_t size, size_t alignment) {
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
    ET_LOG(Error, "the alignment %zu is not a power of two", alignment);
    return nullptr;
  }
  alignment = std::max(alignment, kDefaultAlignment);
  // Whole units of the alignment: what aligned_alloc() asks for, and more
  // blocks that fit each other.
  if (size > PTRDIFF_MAX || alignment > PTRDIFF_MAX) {
    ET_LOG(Error, "%zu bytes of memory are not to be had", size);
    return nullptr;
  }
  size = std::max((size + alignment - 1) & ~(alignment - 1), alignment);

  std::lock_guard lock(mutex_);
  const auto [first, last] = unused_.equal_range(size);
  const auto fitting = std::find_if(first, last, [&](const auto& block) {
    return is_aligned(block.second, alignment);
  });
  void* memory = nullptr;
  if (fitting != last) {
    memory = fitting->second;
    unused_.erase(fitting);
    unused_bytes_ -= size;
  } else {
    memory = std::aligned_alloc(alignment, size);
  }
  if (memory == nullptr) {
    ET_LOG(Error, "%zu bytes of memory are not to be had", size);
    return nullptr;
  }
  used_.push_back({memory, size});
  return memory;
}

void CPUCachingAllocator::reset() {
  std::lock_guard lock(mutex_);
  for (const Block& block : used_) {
    if (block.size <= max_size_ - unused_bytes_) {
      unused_.emplace(block.size, block.memory);
      unused_bytes_ += block.size;
    } else {
      std::free(block.memory);
    }
  }
  used_.clear();
}

}  // namespace executorch::extension
