// How a thread pool makes itself the one that parallel_for() runs on. The
// runtime calls it through this table, so it does not link a pool.
#pragma once

#include <executorch/runtime/core/function_ref.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstddef>

namespace executorch::core {

struct ParallelBackend {
  // How many threads the pool has.
  size_t (*thread_count)();
  // Whether run() would use them if this thread called it now: not from inside
  // a run, for example.
  bool (*available)();
  // Calls task(i) for i below `range` and waits for all of them.
  void (*run)(runtime::FunctionRef<void(size_t)> task, size_t range);
};

// `backend` must live as long as the process.
ET_EXPORT void set_parallel_backend(const ParallelBackend* backend);

}  // namespace executorch::core
