// What a kernel gets besides its arguments: a way to fail, scratch memory, and
// the state that was prepared for the instruction it runs for.
#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {

/// Context of one kernel call. Owns nothing: the pointers it is made from must
/// outlive it. Not thread safe; every running call has its own.
class KernelRuntimeContext {
 public:
  /// @param event_tracer Receives profiling events; may be null.
  /// @param temp_allocator Source of scratch memory; without one
  ///     allocate_temp() fails with NotFound.
  KernelRuntimeContext(EventTracer* event_tracer = nullptr,
                       MemoryAllocator* temp_allocator = nullptr)
      : event_tracer_(event_tracer), temp_allocator_(temp_allocator) {}

  /// Marks the call as failed. Without it the call counts as successful.
  void fail(Error error) { failure_state_ = error; }

  /// The error given to fail(), or Error::Ok.
  ET_NODISCARD Error failure_state() const { return failure_state_; }

  /// Internal: the tracer of the running method, or null.
  EventTracer* internal_event_tracer() { return event_tracer_; }

  /// Internal: what the operator prepared for this instruction when the method
  /// was planned, or null for a call from outside a method.
  const void* internal_prepared_state() const { return prepared_state_; }
  void internal_set_prepared_state(const void* state) {
    prepared_state_ = state;
  }

  /// Scratch memory that lives until the kernel returns.
  ///
  /// @param size Bytes.
  /// @param alignment Of the returned pointer, a power of two.
  /// @retval NotFound The context has no allocator.
  /// @retval MemoryAllocationFailed The allocator has not enough memory.
  Result<void*> allocate_temp(
      size_t size, size_t alignment = MemoryAllocator::kDefaultAlignment) {
    ET_CHECK_OR_RETURN_ERROR(temp_allocator_ != nullptr, NotFound,
                             "the context has no temp allocator");
    void* memory = temp_allocator_->allocate(size, alignment);
    ET_CHECK_OR_RETURN_ERROR(memory != nullptr, MemoryAllocationFailed,
                             "%zu bytes of temp memory are not to be had",
                             size);
    return memory;
  }

 private:
  EventTracer* event_tracer_ = nullptr;
  MemoryAllocator* temp_allocator_ = nullptr;
  const void* prepared_state_ = nullptr;
  Error failure_state_ = Error::Ok;
};

}  // namespace runtime

namespace aten {
using RuntimeContext = ::executorch::runtime::KernelRuntimeContext;
}  // namespace aten
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::KernelRuntimeContext;
using RuntimeContext = ::executorch::runtime::KernelRuntimeContext;
}  // namespace executor
}  // namespace torch
