// The memory a method lives in.
#pragma once

#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/portable_type/tensor_options.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {

/// The allocators of one method. Owns nothing: all of them must outlive the
/// method. Kernels and backends may use other memory besides.
class MemoryManager final {
 public:
  /// @param method_allocator For what the method keeps: values, instructions,
  ///     state of delegates. Used while the method is loaded.
  /// @param planned_memory The buffers for tensors, as
  ///     MethodMeta::memory_planned_buffer_size() tells. May be null when the
  ///     method has no planned tensors. The method does not clear them: give
  ///     zeroed memory where variables without a stored value shall begin as
  ///     zero.
  /// @param temp_allocator For scratch memory of one instruction; reset after
  ///     each. When it is null, the method takes memory from
  ///     et_pal_allocate(). Must not be `method_allocator`.
  explicit MemoryManager(MemoryAllocator* method_allocator,
                         HierarchicalAllocator* planned_memory = nullptr,
                         MemoryAllocator* temp_allocator = nullptr)
      : method_allocator_(method_allocator),
        planned_memory_(planned_memory),
        temp_allocator_(temp_allocator) {
    ET_CHECK_MSG(method_allocator != temp_allocator,
                 "the method allocator cannot be the temp allocator");
  }

  /// Deprecated: constants need no allocator.
  ET_DEPRECATED MemoryManager(MemoryAllocator* /*constant_allocator*/,
                              HierarchicalAllocator* non_constant_allocator,
                              MemoryAllocator* runtime_allocator,
                              MemoryAllocator* temporary_allocator)
      : MemoryManager(runtime_allocator, non_constant_allocator,
                      temporary_allocator) {}

  MemoryAllocator* method_allocator() const { return method_allocator_; }
  HierarchicalAllocator* planned_memory() const { return planned_memory_; }
  MemoryAllocator* temp_allocator() const { return temp_allocator_; }

  /// The device of each planned buffer; empty when all are on the CPU.
  Span<const etensor::Device> planned_buffer_devices() const {
    return planned_memory_ == nullptr
               ? Span<const etensor::Device>()
               : planned_memory_->planned_buffer_devices();
  }

  /// Whether devices were named for the planned buffers.
  bool has_device_memory() const { return planned_buffer_devices().size() > 0; }

 private:
  MemoryAllocator* method_allocator_;
  HierarchicalAllocator* planned_memory_;
  MemoryAllocator* temp_allocator_;
};

}  // namespace runtime
}  // namespace executorch
