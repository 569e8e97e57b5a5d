#include <executorch/extension/threadpool/threadpool.h>
#include <executorch/extension/threadpool/threadpool_guard.h>
#include <executorch/runtime/kernel/thread_parallel_interface.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "src/threadpool/cpu_count.h"
#include "src/threadpool/pool.h"

namespace executorch::extension::threadpool {
namespace {

using runtime::Error;

struct Region {
  std::vector<std::pair<int64_t, int64_t>> chunks;
  std::set<int64_t> numbers;
  std::set<std::thread::id> threads;
};

Region run(int64_t begin, int64_t end, int64_t grain) {
  Region region;
  std::mutex mutex;
  EXPECT_TRUE(parallel_for(begin, end, grain, [&](int64_t b, int64_t e) {
    const std::lock_guard<std::mutex> lock(mutex);
    region.chunks.emplace_back(b, e);
    region.numbers.insert(get_thread_num());
    region.threads.insert(std::this_thread::get_id());
  }));
  std::sort(region.chunks.begin(), region.chunks.end());
  return region;
}

// Whether f() is true in a forked child; false too if it does not return.
template <class F>
bool in_child(F f) {
  const pid_t pid = fork();
  if (pid == 0) {
    alarm(20);
    _exit(f() ? 0 : 1);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class Threads : public ::testing::TestWithParam<size_t> {
 protected:
  void SetUp() override { ASSERT_EQ(set_num_threads(GetParam()), Error::Ok); }
};

TEST_P(Threads, ChunksCoverTheRangeOnce) {
  const auto count = static_cast<int64_t>(GetParam());
  EXPECT_EQ(get_thread_count(), count);
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const struct {
    int64_t begin, end, grain;
  } ranges[] = {{0, 1000, 1},    {0, 1000, 400}, {7, 1001, 13},
                {0, 5, 1000},    {3, 4, 1},      {0, kMax, 1},
                {1, kMax, kMax}, {0, kMax, 7},   {kMax - 5, kMax, 1}};
  for (const auto& r : ranges) {
    const Region region = run(r.begin, r.end, r.grain);
    int64_t next = r.begin;
    for (const auto& [begin, end] : region.chunks) {
      EXPECT_EQ(begin, next);
      EXPECT_TRUE(end - begin >= r.grain || end == r.end);
      next = end;
    }
    EXPECT_EQ(next, r.end);
    EXPECT_LE(static_cast<int64_t>(region.chunks.size()), count);
    EXPECT_EQ(region.numbers.size(), region.chunks.size());
    EXPECT_EQ(*region.numbers.begin(), 0);
    EXPECT_LT(*region.numbers.rbegin(), count);
    EXPECT_EQ(get_thread_num(), 0);
  }
}

TEST_P(Threads, NestedCallsRunInline) {
  std::atomic<int64_t> sum{0};
  std::atomic<int> away{0};
  EXPECT_TRUE(parallel_for(0, 8, 1, [&](int64_t b, int64_t e) {
    const auto me = std::this_thread::get_id();
    const int64_t number = get_thread_num();
    for (int64_t i = b; i < e; ++i) {
      parallel_for(0, 100, 10, [&](int64_t x, int64_t y) {
        sum += y - x;
        away += std::this_thread::get_id() != me;
      });
      get_threadpool()->run(
          [&](size_t) { away += std::this_thread::get_id() != me; }, 5);
      away += get_thread_num() != number || get_pthreadpool() != nullptr;
    }
  }));
  EXPECT_EQ(sum, 800);
  EXPECT_EQ(away, 0);
}

TEST_P(Threads, ConcurrentCallersAllFinish) {
  std::atomic<int64_t> sum{0};
  std::vector<std::thread> callers;
  for (int k = 0; k < 4; ++k) {
    callers.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        std::vector<int64_t> cells(64);
        parallel_for(0, 64, 3, [&](int64_t b, int64_t e) {
          for (int64_t j = b; j < e; ++j) {
            ++cells[j];
          }
        });
        for (const int64_t cell : cells) {
          sum += cell;
        }
      }
    });
  }
  for (auto& caller : callers) {
    caller.join();
  }
  EXPECT_EQ(sum, 4 * 50 * 64);
}

// What a call works on may be gone when it has returned.
TEST_P(Threads, NobodyIsLateForACallThatHasEnded) {
  std::atomic<int> late{0}, missing{0};
  const auto call = [&] {
    for (int i = 0; i < 300; ++i) {
      const auto done = std::make_unique<std::atomic<int64_t>>(0);
      EXPECT_TRUE(parallel_for(0, 40, 1, [&](int64_t begin, int64_t end) {
        late += *done < 0 ? 1 : 0;
        *done += end - begin;
      }));
      missing += *done != 40 ? 1 : 0;
      *done = -1000;
    }
  };
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back(call);
  }
  for (std::thread& caller : callers) {
    caller.join();
  }
  EXPECT_EQ(late, 0);
  EXPECT_EQ(missing, 0);
}

// Neither ThreadSanitizer nor qemu lets a forked child start threads.
#if !defined(ET_TEST_NO_THREADS_AFTER_FORK)
TEST_P(Threads, ForkedChildHasItsOwn) {
  run(0, 100, 1);  // the parent's threads exist
  const size_t count = GetParam();
  const auto works = [=] { return run(0, 100, 1).chunks.size() == count; };
  EXPECT_TRUE(in_child(works));
  EXPECT_TRUE(in_child([&] { return works() && in_child(works); }));
  EXPECT_TRUE(in_child([] {
    return set_num_threads(3) == Error::Ok && run(0, 100, 1).chunks.size() == 3;
  }));
  EXPECT_EQ(run(0, 100, 1).chunks.size(), count);
}
#endif

TEST_P(Threads, GuardKeepsWorkOnTheCaller) {
  const NoThreadPoolGuard guard;
  { const NoThreadPoolGuard nested; }
  EXPECT_TRUE(NoThreadPoolGuard::is_enabled());
  const Region region = run(0, 1000, 1);
  EXPECT_EQ(region.threads, std::set{std::this_thread::get_id()});
  EXPECT_EQ(get_pthreadpool(), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Count, Threads, ::testing::Values(1, 2, 4, 7));

TEST(ThreadPool, OneThreadNeedsNoPool) {
  ASSERT_EQ(set_num_threads(1), Error::Ok);
  EXPECT_EQ(get_pthreadpool(), nullptr);
  ASSERT_EQ(set_num_threads(2), Error::Ok);
  EXPECT_NE(get_pthreadpool(), nullptr);
}

TEST(ThreadPool, RefusesSenselessCounts) {
  ASSERT_EQ(set_num_threads(2), Error::Ok);
  EXPECT_EQ(set_num_threads(0), Error::InvalidArgument);
  EXPECT_EQ(set_num_threads(100000), Error::InvalidArgument);
  EXPECT_EQ(get_thread_count(), 2);
}

TEST(ThreadPool, RefusesBadRanges) {
  int calls = 0;
  const auto count = [&](int64_t, int64_t) { ++calls; };
  EXPECT_FALSE(parallel_for(5, 4, 1, count));
  EXPECT_FALSE(parallel_for(-1, 4, 1, count));
  EXPECT_FALSE(parallel_for(0, 4, 0, count));
  EXPECT_FALSE(internal::parallel_for_no_threadpool(0, 4, -3, count));
  EXPECT_TRUE(parallel_for(5, 5, 1, count));
  EXPECT_EQ(calls, 0);
}

TEST(ThreadPool, DefaultCountIsWhatTheProcessMayUse) {
  EXPECT_EQ(ThreadPool().get_thread_count(), cpu::usable_cpus());
}

TEST(ThreadPool, ApplicationOwnedPoolIsUsed) {
  const int64_t before = get_thread_count();
  {
    ThreadPool own(5);
    set_threadpool(&own);
    EXPECT_EQ(get_threadpool(), &own);
    EXPECT_EQ(get_thread_count(), 5);
    EXPECT_EQ(run(0, 100, 1).chunks.size(), 5u);
    set_threadpool(nullptr);
    EXPECT_EQ(get_thread_count(), before);
    set_threadpool(&own);
  }
  EXPECT_EQ(get_thread_count(), before);  // a pool that died is not kept
}

TEST(ThreadPool, HeldThreadsOutliveANewCount) {
  ASSERT_EQ(set_num_threads(3), Error::Ok);
  const auto held = hold_team();
  ASSERT_EQ(set_num_threads(2), Error::Ok);
  EXPECT_NE(held, hold_team());
  EXPECT_EQ(held.use_count(), 1);
}

TEST(ThreadPool, CountChangesInsideARun) {
  ASSERT_EQ(set_num_threads(4), Error::Ok);
  EXPECT_TRUE(parallel_for(0, 4, 1, [](int64_t b, int64_t) {
    if (b == 0) {
      EXPECT_EQ(set_num_threads(2), Error::Ok);
    }
  }));
  EXPECT_EQ(run(0, 100, 1).chunks.size(), 2u);
}

#if !defined(ET_TEST_NO_THREADS_AFTER_FORK)
// The limit does not bind root, so this says something for other users only.
TEST(ThreadPool, WorksWithFewerThreadsThanAskedFor) {
  EXPECT_TRUE(in_child([] {
    const rlimit none{1, 1};
    setrlimit(RLIMIT_NPROC, &none);
    ThreadPool pool(64);
    std::atomic<int> calls{0};
    pool.run([&](size_t) { ++calls; }, 100);
    return calls == 100;
  }));
}
#endif

}  // namespace
}  // namespace executorch::extension::threadpool
