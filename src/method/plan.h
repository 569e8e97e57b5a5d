// A method in memory: its values, its instructions, and what they refer to.
//
// A plan is built once (build_plan() and the files of its steps) and then run
// many times (run.cpp). All arrays are from the method allocator.
//
//   values.cpp     values, from the program
//   memory.cpp     where the bytes of tensors are
//   delegates.cpp  delegates, started
//   code.cpp       instructions, with their operators resolved
//   flow.cpp       which values may change, which bytes are constant
//   fold.cpp       what depends on constants alone, computed
//   prepare.cpp    state that operators make once
//   followers.cpp  calls that others take over
//   views.cpp      copies that need not be made; blocks.cpp: of which memory
//   inputs.cpp     inputs; binding.cpp: which may be read in place
#pragma once

#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/executor/memory_manager.h>
#include <executorch/runtime/executor/merged_data_map.h>
#include <executorch/runtime/executor/platform_memory_allocator.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "src/platform/log_context.h"
#include "src/program/program_data.h"
#include "src/registry/register_op.h"

namespace executorch::method {

namespace fb = ::executorch_flatbuffer;
using format::tensor_nbytes;
using runtime::EValue;
using runtime::Span;

struct Delegate {
  const runtime::BackendInterface* backend = nullptr;
  runtime::DelegateHandle* handle = nullptr;
  std::optional<runtime::FreeableBuffer> data;
  bool started = false;
};

// Memory that the method owns besides that of its allocator.
struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, FreeMemory>;

// What the run loop reads for each instruction.
struct Instruction {
  enum class Kind : uint8_t {
    kKernel,
    kDelegate,
    kMove,       // args: from, to
    kJumpFalse,  // args: condition
    kNothing,
  };
  Kind kind = Kind::kNothing;
  // A tensor among the arguments gets its memory while the method runs, so that
  // it has to be looked at before the call.
  bool check_memory = false;
  bool makes_view = false;  // gives memory to its last argument
  uint32_t num_args = 0;
  uint32_t first_result = 0;  // arguments from here on are results
  union {
    runtime::OpFunction kernel = nullptr;
    Delegate* delegate;
    size_t target;
  };
  EValue** args = nullptr;
  const void* state = nullptr;

  Span<EValue*> arguments() const { return {args, num_args}; }
};

struct Input {
  size_t value = 0;
  const fb::EValue* stored = nullptr;  // as the program describes it
  aten::TensorImpl* tensor = nullptr;  // null unless it is a tensor
  void* planned_data = nullptr;        // null: the caller's memory is used
  Memory own;  // where planned memory is missing, or does not outlast a run
  bool is_set = false;          // always true for anything but tensors
  bool may_bind = false;        // see binding.cpp
  bool is_returned = false;     // may be an output, which outlasts a run
  bool is_overwritten = false;  // the planned memory is used again in a run
  bool ends_with_run = false;   // refers to memory that is lent for one run
};

struct Output {
  size_t value = 0;
  // Bytes of memory that the caller has to give; 0 if there is nothing to give.
  size_t wanted_bytes = 0;
};

// Data from outside of the program.
using ExternalData = std::optional<runtime::FreeableBuffer>;

enum class Progress : uint8_t { kIdle, kRunning };

struct Plan {
  Plan(const program::ProgramData& program, const fb::ExecutionPlan& tables,
       runtime::MemoryManager& memory, runtime::EventTracer* tracer);
  ~Plan();

  const char* name() const { return tables.name()->c_str(); }
  bool at_end() const { return pc == code.size(); }
  // Who looks at intermediate values wants to see all of them.
  bool is_watched() const {
    return tracer != nullptr &&
           tracer->event_tracer_debug_level() >=
               runtime::EventTracerDebugLogLevel::kIntermediateOutputs;
  }
  size_t index_of(const EValue* value) const {
    return static_cast<size_t>(value - values.data());
  }

  const program::ProgramData& program;
  const fb::ExecutionPlan& tables;
  runtime::MemoryManager& memory;
  runtime::EventTracer* tracer;
  // For callers that give no temp allocator.
  runtime::internal::PlatformMemoryAllocator own_temp;
  runtime::MemoryAllocator* temp;
  std::optional<runtime::internal::MergedDataMap> merged_data;

  Span<EValue> values;
  // By value: the tensor that was made for it, or null. A value may get another
  // tensor by a move.
  Span<aten::TensorImpl*> tensors;
  Span<Input> inputs;
  Span<Output> outputs;
  Span<ExternalData> external;
  Span<Memory> variables;  // that the program keeps out of planned memory
  Span<Delegate> delegates;
  Span<Instruction> code;  // of all chains
  // By instruction: the one that does its work. That is another one where it
  // was taken over, or kAtLoad.
  static constexpr uint32_t kAtLoad = UINT32_MAX;
  Span<uint32_t> done_by;
  Span<size_t> chain_starts;                 // in `code`
  Span<std::shared_ptr<const void>> folded;  // constants computed at load
  Span<registry::PreparedState> states;      // by instruction
  Span<aten::TensorImpl*> late;   // have no memory before the method runs
  Span<std::string> trace_names;  // by operator, for the tracer

  size_t pc = 0;
  Progress progress = Progress::kIdle;
};

// Puts "method forward: " before the error lines of a scope.
class PlanLog final : public platform::LogContext {
 public:
  explicit PlanLog(const Plan& plan) : LogContext(&describe, &plan) {}
  static void describe(const void* plan, char* text, size_t size);
};

// A place in the program, for messages.
struct CodePlace {
  size_t chain;
  size_t index;
  const fb::Instruction* instruction;
};
CodePlace find_place(const Plan& plan, size_t pc);

// "aten::add.out"
std::string operator_name(const fb::Operator& op);

inline uint64_t planned_offset(const fb::AllocationDetails& place) {
  return static_cast<uint64_t>(place.memory_offset_high()) << 32 |
         place.memory_offset_low();
}

inline bool is_planned(const fb::Tensor& tensor) {
  return tensor.allocation_info() != nullptr;
}

// Whether the bytes of the tensor are from a file and never change.
inline bool is_constant_data(const fb::Tensor& tensor) {
  const auto* info = tensor.extra_tensor_info();
  return !is_planned(tensor) &&
         (tensor.data_buffer_idx() != 0 ||
          (info != nullptr &&
           info->location() == fb::TensorDataLocation::EXTERNAL));
}

}  // namespace executorch::method
