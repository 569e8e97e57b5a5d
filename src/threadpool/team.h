// Threads that take pieces of one loop.
//
// Each thread has a share of the pieces, the same one in all loops of a size,
// so that it finds in its caches what it wrote in the loop before. One that has
// done its share takes from those of others.
//
// The thread that calls run() takes pieces as well, until none is left, and
// then waits only for threads that are inside of a piece. One that the system
// has given no CPU in the meantime finds the loop closed: on a busy machine a
// loop takes as long as on one thread, not as long as it takes to wake
// everybody.
#pragma once

#include <executorch/runtime/core/function_ref.h>
#include <executorch/runtime/platform/compiler.h>
#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace executorch::extension::threadpool {

class ET_EXPORT Team {
 public:
  // The thread is 0 for the caller of run(), and up to workers().
  using Task = runtime::FunctionRef<void(size_t thread, size_t i)>;

  // Starts up to `workers` threads, as many as the system allows. With `spin`
  // they wait actively for the next loop for a moment before they sleep.
  Team(size_t workers, bool spin);
  ~Team();  // no run() may be in progress
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  size_t workers() const { return threads_.size(); }

  // Calls task(thread, i), which may not throw, for i below `range`. When the
  // threads work for another caller at the moment, all calls happen on this
  // one.
  void run(Task task, size_t range);

  // Whether this thread is in a task of some run().
  static bool inside();

 private:
  class Open;

  // Pieces [next, end) are left.
  struct alignas(64) Share {
    std::atomic<size_t> next{0};
    size_t end = 0;
  };

  static void* start(void* team);
  void work(size_t thread);
  bool wait_for_loop(uint32_t& seen);
  bool enter(uint32_t& seen);
  void share_out(size_t range);
  void take_pieces(size_t thread);
  void leave();
  void wake(size_t wanted);
  void wait_until_left();

  // The loop, written while the gate is closed and nobody is inside.
  const Task* task_ = nullptr;
  std::vector<Share> shares_;

  // Number of the loop, whether it is open, and how many workers are inside.
  alignas(64) std::atomic<uint64_t> gate_{0};
  std::atomic<size_t> asleep_{0};
  std::atomic<size_t> started_{0};
  std::atomic<bool> stop_{false};

  std::mutex turn_;   // held by the caller whose loop it is
  std::mutex sleep_;  // of both conditions
  std::condition_variable loop_, left_;
  const bool spin_;
  std::vector<pthread_t> threads_;
};

}  // namespace executorch::extension::threadpool
