// A range is cut into chunks, and the installed pool runs them; without a pool
// there is one chunk.
#include "src/core/parallel.h"

#include <executorch/runtime/kernel/thread_parallel_interface.h>
#include <executorch/runtime/platform/log.h>

#include <algorithm>
#include <atomic>
#include <cinttypes>

namespace executorch {
namespace {

std::atomic<const core::ParallelBackend*> g_backend{nullptr};
thread_local int64_t t_thread_num = 0;

// Gives the thread a number while it works on a chunk.
class ThreadNum {
 public:
  explicit ThreadNum(int64_t number) : previous_(t_thread_num) {
    t_thread_num = number;
  }
  ~ThreadNum() { t_thread_num = previous_; }

 private:
  const int64_t previous_;
};

bool valid(int64_t begin, int64_t end, int64_t grain_size) {
  if (begin < 0 || end < begin || grain_size <= 0) {
    ET_LOG(Error,
           "parallel_for: expected 0 <= begin <= end and grain_size > 0, got "
           "begin %" PRId64 ", end %" PRId64 ", grain_size %" PRId64,
           begin, end, grain_size);
    return false;
  }
  return true;
}

// Cuts a valid range and calls f(number, begin, end) for each chunk.
void run_chunks(int64_t begin, int64_t end, int64_t grain_size,
                int64_t chunks_per_thread,
                runtime::FunctionRef<void(int64_t, int64_t, int64_t)> f) {
  const int64_t range = end - begin;
  const core::ParallelBackend* backend =
      g_backend.load(std::memory_order_acquire);
  if (range <= grain_size || backend == nullptr || !backend->available()) {
    if (range > 0) {
      f(0, begin, end);
    }
    return;
  }
  const int64_t most =
      static_cast<int64_t>(backend->thread_count()) * chunks_per_thread;
  const int64_t even = range / most + (range % most != 0);
  const int64_t chunk = std::max(grain_size, even);
  const int64_t chunks = range / chunk + (range % chunk != 0);
  const auto task = [&](size_t index) {
    const auto number = static_cast<int64_t>(index);
    const int64_t offset = number * chunk;
    f(number, begin + offset, begin + offset + std::min(chunk, range - offset));
  };
  backend->run(task, static_cast<size_t>(chunks));
}

}  // namespace

namespace core {

void set_parallel_backend(const ParallelBackend* backend) {
  g_backend.store(backend, std::memory_order_release);
}

void parallel_chunks(int64_t range, int64_t grain_size,
                     runtime::FunctionRef<void(int64_t, int64_t)> f) {
  // One thread has nobody to wait for.
  run_chunks(0, range, grain_size, extension::get_thread_count() == 1 ? 1 : 4,
             [&](int64_t, int64_t begin, int64_t end) { f(begin, end); });
}

}  // namespace core

namespace extension {

bool parallel_for(int64_t begin, int64_t end, int64_t grain_size,
                  runtime::FunctionRef<void(int64_t, int64_t)> f) {
  if (!valid(begin, end, grain_size)) {
    return false;
  }
  run_chunks(begin, end, grain_size, /*chunks_per_thread=*/1,
             [&](int64_t number, int64_t chunk_begin, int64_t chunk_end) {
               const ThreadNum guard(number);
               f(chunk_begin, chunk_end);
             });
  return true;
}

int64_t get_thread_count() {
  const core::ParallelBackend* backend =
      g_backend.load(std::memory_order_acquire);
  return backend == nullptr ? 1 : static_cast<int64_t>(backend->thread_count());
}

int64_t get_thread_num() { return t_thread_num; }

void set_thread_num(int64_t thread_num) { t_thread_num = thread_num; }

namespace internal {

bool parallel_for_no_threadpool(
    int64_t begin, int64_t end, int64_t grain_size,
    runtime::FunctionRef<void(int64_t, int64_t)> f) {
  if (!valid(begin, end, grain_size)) {
    return false;
  }
  if (begin < end) {
    const ThreadNum number(0);
    f(begin, end);
  }
  return true;
}

}  // namespace internal
}  // namespace extension
}  // namespace executorch
