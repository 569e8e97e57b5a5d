// The buffers in which a program has planned its tensors.
#pragma once

#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/portable_type/tensor_options.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

#include <cstddef>
#include <cstdint>

namespace executorch {
namespace runtime {

/// A list of buffers; a program names places in them by number and offset.
/// Owns nothing: the spans and what they show have to outlive it.
class HierarchicalAllocator final {
 public:
  /// @param buffers Buffer i has to have at least
  ///     MethodMeta::memory_planned_buffer_size(i) bytes.
  explicit HierarchicalAllocator(Span<Span<uint8_t>> buffers)
      : buffers_(buffers) {}

  /// @param planned_buffer_devices Where buffer i is; as many as buffers.
  HierarchicalAllocator(Span<Span<uint8_t>> buffers,
                        Span<const etensor::Device> planned_buffer_devices)
      : buffers_(buffers), devices_(planned_buffer_devices) {
    ET_CHECK_MSG(devices_.size() == buffers_.size(),
                 "%zu devices for %zu buffers", devices_.size(),
                 buffers_.size());
  }

  /// Use spans. Takes the buffers of at most 16 allocators.
  ET_DEPRECATED HierarchicalAllocator(uint32_t n_allocators,
                                      MemoryAllocator* allocators)
      : num_own_spans_(n_allocators) {
    ET_CHECK_MSG(n_allocators <= kMaxAllocators,
                 "%u allocators, the limit is %zu", n_allocators,
                 kMaxAllocators);
    for (uint32_t i = 0; i < n_allocators; ++i) {
      own_spans_[i] = {allocators[i].base_address(), allocators[i].size()};
    }
  }

  /// The address of a place. InvalidArgument: no such buffer, or the end
  /// overflows; MemoryAllocationFailed: the buffer is too small.
  ET_NODISCARD Result<void*> get_offset_address(uint32_t memory_id,
                                                size_t offset_bytes,
                                                size_t size_bytes) {
    const Span<Span<uint8_t>> buffers =
        num_own_spans_ > 0 ? Span<Span<uint8_t>>(own_spans_, num_own_spans_)
                           : buffers_;
    ET_CHECK_OR_RETURN_ERROR(memory_id < buffers.size(), InvalidArgument,
                             "memory-planned buffer %u of %zu", memory_id,
                             buffers.size());
    ET_CHECK_OR_RETURN_ERROR(
        size_bytes <= SIZE_MAX - offset_bytes, InvalidArgument,
        "offset %zu + size %zu does not fit", offset_bytes, size_bytes);
    const Span<uint8_t> buffer = buffers[memory_id];
    ET_CHECK_OR_RETURN_ERROR(
        offset_bytes + size_bytes <= buffer.size(), MemoryAllocationFailed,
        "memory-planned buffer %u has %zu bytes, %zu at offset %zu are needed",
        memory_id, buffer.size(), size_bytes, offset_bytes);
    return buffer.data() + offset_bytes;
  }

  /// Where the buffers are; empty when all are in CPU memory.
  Span<const etensor::Device> planned_buffer_devices() const {
    return devices_;
  }

 private:
  static constexpr size_t kMaxAllocators = 16;

  Span<Span<uint8_t>> buffers_;
  Span<const etensor::Device> devices_;
  Span<uint8_t> own_spans_[kMaxAllocators];
  size_t num_own_spans_ = 0;
};

}  // namespace runtime
}  // namespace executorch
