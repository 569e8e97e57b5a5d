// Memory for XNNPACK: packed weights, workspaces, its own objects, and what it
// may read of the memory of others.
#pragma once

#include <xnnpack.h>

#include <cstddef>

namespace executorch::xnnpack {

const xnn_allocator& allocator();

// The most that this thread gives XNNPACK at once while the object lives.
class AllocationLimit {
 public:
  explicit AllocationLimit(size_t bytes);
  ~AllocationLimit();
  AllocationLimit(const AllocationLimit&) = delete;
  AllocationLimit& operator=(const AllocationLimit&) = delete;
};

// XNNPACK reads some bytes past the end of a value. Whether these lie in
// another page, which need not exist: it must be given a copy then.
bool is_read_past(const void* data, size_t size);

}  // namespace executorch::xnnpack
