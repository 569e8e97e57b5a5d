// The functions of pthreadpool that XNNPACK calls. The linker gives its calls
// these names, and one that is missing here does not link.
#include "src/xnnpack/loops.h"

#include <cpuinfo.h>

namespace executorch::xnnpack {
namespace {

// Which of the CPU's kinds of cores a task is on, `fallback` if there are more
// kinds than the caller has kernels for.
struct Uarch {
  uint32_t fallback, max;
  operator uint32_t() const {
    const uint32_t index =
        cpuinfo_get_current_uarch_index_with_default(fallback);
    return index <= max ? index : fallback;
  }
};

// A matrix product, result rows by columns. XNNPACK's plan goes along all
// columns for each tile of rows, that is through all weights, and they come
// from memory again and again. Here a few columns stay in the cache for all
// rows. 64 is a multiple of the columns that any of its kernels does at once.
template <class Call>
void run_matrix(pthreadpool_t pool, uint32_t flags, const Grid<2, 2>& grid,
                const Call& call) {
  constexpr size_t kColumns = 64;
  if (grid.tiles(0) == 1) {
    run(pool, flags, grid, call);
    return;
  }
  const Grid<2, 2> transposed{{grid.range[1], grid.range[0]},
                              {std::min(grid.tile[1], kColumns), grid.tile[0]}};
  run(pool, flags, transposed, [&](size_t thread, const auto& a) {
    call(thread, std::array{a[1], a[0], a[3], a[2]});
  });
}

}  // namespace
}  // namespace executorch::xnnpack

using namespace executorch::xnnpack;

extern "C" {

size_t __wrap_pthreadpool_get_threads_count(pthreadpool_t pool) {
  return thread_count(pool);
}

void __wrap_pthreadpool_parallelize_1d(pthreadpool_t pool,
                                       pthreadpool_task_1d_t task,
                                       void* context, size_t i,
                                       uint32_t flags) {
  run(pool, flags, Grid<1, 0>{{i}, {}}, bind(task, context));
}

void __wrap_pthreadpool_parallelize_1d_with_thread(
    pthreadpool_t pool, pthreadpool_task_1d_with_thread_t task, void* context,
    size_t i, uint32_t flags) {
  run(pool, flags, Grid<1, 0>{{i}, {}}, bind_with_thread(task, context));
}

void __wrap_pthreadpool_parallelize_1d_tile_1d(
    pthreadpool_t pool, pthreadpool_task_1d_tile_1d_t task, void* context,
    size_t i, size_t tile_i, uint32_t flags) {
  run(pool, flags, Grid<1, 1>{{i}, {tile_i}}, bind(task, context));
}

void __wrap_pthreadpool_parallelize_2d(pthreadpool_t pool,
                                       pthreadpool_task_2d_t task,
                                       void* context, size_t i, size_t j,
                                       uint32_t flags) {
  run(pool, flags, Grid<2, 0>{{i, j}, {}}, bind(task, context));
}

void __wrap_pthreadpool_parallelize_2d_with_thread(
    pthreadpool_t pool, pthreadpool_task_2d_with_thread_t task, void* context,
    size_t i, size_t j, uint32_t flags) {
  run(pool, flags, Grid<2, 0>{{i, j}, {}}, bind_with_thread(task, context));
}

void __wrap_pthreadpool_parallelize_2d_tile_1d(
    pthreadpool_t pool, pthreadpool_task_2d_tile_1d_t task, void* context,
    size_t i, size_t j, size_t tile_j, uint32_t flags) {
  run(pool, flags, Grid<2, 1>{{i, j}, {tile_j}}, bind(task, context));
}

void __wrap_pthreadpool_parallelize_2d_tile_2d(
    pthreadpool_t pool, pthreadpool_task_2d_tile_2d_t task, void* context,
    size_t i, size_t j, size_t tile_i, size_t tile_j, uint32_t flags) {
  run_matrix(pool, flags, Grid<2, 2>{{i, j}, {tile_i, tile_j}},
             bind(task, context));
}

void __wrap_pthreadpool_parallelize_3d(pthreadpool_t pool,
                                       pthreadpool_task_3d_t task,
                                       void* context, size_t i, size_t j,
                                       size_t k, uint32_t flags) {
  run(pool, flags, Grid<3, 0>{{i, j, k}, {}}, bind(task, context));
}

void __wrap_pthreadpool_parallelize_3d_tile_1d(
    pthreadpool_t pool, pthreadpool_task_3d_tile_1d_t task, void* context,
    size_t i, size_t j, size_t k, size_t tile_k, uint32_t flags) {
  run(pool, flags, Grid<3, 1>{{i, j, k}, {tile_k}}, bind(task, context));
}

void __wrap_pthreadpool_parallelize_3d_tile_1d_with_thread(
    pthreadpool_t pool, pthreadpool_task_3d_tile_1d_with_thread_t task,
    void* context, size_t i, size_t j, size_t k, size_t tile_k,
    uint32_t flags) {
  run(pool, flags, Grid<3, 1>{{i, j, k}, {tile_k}},
      bind_with_thread(task, context));
}

void __wrap_pthreadpool_parallelize_3d_tile_2d(
    pthreadpool_t pool, pthreadpool_task_3d_tile_2d_t task, void* context,
    size_t i, size_t j, size_t k, size_t tile_j, size_t tile_k,
    uint32_t flags) {
  run(pool, flags, Grid<3, 2>{{i, j, k}, {tile_j, tile_k}},
      bind(task, context));
}

void __wrap_pthreadpool_parallelize_4d(pthreadpool_t pool,
                                       pthreadpool_task_4d_t task,
                                       void* context, size_t i, size_t j,
                                       size_t k, size_t l, uint32_t flags) {
  run(pool, flags, Grid<4, 0>{{i, j, k, l}, {}}, bind(task, context));
}

void __wrap_pthreadpool_parallelize_4d_tile_2d(
    pthreadpool_t pool, pthreadpool_task_4d_tile_2d_t task, void* context,
    size_t i, size_t j, size_t k, size_t l, size_t tile_k, size_t tile_l,
    uint32_t flags) {
  run(pool, flags, Grid<4, 2>{{i, j, k, l}, {tile_k, tile_l}},
      bind(task, context));
}

void __wrap_pthreadpool_parallelize_5d(pthreadpool_t pool,
                                       pthreadpool_task_5d_t task,
                                       void* context, size_t i, size_t j,
                                       size_t k, size_t l, size_t m,
                                       uint32_t flags) {
  run(pool, flags, Grid<5, 0>{{i, j, k, l, m}, {}}, bind(task, context));
}

void __wrap_pthreadpool_parallelize_5d_tile_2d(
    pthreadpool_t pool, pthreadpool_task_5d_tile_2d_t task, void* context,
    size_t i, size_t j, size_t k, size_t l, size_t m, size_t tile_l,
    size_t tile_m, uint32_t flags) {
  run(pool, flags, Grid<5, 2>{{i, j, k, l, m}, {tile_l, tile_m}},
      bind(task, context));
}

void __wrap_pthreadpool_parallelize_6d_tile_2d(
    pthreadpool_t pool, pthreadpool_task_6d_tile_2d_t task, void* context,
    size_t i, size_t j, size_t k, size_t l, size_t m, size_t n, size_t tile_m,
    size_t tile_n, uint32_t flags) {
  run(pool, flags, Grid<6, 2>{{i, j, k, l, m, n}, {tile_m, tile_n}},
      bind(task, context));
}

// For CPUs with cores of several kinds.
void __wrap_pthreadpool_parallelize_2d_tile_1d_with_uarch(
    pthreadpool_t pool, pthreadpool_task_2d_tile_1d_with_id_t task,
    void* context, uint32_t fallback, uint32_t max, size_t i, size_t j,
    size_t tile_j, uint32_t flags) {
  run(pool, flags, Grid<2, 1>{{i, j}, {tile_j}},
      bind(task, context, Uarch{fallback, max}));
}

void __wrap_pthreadpool_parallelize_2d_tile_2d_with_uarch(
    pthreadpool_t pool, pthreadpool_task_2d_tile_2d_with_id_t task,
    void* context, uint32_t fallback, uint32_t max, size_t i, size_t j,
    size_t tile_i, size_t tile_j, uint32_t flags) {
  run_matrix(pool, flags, Grid<2, 2>{{i, j}, {tile_i, tile_j}},
             bind(task, context, Uarch{fallback, max}));
}

void __wrap_pthreadpool_parallelize_3d_tile_1d_with_uarch(
    pthreadpool_t pool, pthreadpool_task_3d_tile_1d_with_id_t task,
    void* context, uint32_t fallback, uint32_t max, size_t i, size_t j,
    size_t k, size_t tile_k, uint32_t flags) {
  run(pool, flags, Grid<3, 1>{{i, j, k}, {tile_k}},
      bind(task, context, Uarch{fallback, max}));
}

void __wrap_pthreadpool_parallelize_3d_tile_1d_with_uarch_with_thread(
    pthreadpool_t pool, pthreadpool_task_3d_tile_1d_with_id_with_thread_t task,
    void* context, uint32_t fallback, uint32_t max, size_t i, size_t j,
    size_t k, size_t tile_k, uint32_t flags) {
  run(pool, flags, Grid<3, 1>{{i, j, k}, {tile_k}},
      bind_with_thread(task, context, Uarch{fallback, max}));
}

void __wrap_pthreadpool_parallelize_3d_tile_2d_with_uarch(
    pthreadpool_t pool, pthreadpool_task_3d_tile_2d_with_id_t task,
    void* context, uint32_t fallback, uint32_t max, size_t i, size_t j,
    size_t k, size_t tile_j, size_t tile_k, uint32_t flags) {
  run(pool, flags, Grid<3, 2>{{i, j, k}, {tile_j, tile_k}},
      bind(task, context, Uarch{fallback, max}));
}

void __wrap_pthreadpool_parallelize_4d_tile_2d_with_uarch(
    pthreadpool_t pool, pthreadpool_task_4d_tile_2d_with_id_t task,
    void* context, uint32_t fallback, uint32_t max, size_t i, size_t j,
    size_t k, size_t l, size_t tile_k, size_t tile_l, uint32_t flags) {
  run(pool, flags, Grid<4, 2>{{i, j, k, l}, {tile_k, tile_l}},
      bind(task, context, Uarch{fallback, max}));
}

}  // extern "C"
