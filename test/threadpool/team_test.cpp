#include "src/threadpool/team.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace executorch::extension::threadpool {
namespace {

using std::chrono::milliseconds;

// Workers, and whether they wait actively.
class Teams : public ::testing::TestWithParam<std::tuple<size_t, bool>> {
 protected:
  Team team{std::get<0>(GetParam()), std::get<1>(GetParam())};
  const size_t workers = std::get<0>(GetParam());
};

TEST_P(Teams, CallEveryTaskOnceAndNoThreadTwiceAtATime) {
  ASSERT_EQ(team.workers(), workers);
  std::vector<std::atomic<bool>> busy(workers + 1);
  std::atomic<int> shared{0};
  for (const size_t range : {1, 2, 7, 1000}) {
    std::vector<int> calls(range);
    team.run(
        [&](size_t thread, size_t i) {
          ASSERT_LT(thread, busy.size());
          shared += busy[thread].exchange(true) ? 1 : 0;
          ++calls[i];
          busy[thread] = false;
        },
        range);
    EXPECT_EQ(calls, std::vector<int>(range, 1));
  }
  EXPECT_EQ(shared, 0);
  EXPECT_FALSE(Team::inside());
}

// Each task waits until all have begun, so one thread alone does not get on,
// and nobody takes from the share of another.
TEST_P(Teams, WorkTogetherAlsoAfterAPauseAndHaveTheSameSharesAgain) {
  for (const int pause : {0, 0, 5}) {
    std::this_thread::sleep_for(milliseconds(pause));
    std::atomic<size_t> begun{0};
    team.run(
        [&](size_t thread, size_t i) {
          EXPECT_EQ(thread, i);
          EXPECT_TRUE(Team::inside());
          const auto end =
              std::chrono::steady_clock::now() + std::chrono::seconds(20);
          for (++begun; begun <= workers;) {
            ASSERT_LT(std::chrono::steady_clock::now(), end);
            std::this_thread::yield();
          }
        },
        workers + 1);
  }
}

TEST_P(Teams, LeaveASecondCallerAlone) {
  std::atomic<bool> inside{false}, finish{false};
  std::thread first([&] {
    team.run(
        [&](size_t, size_t) {
          inside = true;
          while (!finish) {
            std::this_thread::yield();
          }
        },
        1);
  });
  while (!inside) {
    std::this_thread::yield();
  }
  int calls = 0;
  team.run(
      [&](size_t thread, size_t) {
        EXPECT_EQ(thread, 0u);
        ++calls;  // on this thread only
      },
      5);
  EXPECT_EQ(calls, 5);
  finish = true;
  first.join();
}

sem_t g_held, g_may_go;

// When other processes have the processors, a worker does not get to run. It is
// held in a signal handler here, where it waits for a loop.
TEST(Team, DoesNotWaitForAWorkerThatDoesNotRun) {
  Team team(1, /*spin=*/false);
  std::atomic<size_t> begun{0};
  std::atomic<pthread_t> worker{};
  team.run(
      [&](size_t thread, size_t) {
        if (thread == 1) {
          worker = pthread_self();
        }
        for (++begun; begun < 2;) {
          std::this_thread::yield();
        }
      },
      2);
  std::this_thread::sleep_for(milliseconds(20));  // it sleeps
  sem_init(&g_held, 0, 0);
  sem_init(&g_may_go, 0, 0);
  signal(SIGUSR1, [](int) {
    sem_post(&g_held);
    sem_wait(&g_may_go);
  });
  ASSERT_EQ(pthread_kill(worker, SIGUSR1), 0);
  sem_wait(&g_held);
  size_t calls = 0;
  team.run([&](size_t thread, size_t) { calls += thread == 0 ? 1 : 0; }, 8);
  EXPECT_EQ(calls, 8u);
  sem_post(&g_may_go);
}

INSTANTIATE_TEST_SUITE_P(All, Teams,
                         ::testing::Combine(::testing::Values(0, 1, 3),
                                            ::testing::Bool()));

}  // namespace
}  // namespace executorch::extension::threadpool
