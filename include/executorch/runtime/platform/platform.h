// The platform layer: what the runtime wants from the machine it runs on.
//
// Each hook has a default (stderr, steady clock, malloc). There are two ways to
// replace one: define the et_pal_ function of its name in the application, or
// call register_pal() at run time, which wins over the former.
#pragma once

#include <executorch/runtime/platform/types.h>
#include <stddef.h>
#include <stdint.h>

extern "C" {

/// nanoseconds = ticks * numerator / denominator.
typedef struct {
  uint64_t numerator;
  uint64_t denominator;
} et_tick_ratio_t;

/// Severity of a log line, as the letter that starts it.
typedef enum {
  kDebug = 'D',
  kInfo = 'I',
  kError = 'E',
  kFatal = 'F',
  kUnknown = '?',
} et_pal_log_level_t;

/// Called by runtime_init(), possibly more than once.
ET_EXPORT void et_pal_init(void);

/// Ends the process.
ET_EXPORT ET_NORETURN void et_pal_abort(void);

/// Now, in ticks of a clock that never goes back.
ET_EXPORT et_timestamp_t et_pal_current_ticks(void);

/// The length of a tick.
ET_EXPORT et_tick_ratio_t et_pal_ticks_to_ns_multiplier(void);

/// Writes one log line. `message` has `length` bytes and a zero after them; all
/// strings are valid during the call only. Called from any thread.
ET_EXPORT void et_pal_emit_log_message(et_timestamp_t timestamp,
                                       et_pal_log_level_t level,
                                       const char* filename,
                                       const char* function, size_t line,
                                       const char* message, size_t length);

/// `size` bytes aligned for every plain type, or null.
ET_EXPORT void* et_pal_allocate(size_t size);

/// Gives back what et_pal_allocate() returned; null is allowed.
ET_EXPORT void et_pal_free(void* ptr);

using pal_init_method = void (*)();
using pal_abort_method = void (*)();
using et_pal_current_ticks_t = et_timestamp_t (*)();
using pal_current_ticks_method = et_timestamp_t (*)();
using pal_ticks_to_ns_multiplier_method = et_tick_ratio_t (*)();
using pal_emit_log_message_method = void (*)(
    et_timestamp_t timestamp, et_pal_log_level_t level, const char* filename,
    const char* function, size_t line, const char* message, size_t length);
using pal_allocate_method = void* (*)(size_t size);
using pal_free_method = void (*)(void* ptr);

}  // extern "C"

namespace executorch {
namespace runtime {

/// A set of hooks. Null means: keep the one there is.
struct PalImpl {
  /// @param source_filename Tells who registers; static storage.
  ET_EXPORT static PalImpl create(pal_emit_log_message_method emit_log_message,
                                  const char* source_filename);
  ET_EXPORT static PalImpl create(
      pal_init_method init, pal_abort_method abort,
      pal_current_ticks_method current_ticks,
      pal_ticks_to_ns_multiplier_method ticks_to_ns_multiplier,
      pal_emit_log_message_method emit_log_message,
      pal_allocate_method allocate, pal_free_method free,
      const char* source_filename);

  pal_init_method init = nullptr;
  pal_abort_method abort = nullptr;
  pal_current_ticks_method current_ticks = nullptr;
  pal_ticks_to_ns_multiplier_method ticks_to_ns_multiplier = nullptr;
  pal_emit_log_message_method emit_log_message = nullptr;
  pal_allocate_method allocate = nullptr;
  pal_free_method free = nullptr;
  const char* source_filename = nullptr;
};

/// Replaces the hooks that `impl` sets. Each hook changes at once for all
/// threads. allocate and free belong together: set both while no memory from
/// the old pair is in use. Always true.
ET_EXPORT bool register_pal(PalImpl impl);

/// The hooks in use, never null; valid for ever.
ET_EXPORT const PalImpl* get_pal_impl();

/// These call the hooks in use; what they do is told at the et_pal_ functions.
ET_EXPORT void pal_init();
ET_EXPORT ET_NORETURN void pal_abort();
ET_EXPORT et_timestamp_t pal_current_ticks();
ET_EXPORT et_tick_ratio_t pal_ticks_to_ns_multiplier();
ET_EXPORT void pal_emit_log_message(et_timestamp_t timestamp,
                                    et_pal_log_level_t level,
                                    const char* filename, const char* function,
                                    size_t line, const char* message,
                                    size_t length);
ET_EXPORT void* pal_allocate(size_t size);
ET_EXPORT void pal_free(void* ptr);

}  // namespace runtime
}  // namespace executorch
