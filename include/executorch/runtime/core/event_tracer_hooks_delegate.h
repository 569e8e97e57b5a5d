// Calls to an EventTracer that may be null, for delegates. An event has a name
// or a number: pass null or kUnsetDelegateDebugIntId for the other.
#pragma once

#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/platform/platform.h>

#include <type_traits>

namespace executorch {
namespace runtime {

/// Begin and end of an event.
inline EventTracerEntry event_tracer_start_profiling_delegate(
    EventTracer* event_tracer, const char* name,
    DebugHandle delegate_debug_id) {
  return event_tracer != nullptr
             ? event_tracer->start_profiling_delegate(
                   name, static_cast<DelegateDebugIntId>(delegate_debug_id))
             : EventTracerEntry();
}
inline void event_tracer_end_profiling_delegate(
    EventTracer* event_tracer, EventTracerEntry event_tracer_entry,
    const void* metadata = nullptr, size_t metadata_len = 0) {
  if (event_tracer != nullptr) {
    event_tracer->end_profiling_delegate(event_tracer_entry, metadata,
                                         metadata_len);
  }
}

/// An event that is over; times in ticks of the platform clock or of the
/// delegate's own.
inline void event_tracer_log_profiling_delegate(
    EventTracer* event_tracer, const char* name, DebugHandle delegate_debug_id,
    et_timestamp_t start_time, et_timestamp_t end_time,
    const void* metadata = nullptr, size_t metadata_len = 0) {
  if (event_tracer != nullptr) {
    event_tracer->log_profiling_delegate(
        name, static_cast<DelegateDebugIntId>(delegate_debug_id), start_time,
        end_time, metadata, metadata_len);
  }
}

/// A value inside the delegate: int, bool, double, Tensor or
/// ArrayRef<Tensor>.
template <typename T>
void event_tracer_log_output_delegate(EventTracer* event_tracer,
                                      const char* name,
                                      DebugHandle delegate_debug_id,
                                      const T& output) {
  static_assert(std::is_same<T, int>::value || std::is_same<T, bool>::value ||
                    std::is_same<T, double>::value ||
                    std::is_same<T, aten::Tensor>::value ||
                    std::is_same<T, ArrayRef<aten::Tensor>>::value,
                "such a value cannot be logged");
  if (event_tracer != nullptr) {
    (void)event_tracer->log_intermediate_output_delegate(
        name, static_cast<DelegateDebugIntId>(delegate_debug_id), output);
  }
}

}  // namespace runtime
}  // namespace executorch
