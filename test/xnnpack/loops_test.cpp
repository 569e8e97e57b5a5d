// Every function that XNNPACK calls: its tasks cover all cells once, each on a
// thread that exists, with and without a pool.
#include "src/xnnpack/loops.h"

#include <cpuinfo.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// Name, dimensions, tiled ones, and whether a task is told the kind of its core
// and its thread.
#define LOOPS(ROW)                                         \
  ROW(1d, 1, 0, false, false)                              \
  ROW(1d_with_thread, 1, 0, false, true)                   \
  ROW(1d_tile_1d, 1, 1, false, false)                      \
  ROW(2d, 2, 0, false, false)                              \
  ROW(2d_with_thread, 2, 0, false, true)                   \
  ROW(2d_tile_1d, 2, 1, false, false)                      \
  ROW(2d_tile_2d, 2, 2, false, false)                      \
  ROW(3d, 3, 0, false, false)                              \
  ROW(3d_tile_1d, 3, 1, false, false)                      \
  ROW(3d_tile_1d_with_thread, 3, 1, false, true)           \
  ROW(3d_tile_2d, 3, 2, false, false)                      \
  ROW(4d, 4, 0, false, false)                              \
  ROW(4d_tile_2d, 4, 2, false, false)                      \
  ROW(5d, 5, 0, false, false)                              \
  ROW(5d_tile_2d, 5, 2, false, false)                      \
  ROW(6d_tile_2d, 6, 2, false, false)                      \
  ROW(2d_tile_1d_with_uarch, 2, 1, true, false)            \
  ROW(2d_tile_2d_with_uarch, 2, 2, true, false)            \
  ROW(3d_tile_1d_with_uarch, 3, 1, true, false)            \
  ROW(3d_tile_1d_with_uarch_with_thread, 3, 1, true, true) \
  ROW(3d_tile_2d_with_uarch, 3, 2, true, false)            \
  ROW(4d_tile_2d_with_uarch, 4, 2, true, false)

template <size_t>
using Size = size_t;

template <bool kUarch, bool kThread, class Sizes>
struct Loop;
template <size_t... I>
struct Loop<false, false, std::index_sequence<I...>> {
  using Task = void (*)(void*, Size<I>...);
  using type = void(pthreadpool_t, Task, void*, Size<I>..., uint32_t);
};
template <size_t... I>
struct Loop<false, true, std::index_sequence<I...>> {
  using Task = void (*)(void*, size_t, Size<I>...);
  using type = void(pthreadpool_t, Task, void*, Size<I>..., uint32_t);
};
template <bool kThread, size_t... I>
struct Loop<true, kThread, std::index_sequence<I...>> {
  using Task =
      std::conditional_t<kThread, void (*)(void*, uint32_t, size_t, Size<I>...),
                         void (*)(void*, uint32_t, Size<I>...)>;
  using type = void(pthreadpool_t, Task, void*, uint32_t, uint32_t, Size<I>...,
                    uint32_t);
};

extern "C" {
#define DECLARE(name, dims, tiled, uarch, thread)                   \
  Loop<uarch, thread, std::make_index_sequence<dims + tiled>>::type \
      __wrap_pthreadpool_parallelize_##name;
LOOPS(DECLARE)
size_t __wrap_pthreadpool_get_threads_count(pthreadpool_t);
}

namespace executorch::xnnpack {
namespace {

using extension::threadpool::Team;
using Calls = std::vector<std::vector<size_t>>;

struct Log {
  std::mutex mutex;
  Calls calls;  // arguments behind the context
};

template <class Task>
struct Recorder;
template <class... P>
struct Recorder<void (*)(void*, P...)> {
  static constexpr size_t kArguments = sizeof...(P);
  static void call(void* context, P... arguments) {
    auto* log = static_cast<Log*>(context);
    const std::lock_guard<std::mutex> lock(log->mutex);
    log->calls.push_back({static_cast<size_t>(arguments)...});
  }
};

struct Shape {
  size_t dims, tiled;
  bool uarch, thread;
};
constexpr size_t kRange[] = {3, 5, 4, 2, 9, 7};
constexpr size_t kTile[] = {2, 3};

// What the tasks of one call of `loop` were told.
template <class... A>
Calls calls_of(void (*loop)(A...), const Shape& shape, pthreadpool_t pool) {
  using Task = std::tuple_element_t<1, std::tuple<A...>>;
  EXPECT_EQ(Recorder<Task>::kArguments, shape.dims + shape.tiled +
                                            (shape.uarch ? 1 : 0) +
                                            (shape.thread ? 1 : 0));
  Log log;
  std::vector<size_t> numbers;
  if (shape.uarch) {
    numbers = {0, 0};
  }
  numbers.insert(numbers.end(), kRange, kRange + shape.dims);
  numbers.insert(numbers.end(), kTile, kTile + shape.tiled);
  size_t next = 0;
  const auto argument = [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, pthreadpool_t>) {
      return pool;
    } else if constexpr (std::is_same_v<T, Task>) {
      return Task{Recorder<Task>::call};
    } else if constexpr (std::is_same_v<T, void*>) {
      return static_cast<void*>(&log);
    } else {
      return static_cast<T>(next < numbers.size() ? numbers[next++] : 0);
    }
  };
  std::apply(loop, std::tuple<A...>{argument(std::common_type<A>{})...});
  return log.calls;
}

void check(const Calls& calls, const Shape& shape, size_t threads) {
  std::set<std::vector<size_t>> cells;
  size_t covered = 0;
  for (const std::vector<size_t>& call : calls) {
    const size_t* next = call.data();
    if (shape.uarch) {
      EXPECT_EQ(*next++, 0u);
    }
    if (shape.thread) {
      EXPECT_LT(*next++, threads);
    }
    const std::vector<size_t> start(next, next + shape.dims);
    size_t size = 1;
    for (size_t dim = 0; dim < shape.dims; ++dim) {
      EXPECT_LT(start[dim], kRange[dim]);
    }
    for (size_t i = 0; i < shape.tiled; ++i) {
      const size_t dim = shape.dims - shape.tiled + i;
      const size_t extent = next[shape.dims + i];
      EXPECT_EQ(start[dim] % kTile[i], 0u);
      EXPECT_EQ(extent, std::min(kTile[i], kRange[dim] - start[dim]));
      size *= extent;
    }
    EXPECT_TRUE(cells.insert(start).second) << "a tile twice";
    covered += size;
  }
  size_t all = 1;
  for (size_t dim = 0; dim < shape.dims; ++dim) {
    all *= kRange[dim];
  }
  EXPECT_EQ(covered, all);
}

class Loops : public ::testing::TestWithParam<size_t> {};

TEST_P(Loops, CoverAllCellsOnce) {
  cpuinfo_initialize();
  TeamPtr team;
  if (GetParam() > 1) {
    team = std::make_shared<Team>(GetParam() - 1, /*spin=*/true);
  }
  const pthreadpool_t pool = handle_of(&team);
  EXPECT_EQ(__wrap_pthreadpool_get_threads_count(pool), GetParam());
#define CHECK_LOOP(name, ...)                                                  \
  {                                                                            \
    SCOPED_TRACE(#name);                                                       \
    const Shape shape{__VA_ARGS__};                                            \
    check(calls_of(__wrap_pthreadpool_parallelize_##name, shape, pool), shape, \
          GetParam());                                                         \
  }
  LOOPS(CHECK_LOOP)
}
INSTANTIATE_TEST_SUITE_P(Threads, Loops, ::testing::Values(1, 2, 5));

TEST(Loops, AnEmptyRangeCallsNothing) {
  const auto task = [](void*, size_t, size_t, size_t, size_t) { FAIL(); };
  __wrap_pthreadpool_parallelize_2d_tile_2d(nullptr, task, nullptr, 0, 8, 2, 2,
                                            0);
  __wrap_pthreadpool_parallelize_2d_tile_2d(nullptr, task, nullptr, 8, 0, 2, 2,
                                            0);
}

TEST(Loops, DenormalsAreZeroOnlyWhereAsked) {
  volatile float small = std::numeric_limits<float>::min();
  const auto half = [&](uint32_t flags) {
    float result = -1;
    struct Context {
      volatile float& from;
      float& to;
    } context{small, result};
    __wrap_pthreadpool_parallelize_1d(
        nullptr,
        [](void* c, size_t) {
          auto& halve = *static_cast<Context*>(c);
          halve.to = halve.from / 2;
        },
        &context, 1, flags);
    return result;
  };
  EXPECT_EQ(half(PTHREADPOOL_FLAG_DISABLE_DENORMALS), 0);
  EXPECT_GT(half(0), 0);
  EXPECT_GT(small / 2, 0);
}

}  // namespace
}  // namespace executorch::xnnpack
