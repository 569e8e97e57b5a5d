// Keeps the work of one thread on that thread.
#pragma once

#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace extension {
namespace threadpool {

/// While a guard lives, what its thread starts uses no thread pool:
/// parallel_for() runs on the calling thread and get_pthreadpool() is null.
/// Guards nest; other threads are not affected.
class ET_EXPORT NoThreadPoolGuard {
 public:
  /// Whether this thread is kept from using the pool.
  static bool is_enabled();
  static void set_enabled(bool enabled);

  NoThreadPoolGuard() : previous_(is_enabled()) { set_enabled(true); }
  ~NoThreadPoolGuard() { set_enabled(previous_); }
  NoThreadPoolGuard(const NoThreadPoolGuard&) = delete;
  NoThreadPoolGuard& operator=(const NoThreadPoolGuard&) = delete;

 private:
  const bool previous_;
};

}  // namespace threadpool
}  // namespace extension
}  // namespace executorch

namespace torch {
namespace executorch {
namespace threadpool {
using ::executorch::extension::threadpool::NoThreadPoolGuard;
}  // namespace threadpool
}  // namespace executorch
}  // namespace torch
