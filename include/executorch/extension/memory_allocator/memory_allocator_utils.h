// Sizes of heap allocations.
#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/log.h>

#include <cstddef>
#include <cstdint>

namespace executorch {
namespace extension {
namespace utils {

/// How much to ask of malloc() so that `size` bytes at a multiple of
/// `alignment` are in it: more than `size` only when the alignment is larger
/// than what malloc() gives anyway.
///
/// @retval InvalidArgument The sum overflows.
inline runtime::Result<size_t> get_aligned_size(size_t size, size_t alignment) {
  if (alignment <= alignof(std::max_align_t)) {
    return size;
  }
  ET_CHECK_OR_RETURN_ERROR(size <= SIZE_MAX - (alignment - 1), InvalidArgument,
                           "%zu bytes aligned to %zu overflow", size,
                           alignment);
  return size + (alignment - 1);
}

}  // namespace utils
}  // namespace extension
}  // namespace executorch
