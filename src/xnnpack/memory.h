// Memory for XNNPACK: packed weights, workspaces and its own objects.
#pragma once

#include <xnnpack.h>

#include <cstddef>

namespace executorch::xnnpack {

// Null if there is no memory. std::free() ends it.
void* allocate_aligned(size_t alignment, size_t size);

const xnn_allocator& allocator();

}  // namespace executorch::xnnpack
