// The thread pool that kernels and delegates of a process share.
//
// Most programs need one call of it, set_num_threads(), or none. Engines that
// want a pthreadpool get one of as many threads; this header only names it, so
// users need no header of it.
#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/function_ref.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstddef>
#include <cstdint>
#include <memory>

// Named here as pthreadpool.h names it, so that both may be included.
typedef struct pthreadpool* pthreadpool_t;

namespace executorch {
namespace extension {
namespace threadpool {

/// A number of threads that wait for work. Threads start with the first run,
/// not with the constructor, and again in a forked child. Thread safe.
class ET_EXPORT ThreadPool final {
 public:
  /// @param thread_count Threads that work at the same time, the calling one
  ///     included; 1 needs no thread of its own. 0: the default count, which is
  ///     the number of CPUs that this process may use (its affinity mask and
  ///     the CPU limit of its control group).
  explicit ThreadPool(size_t thread_count = 0);

  /// Waits for the threads to end. No run may be in progress.
  ~ThreadPool();

  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ThreadPool(ThreadPool&&) = delete;
  ThreadPool& operator=(ThreadPool&&) = delete;

  /// Threads that work at the same time, the calling one included.
  size_t get_thread_count() const;

  /// Calls `fn(i)` for every i below `range`, spread over the threads, and
  /// returns when all are done. It does not wait for a thread that has not
  /// begun a call. While the threads work for another caller, from inside a
  /// run, or under a NoThreadPoolGuard, all calls happen on the calling thread.
  void run(runtime::FunctionRef<void(size_t)> fn, size_t range);

  /// As set_thread_count(); 0 changes nothing.
  [[deprecated(
      "use executorch::extension::threadpool::set_num_threads()")]] bool
  _unsafe_reset_threadpool(uint32_t num_threads);

  /// Ends the threads; the next run starts new ones.
  [[deprecated("threads of an idle pool sleep and need not be ended")]] void
  _unsafe_destroy_threadpool();

  /// Changes the number of threads. A run in progress ends on the old ones.
  ///
  /// @retval InvalidArgument `count` is 0 or above 4096; nothing changes.
  ET_NODISCARD runtime::Error set_thread_count(size_t count);

 private:
  friend class PoolAccess;
  struct State;
  std::unique_ptr<State> state_;
};

/// The pool that parallel_for() and the delegates use. Never null.
ET_EXPORT ThreadPool* get_threadpool();

/// Makes `pool`, which the application owns, the one that get_threadpool()
/// returns; null brings back the pool of the library. `pool` must outlive its
/// use. Call it while nothing runs.
ET_EXPORT void set_threadpool(ThreadPool* pool);

/// Changes the number of threads of get_threadpool(). May be called at any time
/// at which no method runs.
///
/// @param count 1: all work happens on the calling threads.
/// @retval InvalidArgument `count` is 0 or above 4096; nothing changes.
ET_NODISCARD ET_EXPORT runtime::Error set_num_threads(size_t count);

/// The pthreadpool of get_threadpool(), for libraries that take one. It is
/// valid until the number of threads changes. Null when the work must stay on
/// the calling thread: one thread only, inside a run, under a
/// NoThreadPoolGuard. Its functions are exported by
/// libexecutorch_threadpool.so.
ET_EXPORT pthreadpool_t get_pthreadpool();

}  // namespace threadpool
}  // namespace extension
}  // namespace executorch

namespace torch {
namespace executorch {
namespace threadpool {
using ::executorch::extension::threadpool::get_pthreadpool;
using ::executorch::extension::threadpool::get_threadpool;
using ::executorch::extension::threadpool::ThreadPool;
}  // namespace threadpool
}  // namespace executorch
}  // namespace torch
