// Sets the number of threads of the shared pool, also of an SDK that has no
// header for it but exports the functions.
#pragma once

#if __has_include(<executorch/extension/threadpool/threadpool.h>)
#include <executorch/extension/threadpool/threadpool.h>
#else
#include <cstdint>
namespace executorch::extension::threadpool {
class ThreadPool final {
 public:
  size_t get_thread_count() const;
  bool _unsafe_reset_threadpool(uint32_t new_thread_count);
};
ThreadPool* get_threadpool();
inline void set_num_threads(size_t count) {
  get_threadpool()->_unsafe_reset_threadpool(static_cast<uint32_t>(count));
}
}  // namespace executorch::extension::threadpool
#endif

namespace executorch::tools {

// Returns how many threads will work.
inline size_t use_threads(size_t count) {
  (void)extension::threadpool::set_num_threads(count);
  const auto* pool = extension::threadpool::get_threadpool();
  return pool == nullptr ? 1 : pool->get_thread_count();
}

}  // namespace executorch::tools
