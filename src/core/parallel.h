// How a thread pool makes itself the one that loops run on. The runtime calls
// it through this table, so it does not link a pool.
#pragma once

#include <executorch/runtime/core/function_ref.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstddef>
#include <cstdint>

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

// As extension::parallel_for() from 0 to `range`, for loops that have nothing
// of their own per thread: in several chunks for each thread, so that one that
// is held up does fewer.
ET_EXPORT void parallel_chunks(int64_t range, int64_t grain_size,
                               runtime::FunctionRef<void(int64_t, int64_t)> f);

}  // namespace executorch::core
