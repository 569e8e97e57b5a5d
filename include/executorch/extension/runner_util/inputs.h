// Inputs for a method when any will do: to try whether it runs, or how fast.
#pragma once

#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstddef>
#include <cstdlib>
#include <utility>
#include <vector>

namespace executorch {
namespace extension {

/// Owns the memory of inputs; the method must not run after it is gone.
class BufferCleanup final {
 public:
  /// @param buffers From malloc(), as is the array that holds them.
  explicit BufferCleanup(runtime::Span<void*> buffers) : buffers_(buffers) {}
  BufferCleanup(BufferCleanup&& other) noexcept
      : buffers_(std::exchange(other.buffers_, {})) {}
  BufferCleanup& operator=(BufferCleanup&& other) noexcept {
    std::swap(buffers_, other.buffers_);
    return *this;
  }
  BufferCleanup(const BufferCleanup&) = delete;
  BufferCleanup& operator=(const BufferCleanup&) = delete;
  ~BufferCleanup() {
    for (void* buffer : buffers_) {
      std::free(buffer);
    }
    std::free(buffers_.data());
  }

 private:
  runtime::Span<void*> buffers_;
};

/// Limits for methods that are not trusted.
struct PrepareInputTensorsOptions {
  size_t max_total_allocation_size = 1024 * 1024 * 1024;  ///< Bytes.
  size_t max_inputs = 1024;
};

/// Sets all tensor inputs of a method, filled with ones or with given bytes.
/// Inputs of other kinds are left as they are.
///
/// @param input_buffers Data and size in bytes of input 0, 1, ...; inputs
///     beyond the last one, or with null data, are filled with ones.
/// @retval InvalidProgram The method is beyond the limits.
/// @retval InvalidArgument Given data has another size than its input.
/// @retval MemoryAllocationFailed There is not enough memory.
ET_EXPORT runtime::Result<BufferCleanup> prepare_input_tensors(
    runtime::Method& method, PrepareInputTensorsOptions options = {},
    const std::vector<std::pair<char*, size_t>>& input_buffers = {});

}  // namespace extension
}  // namespace executorch
