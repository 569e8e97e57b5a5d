// What a backend gets when a delegate of a method is loaded.
#pragma once

#include <executorch/runtime/backend/options.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

namespace executorch {
namespace runtime {

/// Context of BackendInterface::init(). Owns nothing.
class BackendInitContext final {
 public:
  explicit BackendInitContext(MemoryAllocator* runtime_allocator,
                              EventTracer* event_tracer = nullptr,
                              const char* method_name = nullptr,
                              const NamedDataMap* named_data_map = nullptr,
                              Span<const BackendOption> runtime_specs = {})
      : runtime_allocator_(runtime_allocator),
        event_tracer_(event_tracer),
        method_name_(method_name),
        named_data_map_(named_data_map),
        runtime_specs_(runtime_specs) {}

  /// Memory that lives as long as the method. Destructors are not run.
  MemoryAllocator* get_runtime_allocator() { return runtime_allocator_; }

  /// Receives profiling and debugging events; may be null.
  EventTracer* event_tracer() { return event_tracer_; }

  /// The method that is being loaded: "forward", or another of the program.
  const char* get_method_name() const { return method_name_; }

  /// The named data of the program and its data files; may be null.
  const NamedDataMap* get_named_data_map() const { return named_data_map_; }

  /// The options that the application gave for this backend when it loaded the
  /// program; may be empty.
  Span<const BackendOption> runtime_specs() const { return runtime_specs_; }

  /// One of those options as a T: bool, int or const char*.
  ///
  /// @retval NotFound There is no such option.
  /// @retval InvalidArgument It is of another type.
  template <typename T>
  Result<T> get_runtime_spec(const char* key) const {
    T value{};
    const Error error = internal::read_option(runtime_specs_, key, value);
    if (error != Error::Ok) {
      return error;
    }
    return value;
  }

 private:
  MemoryAllocator* runtime_allocator_ = nullptr;
  EventTracer* event_tracer_ = nullptr;
  const char* method_name_ = nullptr;
  const NamedDataMap* named_data_map_ = nullptr;
  Span<const BackendOption> runtime_specs_;
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::BackendInitContext;
}  // namespace executor
}  // namespace torch
