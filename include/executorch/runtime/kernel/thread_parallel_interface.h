// Loops that may run on several threads.
//
// The functions are part of the runtime. They run everything on the calling
// thread until libexecutorch_threadpool.so is loaded into the process (every
// kernel library brings it); from then on they share its one pool.
#pragma once

#include <executorch/runtime/core/function_ref.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstdint>

namespace executorch {
namespace extension {

/// Calls `f(chunk_begin, chunk_end)` on disjoint chunks that together are
/// [begin, end), perhaps at the same time, and returns when all are done.
///
/// There are at most get_thread_count() chunks, and each but the last has at
/// least `grain_size` items. Called from inside a chunk it runs on the calling
/// thread, as one chunk. An empty range calls nothing. Thread safe.
///
/// @retval false `begin` is negative or above `end`, or `grain_size` is not
///     positive; nothing was called.
ET_EXPORT bool parallel_for(int64_t begin, int64_t end, int64_t grain_size,
                            runtime::FunctionRef<void(int64_t, int64_t)> f);

/// How many threads parallel_for() may use, the calling one included.
ET_EXPORT int64_t get_thread_count();

/// Inside a chunk: its number, from 0 to get_thread_count() - 1. Outside: 0, or
/// what set_thread_num() said.
ET_EXPORT int64_t get_thread_num();

/// Sets what get_thread_num() returns on this thread, for code that brings its
/// own threads.
ET_EXPORT void set_thread_num(int64_t thread_num);

namespace internal {

/// Items below which a loop over cheap elements is not worth a thread.
constexpr int64_t GRAIN_SIZE = 32768;

/// As parallel_for(), always on the calling thread.
ET_EXPORT bool parallel_for_no_threadpool(
    int64_t begin, int64_t end, int64_t grain_size,
    runtime::FunctionRef<void(int64_t, int64_t)> f);

}  // namespace internal
}  // namespace extension
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::extension::get_thread_num;
using ::executorch::extension::parallel_for;
using ::executorch::extension::set_thread_num;
}  // namespace executor
}  // namespace torch
