// What a backend gets with each call of a delegate.
#pragma once

#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/memory_allocator.h>

namespace executorch {
namespace runtime {

/// Context of BackendInterface::execute(). Owns nothing.
class BackendExecutionContext final {
 public:
  BackendExecutionContext(EventTracer* event_tracer = nullptr,
                          MemoryAllocator* temp_allocator = nullptr,
                          const char* method_name = nullptr)
      : event_tracer_(event_tracer),
        temp_allocator_(temp_allocator),
        method_name_(method_name) {}

  /// Receives profiling and debugging events; may be null.
  EventTracer* event_tracer() { return event_tracer_; }

  /// Scratch memory that lives until the call returns; null when there is none
  /// of that size.
  void* allocate(size_t size,
                 size_t alignment = MemoryAllocator::kDefaultAlignment) {
    return temp_allocator_ == nullptr
               ? nullptr
               : temp_allocator_->allocate(size, alignment);
  }

  /// The allocator behind allocate(), reset after each instruction; may be
  /// null.
  MemoryAllocator* get_temp_allocator() { return temp_allocator_; }

  /// The method that runs.
  const char* get_method_name() const { return method_name_; }

 private:
  EventTracer* event_tracer_ = nullptr;
  MemoryAllocator* temp_allocator_ = nullptr;
  const char* method_name_ = nullptr;
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::BackendExecutionContext;
}  // namespace executor
}  // namespace torch
