// The profiler that came before core/event_tracer.h. It is not compiled in: its
// functions and macros exist for code that calls them, and record nothing.
#pragma once

#include <executorch/runtime/platform/compiler.h>
#include <stddef.h>
#include <stdint.h>

#define ET_PROF_VER 0x00000001
#define PROF_NAME_MAX_LEN 32
#ifndef MAX_PROFILE_EVENTS
#define MAX_PROFILE_EVENTS 1024
#endif
#ifndef MAX_MEM_PROFILE_EVENTS
#define MAX_MEM_PROFILE_EVENTS 1024
#endif
#ifndef MEM_PROFILE_MAX_ALLOCATORS
#define MEM_PROFILE_MAX_ALLOCATORS 32
#endif
#ifndef MAX_PROFILE_BLOCKS
#define MAX_PROFILE_BLOCKS 2
#endif

namespace executorch {
namespace runtime {

/// One timed event.
struct alignas(8) prof_event_t {
  union {
    const char* name_str;
    char name[PROF_NAME_MAX_LEN];
  };
  int32_t chain_idx;  ///< -1 outside of a chain
  uint32_t instruction_idx;
  uint64_t start_time;
  uint64_t end_time;
};

/// One allocation.
struct alignas(8) mem_prof_event_t {
  uint32_t allocator_id;
  uint32_t allocation_size;
};

/// A named allocator.
struct alignas(8) prof_allocator_t {
  char name[PROF_NAME_MAX_LEN];
  uint64_t allocator_id;
};

/// What was recorded.
struct alignas(8) prof_result_t {
  uint8_t* prof_data;
  uint32_t num_bytes;
  uint32_t num_blocks;
};

/// Start of a block; events, allocators and allocations follow in this order.
struct alignas(8) prof_header_t {
  char name[32];
  uint32_t prof_ver;
  uint32_t max_prof_entries;
  uint32_t prof_entries;
  uint32_t max_allocator_entries;
  uint32_t allocator_entries;
  uint32_t max_mem_prof_entries;
  uint32_t mem_prof_entries;
};

constexpr size_t prof_header_offset = 0;
constexpr size_t prof_events_offset = sizeof(prof_header_t);
constexpr size_t prof_mem_alloc_info_offset =
    prof_events_offset + sizeof(prof_event_t) * MAX_PROFILE_EVENTS;
constexpr size_t prof_mem_alloc_events_offset =
    prof_mem_alloc_info_offset +
    sizeof(prof_allocator_t) * MEM_PROFILE_MAX_ALLOCATORS;
constexpr uint32_t prof_buf_size =
    static_cast<uint32_t>(prof_mem_alloc_events_offset +
                          sizeof(mem_prof_event_t) * MAX_MEM_PROFILE_EVENTS);

/// The instruction that a thread is running.
struct prof_state_t {
  int32_t chain_idx;
  uint32_t instruction_idx;
};

inline void profiler_init() {}
inline uint32_t begin_profiling(const char*) { return 0; }
inline void end_profiling(uint32_t) {}
inline void dump_profile_stats(prof_result_t* result) { *result = {}; }
inline void reset_profile_stats() {}
inline void track_allocation(int32_t, uint32_t) {}
inline uint32_t track_allocator(const char*) { return 0; }
inline void profiling_create_block(const char*) {}
inline const prof_state_t& get_profile_tls_state() {
  static constexpr prof_state_t kNone = {-1, 0};
  return kNone;
}
inline void set_profile_tls_state(const prof_state_t&) {}

/// Would time its own life.
class ExecutorchProfiler {
 public:
  explicit ExecutorchProfiler(const char*) {}
};

/// Would tell the events inside which instruction they belong to.
class ExecutorchProfilerInstructionScope {
 public:
  explicit ExecutorchProfilerInstructionScope(const prof_state_t&) {}
  ExecutorchProfilerInstructionScope(
      const ExecutorchProfilerInstructionScope&) = delete;
  ExecutorchProfilerInstructionScope& operator=(
      const ExecutorchProfilerInstructionScope&) = delete;
};

}  // namespace runtime
}  // namespace executorch

#define EXECUTORCH_PROFILE_CREATE_BLOCK(name) ((void)(name))
#define EXECUTORCH_BEGIN_PROF(name) \
  {}
#define EXECUTORCH_END_PROF(token_id) ((void)(token_id))
#define EXECUTORCH_SCOPE_PROF(name) ((void)(name))
#define EXECUTORCH_PROFILE_INSTRUCTION_SCOPE(chain_idx, instruction_idx) \
  ((void)(chain_idx), (void)(instruction_idx))
#define EXECUTORCH_DUMP_PROFILE_RESULTS(prof_result) \
  ::executorch::runtime::dump_profile_stats(prof_result);
#define EXECUTORCH_RESET_PROFILE_RESULTS() \
  {}
#define EXECUTORCH_TRACK_ALLOCATOR(name) ((void)(name), -1)
#define EXECUTORCH_TRACK_ALLOCATION(id, size) ((void)(id), (void)(size))
