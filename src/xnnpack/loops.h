// How XNNPACK's loops are cut and run on the threads that all kernels share.
#pragma once

#include <pthreadpool.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <tuple>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "src/threadpool/team.h"

namespace executorch::xnnpack {

// What XNNPACK holds for a pthreadpool is where the team for a run can be
// found; none: only the calling thread works.
using TeamPtr = std::shared_ptr<extension::threadpool::Team>;
inline pthreadpool_t handle_of(TeamPtr* team) {
  return reinterpret_cast<pthreadpool_t>(team);
}
inline extension::threadpool::Team* team_of(pthreadpool_t pool) {
  return pool == nullptr ? nullptr : reinterpret_cast<TeamPtr*>(pool)->get();
}
inline size_t thread_count(pthreadpool_t pool) {
  const auto* team = team_of(pool);
  return team == nullptr ? 1 : team->workers() + 1;
}

// While it lives numbers too small for a normal float are zero on this thread.
class NoDenormals {
 public:
  explicit NoDenormals(bool wanted) : before_(read()) {
    write(wanted ? before_ | kFlushToZero : before_);
  }
  ~NoDenormals() { write(before_); }
  NoDenormals(const NoDenormals&) = delete;
  NoDenormals& operator=(const NoDenormals&) = delete;

 private:
#if defined(__x86_64__)
  static constexpr uint64_t kFlushToZero = 0x8040;  // results, and operands
  static uint64_t read() { return _mm_getcsr(); }
  static void write(uint64_t state) {
    _mm_setcsr(static_cast<unsigned>(state));
  }
#elif defined(__aarch64__)
  static constexpr uint64_t kFlushToZero = uint64_t{1} << 24;
  static uint64_t read() {
    uint64_t state;
    asm volatile("mrs %0, fpcr" : "=r"(state));
    return state;
  }
  static void write(uint64_t state) {
    asm volatile("msr fpcr, %0" : : "r"(state));
  }
#else
  static constexpr uint64_t kFlushToZero = 0;
  static uint64_t read() { return 0; }
  static void write(uint64_t) {}
#endif
  const uint64_t before_;
};

// The cells [0, range) of up to six dimensions, of which the last ones are cut
// into tiles. Tiles are in row-major order.
template <size_t kDims, size_t kTiled>
struct Grid {
  using Index = std::array<size_t, kDims>;
  Index range;
  std::array<size_t, kTiled> tile;

  size_t step(size_t dim) const {
    return dim < kDims - kTiled ? 1 : tile[dim - (kDims - kTiled)];
  }
  size_t tiles(size_t dim) const {
    return range[dim] / step(dim) + (range[dim] % step(dim) != 0);
  }
  size_t tiles() const {
    size_t product = 1;
    for (size_t dim = 0; dim < kDims; ++dim) {
      product *= tiles(dim);
    }
    return product;
  }
  Index first(size_t number) const {
    Index start;
    for (size_t dim = kDims; dim-- > 0; number /= tiles(dim)) {
      start[dim] = number % tiles(dim) * step(dim);
    }
    return start;
  }
  void next(Index& start) const {
    for (size_t dim = kDims; dim-- > 0; start[dim] = 0) {
      start[dim] += step(dim);
      if (start[dim] < range[dim]) {
        return;
      }
    }
  }
  // Where tile `start` begins, and then how much of it there is.
  std::array<size_t, kDims + kTiled> arguments(const Index& start) const {
    std::array<size_t, kDims + kTiled> all;
    std::copy(start.begin(), start.end(), all.begin());
    for (size_t i = 0; i < kTiled; ++i) {
      const size_t dim = kDims - kTiled + i;
      all[kDims + i] = std::min(tile[i], range[dim] - start[dim]);
    }
    return all;
  }
};

// Calls call(thread, arguments) for each tile.
template <size_t kDims, size_t kTiled, class Call>
void run(pthreadpool_t pool, uint32_t flags, const Grid<kDims, kTiled>& grid,
         const Call& call) {
  constexpr size_t kPiecesPerThread = 4;  // if all are equally fast
  const size_t tiles = grid.tiles();
  const size_t pieces = std::min(tiles, kPiecesPerThread * thread_count(pool));
  const auto piece = [&](size_t thread, size_t number) {
    const NoDenormals guard((flags & PTHREADPOOL_FLAG_DISABLE_DENORMALS) != 0);
    const size_t begin =
        tiles / pieces * number + std::min(tiles % pieces, number);
    const size_t count = tiles / pieces + (number < tiles % pieces);
    auto start = grid.first(begin);
    for (size_t i = 0; i < count; ++i, grid.next(start)) {
      call(thread, grid.arguments(start));
    }
  };
  if (auto* const team = team_of(pool); team != nullptr && pieces > 1) {
    team->run(piece, pieces);
  } else {
    for (size_t number = 0; number < pieces; ++number) {
      piece(0, number);
    }
  }
}

// A function of XNNPACK, its context, and what it wants to know first.
template <class F, class... First>
auto bind(F* function, void* context, First... first) {
  return [=](size_t, const auto& arguments) {
    std::apply([&](auto... rest) { function(context, first..., rest...); },
               arguments);
  };
}
template <class F, class... First>
auto bind_with_thread(F* function, void* context, First... first) {
  return [=](size_t thread, const auto& arguments) {
    std::apply(
        [&](auto... rest) { function(context, first..., thread, rest...); },
        arguments);
  };
}

}  // namespace executorch::xnnpack
