// One delegate of a program, as a runtime of XNNPACK.
#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

#include <cstdint>
#include <memory>

namespace executorch::xnnpack {

// As the option "workspace_sharing_mode".
enum class WorkspaceSharing {
  kNone = 0,   // each delegate has its own
  kModel = 1,  // delegates that were made from one allocator share it
  kGlobal = 2,
};

struct ExecutorOptions {
  WorkspaceSharing sharing = WorkspaceSharing::kModel;
  bool weight_cache = false;
  bool profile = false;  // whether runs may be given a tracer
};

class Executor {
 public:
  // `payload` need not outlive the call. `model` is the same for the delegates
  // of one model. The threads are those that the shared pool has now.
  ET_EXPORT static runtime::Result<std::unique_ptr<Executor>> create(
      runtime::Span<const uint8_t> payload,
      const runtime::NamedDataMap* named_data, const void* model,
      const ExecutorOptions& options);
  ET_EXPORT ~Executor();

  // `args` are the inputs and then the outputs, which are resized. A tracer
  // gets an event for each operator if the executor was made for it.
  ET_EXPORT runtime::Error execute(runtime::Span<runtime::EValue*> args,
                                   runtime::EventTracer* tracer = nullptr);

  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

 private:
  struct State;
  explicit Executor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace executorch::xnnpack
