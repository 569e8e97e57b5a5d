// Run-time settings of the log: how much is written and where it goes.
#pragma once

#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace runtime {

/// One log line. The pointers are valid during the call of the sink only.
struct LogLine {
  LogLevel level;
  et_timestamp_t timestamp;  ///< in ticks, see platform/clock.h
  const char* filename;      ///< without folder
  const char* function;
  size_t line;
  const char* message;  ///< zero-terminated
  size_t length;        ///< of the message, in bytes
};

/// Receives log lines, from several threads at a time.
using LogSink = void (*)(const LogLine& line, void* user);

/// Writes only lines of this level or above from now on. The default is Debug:
/// everything that was compiled in, see ET_MIN_LOG_LEVEL. Thread safe.
ET_EXPORT void set_log_level(LogLevel level);

/// The level that set_log_level() set.
ET_EXPORT LogLevel log_level();

/// Sends all lines to `sink` instead of the platform layer; null goes back.
/// Thread safe. Another thread that is writing a line just now may still call
/// the sink it had, so `user` has to outlive such a call.
ET_EXPORT void set_log_sink(LogSink sink, void* user = nullptr);

}  // namespace runtime
}  // namespace executorch
