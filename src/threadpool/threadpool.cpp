// The shared pool: threads of pthreadpool, started when they are first needed
// and replaced when their number changes or the process forks.
#include <executorch/extension/threadpool/threadpool.h>
#include <executorch/extension/threadpool/threadpool_guard.h>
#include <executorch/runtime/platform/log.h>
#include <pthread.h>
#include <pthreadpool.h>

#include <atomic>
#include <mutex>
#include <vector>

#include "src/core/parallel.h"
#include "src/threadpool/cpu_count.h"
#include "src/threadpool/pool.h"

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace executorch::extension::threadpool {

struct ThreadPool::State {
  size_t count;
  uint64_t fork_generation;
  std::shared_ptr<struct ::pthreadpool> threads;  // null until they are needed

  // After a fork the threads are in the parent only. What is left of them here
  // is kept as it is: a thread that does not exist may hold their locks.
  void forget_threads_of_parent();
};

namespace {

constexpr size_t kMaxThreads = 4096;

thread_local bool t_guarded = false;
thread_local bool t_inside_run = false;

// Guards every ThreadPool::State. One mutex for all, held only to read or swap
// a pointer or to start threads, so that fork() has one lock to take.
std::mutex g_mutex;
uint64_t g_fork_generation = 0;
std::atomic<ThreadPool*> g_chosen{nullptr};

bool must_stay_on_this_thread() { return t_guarded || t_inside_run; }

// pthreadpool waits forever for a thread that the system refused to start, so
// it is asked for as many as can be had.
size_t startable_threads(size_t wanted) {
  std::mutex gate;
  std::vector<pthread_t> threads;
  threads.reserve(wanted);
  const auto pass_gate = [](void* argument) -> void* {
    const std::lock_guard<std::mutex> lock(*static_cast<std::mutex*>(argument));
    return nullptr;
  };
  gate.lock();
  pthread_t thread;
  while (threads.size() + 1 < wanted &&
         pthread_create(&thread, nullptr, pass_gate, &gate) == 0) {
    threads.push_back(thread);
  }
  gate.unlock();
  for (const pthread_t started : threads) {
    pthread_join(started, nullptr);
  }
  if (threads.size() + 1 < wanted) {
    ET_LOG(Error,
           "thread pool: %zu threads wanted, the system starts only %zu; "
           "working with those",
           wanted, threads.size() + 1);
  }
  return threads.size() + 1;
}

// ThreadSanitizer does not see the synchronization inside pthreadpool.
void before_use(const void* shared) {
#if defined(__SANITIZE_THREAD__)
  __tsan_acquire(const_cast<void*>(shared));
#else
  (void)shared;
#endif
}
void after_use(const void* shared) {
#if defined(__SANITIZE_THREAD__)
  __tsan_release(const_cast<void*>(shared));
#else
  (void)shared;
#endif
}

using Task = runtime::FunctionRef<void(size_t)>;

void run_task(void* argument, size_t index) {
  auto* task = static_cast<Task*>(argument);
  before_use(task);
  const bool was_inside = t_inside_run;
  t_inside_run = true;
  (*task)(index);
  t_inside_run = was_inside;
  after_use(task);
}

}  // namespace

// What functions outside of the class need of a ThreadPool's inside.
class PoolAccess {
 public:
  // The running threads, or null if there is only the calling one.
  static std::shared_ptr<struct ::pthreadpool> threads(ThreadPool& pool) {
    const std::lock_guard<std::mutex> lock(g_mutex);
    ThreadPool::State& state = *pool.state_;
    state.forget_threads_of_parent();
    if (state.threads == nullptr && state.count > 1) {
      state.count = startable_threads(state.count);
      if (state.count > 1) {
        state.threads.reset(pthreadpool_create(state.count),
                            [](pthreadpool_t p) { pthreadpool_destroy(p); });
      }
    }
    return state.threads;
  }
};

void ThreadPool::State::forget_threads_of_parent() {
  static auto* const kept = new std::vector<decltype(threads)>;
  if (fork_generation != g_fork_generation) {
    kept->push_back(std::move(threads));
    threads = nullptr;
    fork_generation = g_fork_generation;
  }
}

ThreadPool::ThreadPool(size_t thread_count) : state_(new State) {
  const size_t count = thread_count == 0 ? cpu::usable_cpus() : thread_count;
  const std::lock_guard<std::mutex> lock(g_mutex);
  state_->count = count < kMaxThreads ? count : kMaxThreads;
  state_->fork_generation = g_fork_generation;
}

ThreadPool::~ThreadPool() {
  ThreadPool* self = this;
  g_chosen.compare_exchange_strong(self, nullptr);
  const std::lock_guard<std::mutex> lock(g_mutex);
  state_->forget_threads_of_parent();
}

size_t ThreadPool::get_thread_count() const {
  const std::lock_guard<std::mutex> lock(g_mutex);
  return state_->count;
}

void ThreadPool::run(runtime::FunctionRef<void(size_t)> fn, size_t range) {
  std::shared_ptr<struct ::pthreadpool> threads;
  if (range > 1 && !must_stay_on_this_thread()) {
    threads = PoolAccess::threads(*this);
  }
  if (threads == nullptr) {
    for (size_t i = 0; i < range; ++i) {
      fn(i);
    }
    return;
  }
  after_use(&fn);
  pthreadpool_parallelize_1d(threads.get(), run_task, &fn, range, /*flags=*/0);
  before_use(&fn);
}

runtime::Error ThreadPool::set_thread_count(size_t count) {
  ET_CHECK_OR_RETURN_ERROR(
      count > 0 && count <= kMaxThreads, InvalidArgument,
      "the number of threads must be from 1 to %zu, got %zu", kMaxThreads,
      count);
  std::shared_ptr<struct ::pthreadpool> old;  // ends outside of the lock
  const std::lock_guard<std::mutex> lock(g_mutex);
  state_->forget_threads_of_parent();
  if (count != state_->count) {
    state_->count = count;
    old.swap(state_->threads);
  }
  return runtime::Error::Ok;
}

bool ThreadPool::_unsafe_reset_threadpool(uint32_t num_threads) {
  return num_threads == 0 ||
         set_thread_count(num_threads) == runtime::Error::Ok;
}

void ThreadPool::_unsafe_destroy_threadpool() {
  std::shared_ptr<struct ::pthreadpool> old;
  const std::lock_guard<std::mutex> lock(g_mutex);
  state_->forget_threads_of_parent();
  old.swap(state_->threads);
}

ThreadPool* get_threadpool() {
  // Never destroyed: its threads may be at work while the process exits.
  static ThreadPool* const own = new ThreadPool;
  ThreadPool* chosen = g_chosen.load(std::memory_order_acquire);
  return chosen != nullptr ? chosen : own;
}

void set_threadpool(ThreadPool* pool) {
  g_chosen.store(pool, std::memory_order_release);
}

runtime::Error set_num_threads(size_t count) {
  return get_threadpool()->set_thread_count(count);
}

std::shared_ptr<struct ::pthreadpool> hold_pthreadpool() {
  return must_stay_on_this_thread() ? nullptr
                                    : PoolAccess::threads(*get_threadpool());
}

pthreadpool_t get_pthreadpool() { return hold_pthreadpool().get(); }

bool NoThreadPoolGuard::is_enabled() { return t_guarded; }
void NoThreadPoolGuard::set_enabled(bool enabled) { t_guarded = enabled; }

namespace {

constexpr core::ParallelBackend kBackend = {
    /*thread_count=*/[] { return get_threadpool()->get_thread_count(); },
    /*available=*/[] { return !must_stay_on_this_thread(); },
    /*run=*/
    [](Task task, size_t range) { get_threadpool()->run(task, range); },
};

// Loading this library makes its pool the one of the process.
const bool g_installed = [] {
  pthread_atfork(/*prepare=*/[] { g_mutex.lock(); },
                 /*parent=*/[] { g_mutex.unlock(); },
                 /*child=*/
                 [] {
                   ++g_fork_generation;
                   g_mutex.unlock();
                 });
  core::set_parallel_backend(&kBackend);
  return true;
}();

}  // namespace
}  // namespace executorch::extension::threadpool
