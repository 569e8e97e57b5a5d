// Calls to an EventTracer that may be null, for the runtime and for kernels.
#pragma once

#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/platform/platform.h>

namespace executorch {
namespace runtime {
namespace internal {

/// Times a piece of a run: from here to the end of the scope.
class EventTracerProfileOpScope final {
 public:
  EventTracerProfileOpScope(EventTracer* event_tracer, const char* name)
      : tracer_(event_tracer != nullptr &&
                        event_tracer->event_tracer_profiling_level() >
                            EventTracerProfilingLevel::kProfileMethodOnly
                    ? event_tracer
                    : nullptr) {
    if (tracer_ != nullptr) {
      entry_ = tracer_->start_profiling(name);
    }
  }
  ~EventTracerProfileOpScope() {
    if (tracer_ != nullptr) {
      tracer_->end_profiling(entry_);
    }
  }
  EventTracerProfileOpScope(const EventTracerProfileOpScope&) = delete;
  EventTracerProfileOpScope& operator=(const EventTracerProfileOpScope&) =
      delete;

 private:
  EventTracer* tracer_;
  EventTracerEntry entry_{};
};

using EventTracerProfileScope = EventTracerProfileOpScope;

/// The same for a whole method: timed at every profiling level.
class EventTracerProfileMethodScope final {
 public:
  EventTracerProfileMethodScope(EventTracer* event_tracer, const char* name)
      : tracer_(event_tracer) {
    if (tracer_ != nullptr) {
      entry_ = tracer_->start_profiling(name);
    }
  }
  ~EventTracerProfileMethodScope() {
    if (tracer_ != nullptr) {
      tracer_->end_profiling(entry_);
    }
  }
  EventTracerProfileMethodScope(const EventTracerProfileMethodScope&) = delete;
  EventTracerProfileMethodScope& operator=(
      const EventTracerProfileMethodScope&) = delete;

 private:
  EventTracer* tracer_;
  EventTracerEntry entry_{};
};

/// Events inside the scope belong to this instruction.
class EventTracerProfileInstructionScope final {
 public:
  EventTracerProfileInstructionScope(EventTracer* event_tracer,
                                     ChainID chain_idx,
                                     DebugHandle debug_handle)
      : tracer_(event_tracer) {
    if (tracer_ != nullptr) {
      tracer_->set_chain_debug_handle(chain_idx, debug_handle);
    }
  }
  ~EventTracerProfileInstructionScope() {
    if (tracer_ != nullptr) {
      tracer_->set_chain_debug_handle(kUnsetChainId, kUnsetDebugHandle);
    }
  }
  EventTracerProfileInstructionScope(
      const EventTracerProfileInstructionScope&) = delete;
  EventTracerProfileInstructionScope& operator=(
      const EventTracerProfileInstructionScope&) = delete;

 private:
  EventTracer* tracer_;
};

/// Whether tracing is compiled in: it is.
inline bool event_tracer_enabled() { return true; }

inline void event_tracer_create_event_block(EventTracer* event_tracer,
                                            char const* name) {
  if (event_tracer != nullptr) {
    event_tracer->create_event_block(name);
  }
}

/// Begin and end of an event by hand.
inline EventTracerEntry event_tracer_begin_profiling_event(
    EventTracer* event_tracer, char const* name) {
  return event_tracer != nullptr ? event_tracer->start_profiling(name)
                                 : EventTracerEntry();
}
inline void event_tracer_end_profiling_event(EventTracer* event_tracer,
                                             EventTracerEntry event) {
  if (event_tracer != nullptr) {
    event_tracer->end_profiling(event);
  }
}

inline AllocatorID event_tracer_track_allocator(EventTracer* event_tracer,
                                                const char* name) {
  return event_tracer != nullptr ? event_tracer->track_allocator(name) : 0;
}
inline void event_tracer_track_allocation(EventTracer* event_tracer,
                                          AllocatorID id, size_t size) {
  if (event_tracer != nullptr) {
    event_tracer->track_allocation(id, size);
  }
}

/// Logs the result of an instruction, or of the method, if the level asks for
/// it.
inline void event_tracer_log_evalue(EventTracer* event_tracer,
                                    const EValue& evalue) {
  if (event_tracer != nullptr &&
      event_tracer->event_tracer_debug_level() >=
          EventTracerDebugLogLevel::kIntermediateOutputs) {
    (void)event_tracer->log_evalue(evalue,
                                   LoggedEValueType::kIntermediateOutput);
  }
}
inline void event_tracer_log_evalue_output(EventTracer* event_tracer,
                                           const EValue& evalue) {
  if (event_tracer != nullptr &&
      event_tracer->event_tracer_debug_level() >=
          EventTracerDebugLogLevel::kProgramOutputs) {
    (void)event_tracer->log_evalue(evalue, LoggedEValueType::kProgramOutput);
  }
}

inline void event_tracer_set_bundled_input_index(EventTracer* event_tracer,
                                                 int bundled_input_index) {
  if (event_tracer != nullptr) {
    event_tracer->set_bundled_input_index(bundled_input_index);
  }
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
