// The shared pool. Its threads are started when they are first needed, and
// replaced when their number changes or the process forks: a Team for all of
// this SDK, and those of pthreadpool for an engine of the user's that takes
// one.
#include <executorch/extension/threadpool/threadpool.h>
#include <executorch/extension/threadpool/threadpool_guard.h>
#include <executorch/runtime/platform/log.h>
#include <pthread.h>
#include <pthreadpool.h>

#include <atomic>
#include <mutex>
#include <utility>

#include "src/core/parallel.h"
#include "src/threadpool/cpu_count.h"
#include "src/threadpool/pool.h"
#include "src/threadpool/team.h"

namespace executorch::extension::threadpool {

// Both are null until somebody needs them.
struct Threads {
  std::shared_ptr<Team> team;
  std::shared_ptr<struct ::pthreadpool> pthreads;
};

struct ThreadPool::State {
  size_t count;
  uint64_t fork_generation;
  Threads threads;

  void forget_threads_of_parent();
};

namespace {

constexpr size_t kMaxThreads = 4096;

thread_local bool t_guarded = false;

// Guards every ThreadPool::State. One mutex for all, held only to read or swap
// a pointer or to start threads, so that fork() has one lock to take.
std::mutex g_mutex;
uint64_t g_fork_generation = 0;
std::atomic<ThreadPool*> g_chosen{nullptr};

bool must_stay_on_this_thread() { return t_guarded || Team::inside(); }

void report_missing(size_t wanted, size_t got) {
  if (got < wanted) {
    ET_LOG(Error,
           "thread pool: %zu threads wanted, the system starts only %zu; "
           "working with those",
           wanted, got);
  }
}

// pthreadpool waits forever for a thread that the system refused to start, so
// it is asked for as many as a team could have.
size_t startable_threads(size_t wanted) {
  return Team(wanted - 1, /*spin=*/false).workers() + 1;
}

// After a fork the threads are in the parent only. What is left of them in the
// child is never destroyed: that would wait for threads that do not exist, or
// for locks that they hold.
template <class End>
auto unless_forked(End end) {
  return [end, generation = g_fork_generation](auto* threads) {
    if (generation == g_fork_generation) {
      end(threads);
    }
  };
}

}  // namespace

// What functions outside of the class need of a ThreadPool's inside.
class PoolAccess {
 public:
  // Both are null if there is only the calling thread.
  static std::shared_ptr<Team> team(ThreadPool& pool) {
    return started(pool, &Threads::team, [](size_t& count) {
      const std::shared_ptr<Team> team(
          new Team(count - 1, count <= cpu::usable_cpus()),
          unless_forked([](Team* t) { delete t; }));
      report_missing(count, team->workers() + 1);
      count = team->workers() + 1;
      return team;
    });
  }
  static std::shared_ptr<struct ::pthreadpool> pthreads(ThreadPool& pool) {
    return started(pool, &Threads::pthreads, [](size_t& count) {
      const size_t startable = startable_threads(count);
      report_missing(count, startable);
      count = startable;
      return std::shared_ptr<struct ::pthreadpool>(
          count > 1 ? pthreadpool_create(count) : nullptr,
          unless_forked([](pthreadpool_t p) { pthreadpool_destroy(p); }));
    });
  }

 private:
  template <class T, class Start>
  static T started(ThreadPool& pool, T Threads::*member, Start start) {
    const std::lock_guard<std::mutex> lock(g_mutex);
    ThreadPool::State& state = *pool.state_;
    state.forget_threads_of_parent();
    T& threads = state.threads.*member;
    if (threads == nullptr && state.count > 1) {
      threads = start(state.count);
    }
    return threads;
  }
};

void ThreadPool::State::forget_threads_of_parent() {
  if (fork_generation != g_fork_generation) {
    threads = {};
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
  std::shared_ptr<Team> team;
  if (range > 1 && !must_stay_on_this_thread()) {
    team = PoolAccess::team(*this);
  }
  if (team != nullptr) {
    team->run([fn](size_t, size_t i) { fn(i); }, range);
    return;
  }
  for (size_t i = 0; i < range; ++i) {
    fn(i);
  }
}

runtime::Error ThreadPool::set_thread_count(size_t count) {
  ET_CHECK_OR_RETURN_ERROR(
      count > 0 && count <= kMaxThreads, InvalidArgument,
      "the number of threads must be from 1 to %zu, got %zu", kMaxThreads,
      count);
  Threads old;  // ends outside of the lock
  const std::lock_guard<std::mutex> lock(g_mutex);
  state_->forget_threads_of_parent();
  if (count != state_->count) {
    state_->count = count;
    std::swap(old, state_->threads);
  }
  return runtime::Error::Ok;
}

bool ThreadPool::_unsafe_reset_threadpool(uint32_t num_threads) {
  return num_threads == 0 ||
         set_thread_count(num_threads) == runtime::Error::Ok;
}

void ThreadPool::_unsafe_destroy_threadpool() {
  Threads old;
  const std::lock_guard<std::mutex> lock(g_mutex);
  state_->forget_threads_of_parent();
  std::swap(old, state_->threads);
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

std::shared_ptr<Team> hold_team() {
  return must_stay_on_this_thread() ? nullptr
                                    : PoolAccess::team(*get_threadpool());
}

pthreadpool_t get_pthreadpool() {
  return must_stay_on_this_thread()
             ? nullptr
             : PoolAccess::pthreads(*get_threadpool()).get();
}

bool NoThreadPoolGuard::is_enabled() { return t_guarded; }
void NoThreadPoolGuard::set_enabled(bool enabled) { t_guarded = enabled; }

namespace {

constexpr core::ParallelBackend kBackend = {
    /*thread_count=*/[] { return get_threadpool()->get_thread_count(); },
    /*available=*/[] { return !must_stay_on_this_thread(); },
    /*run=*/
    [](runtime::FunctionRef<void(size_t)> task, size_t range) {
      get_threadpool()->run(task, range);
    },
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
