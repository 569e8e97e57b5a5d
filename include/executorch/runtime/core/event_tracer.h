// The interface through which a run reports what it does and how long it takes.
#pragma once

#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/types.h>

#include <cstddef>
#include <cstdint>

/// Tracing is always compiled in; it costs one comparison without a tracer.
#ifndef ET_EVENT_TRACER_ENABLED
#define ET_EVENT_TRACER_ENABLED 1
#endif

namespace executorch {
namespace runtime {

using AllocatorID = uint32_t;
/// Which chain of instructions of the method.
using ChainID = int32_t;
/// Which node of the exported graph; for an instruction, its number.
using DebugHandle = uint32_t;
/// Which part of a delegate.
using DelegateDebugIntId = int32_t;

constexpr ChainID kUnsetChainId = -1;
constexpr DebugHandle kUnsetDebugHandle = 0;
constexpr DelegateDebugIntId kUnsetDelegateDebugIntId = -1;
constexpr int kUnsetBundledInputIndex = -1;

/// How a delegate names its events.
enum class DelegateDebugIdType {
  kNone,  ///< not an event of a delegate
  kInt,   ///< by a DelegateDebugIntId
  kStr,   ///< by a string
};

/// Which value is logged.
enum class LoggedEValueType {
  kIntermediateOutput = 0,
  kProgramOutput = 1,
};

/// Which values are to be logged; each level adds to the one before.
enum class EventTracerDebugLogLevel {
  kNoLogging,
  kProgramOutputs,
  kIntermediateOutputs,
};

/// Which events are to be timed.
enum class EventTracerProfilingLevel {
  kProfileMethodOnly,
  kProfileAllEvents,
};

/// Chooses the intermediate outputs of delegates that are logged.
class EventTracerFilterBase {
 public:
  virtual ~EventTracerFilterBase() = default;

  /// True: log it. The event has a name (else null) or a number (else
  /// kUnsetDelegateDebugIntId).
  virtual Result<bool> filter(const char* name,
                              DelegateDebugIntId delegate_debug_index) = 0;
};

/// What a start_ function returns and the matching end_ function takes.
struct EventTracerEntry {
  int64_t event_id;
  ChainID chain_id;
  DebugHandle debug_handle;
  et_timestamp_t start_time;
  DelegateDebugIdType delegate_event_id_type;
};

/// Implemented by those who record events, such as etdump::ETDumpGen. Strings
/// and metadata passed in are valid during the call only. A tracer serves one
/// running method at a time; delegates may call it from their threads only if
/// it says so.
///
/// The log_ functions return true if the value was logged, false if a filter
/// left it out.
class EventTracer {
 public:
  virtual ~EventTracer() = default;

  /// A new group of events, such as one run of a method.
  virtual void create_event_block(const char* name) = 0;

  /// Times an event. Chain and handle that are unset mean the current ones.
  virtual EventTracerEntry start_profiling(
      const char* name, ChainID chain_id = kUnsetChainId,
      DebugHandle debug_handle = kUnsetDebugHandle) = 0;
  virtual void end_profiling(EventTracerEntry prof_entry) = 0;

  /// Times an event inside a delegate, which has a name or a number, see
  /// EventTracerFilterBase.
  virtual EventTracerEntry start_profiling_delegate(
      const char* name, DelegateDebugIntId delegate_debug_index) = 0;
  virtual void end_profiling_delegate(EventTracerEntry event_tracer_entry,
                                      const void* metadata = nullptr,
                                      size_t metadata_len = 0) = 0;

  /// The same for an event that is over, with the delegate's own times.
  virtual void log_profiling_delegate(const char* name,
                                      DelegateDebugIntId delegate_debug_index,
                                      et_timestamp_t start_time,
                                      et_timestamp_t end_time,
                                      const void* metadata = nullptr,
                                      size_t metadata_len = 0) = 0;

  /// Names an allocator, and notes bytes taken from it.
  virtual AllocatorID track_allocator(const char* name) = 0;
  virtual void track_allocation(AllocatorID id, size_t size) = 0;

  virtual Result<bool> log_evalue(const EValue& evalue,
                                  LoggedEValueType evalue_type) = 0;

  /// A value inside a delegate.
  virtual Result<bool> log_intermediate_output_delegate(
      const char* name, DelegateDebugIntId delegate_debug_index,
      const aten::Tensor& output) = 0;
  virtual Result<bool> log_intermediate_output_delegate(
      const char* name, DelegateDebugIntId delegate_debug_index,
      const ArrayRef<aten::Tensor> output) = 0;
  virtual Result<bool> log_intermediate_output_delegate(
      const char* name, DelegateDebugIntId delegate_debug_index,
      const int& output) = 0;
  virtual Result<bool> log_intermediate_output_delegate(
      const char* name, DelegateDebugIntId delegate_debug_index,
      const bool& output) = 0;
  virtual Result<bool> log_intermediate_output_delegate(
      const char* name, DelegateDebugIntId delegate_debug_index,
      const double& output) = 0;

  /// Null: log all of them. The filter has to outlive its use.
  virtual void set_delegation_intermediate_output_filter(
      EventTracerFilterBase* event_tracer_filter) = 0;

  /// The instruction that runs now.
  void set_chain_debug_handle(ChainID chain_id, DebugHandle debug_handle) {
    chain_id_ = chain_id;
    debug_handle_ = debug_handle;
  }
  ChainID current_chain_id() { return chain_id_; }
  DebugHandle current_debug_handle() { return debug_handle_; }

  /// Which inputs of a bundled program the events belong to.
  void set_bundled_input_index(int bundled_input_index) {
    bundled_input_index_ = bundled_input_index;
  }
  int bundled_input_index() { return bundled_input_index_; }

  void set_event_tracer_debug_level(EventTracerDebugLogLevel level) {
    event_tracer_debug_level_ = level;
  }
  EventTracerDebugLogLevel event_tracer_debug_level() {
    return event_tracer_debug_level_;
  }

  void set_event_tracer_profiling_level(EventTracerProfilingLevel level) {
    event_tracer_profiling_level_ = level;
  }
  EventTracerProfilingLevel event_tracer_profiling_level() {
    return event_tracer_profiling_level_;
  }

  bool intermediate_outputs_logging_status() {
    return log_intermediate_tensors_;
  }

 protected:
  ChainID chain_id_ = kUnsetChainId;
  DebugHandle debug_handle_ = kUnsetDebugHandle;
  bool event_tracer_enable_debugging_ = false;
  bool log_intermediate_tensors_ = false;
  int bundled_input_index_ = kUnsetBundledInputIndex;
  EventTracerDebugLogLevel event_tracer_debug_level_ =
      EventTracerDebugLogLevel::kNoLogging;
  EventTracerProfilingLevel event_tracer_profiling_level_ =
      EventTracerProfilingLevel::kProfileAllEvents;
};

}  // namespace runtime
}  // namespace executorch
