// Memory for what stays as long as a program: packed weights, constants.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace executorch::core {

// As posix_memalign(); to be freed with free(). Large blocks ask for huge
// pages: filling them takes one page fault instead of 512, and reading them
// fewer misses in the TLB.
inline void* allocate_aligned(size_t alignment, size_t size) {
  constexpr size_t kHugePage = size_t{2} << 20;
  const bool large = size >= kHugePage;
  void* memory = nullptr;
  if (::posix_memalign(&memory,
                       large ? std::max(alignment, kHugePage) : alignment,
                       size) != 0) {
    return nullptr;
  }
  if (large) {
    (void)::madvise(memory, size, MADV_HUGEPAGE);
  }
  return memory;
}

}  // namespace executorch::core
