// Log lines: ET_LOG(Error, "got %d", value).
//
// Below ET_MIN_LOG_LEVEL a line costs nothing, it is not compiled. What happens
// to the others at run time is set in platform/log_sink.h; where they go by
// default is a hook of the platform layer (platform/platform.h).
#pragma once

#include <executorch/runtime/platform/types.h>

#include <cinttypes>
#include <cstdarg>
#include <cstddef>
#include <cstdint>

/// The lowest level that is compiled in: Debug, Info, Error or Fatal.
#ifndef ET_MIN_LOG_LEVEL
#define ET_MIN_LOG_LEVEL Info
#endif

/// 0 compiles all lines out.
#ifndef ET_LOG_ENABLED
#define ET_LOG_ENABLED 1
#endif

namespace executorch {
namespace runtime {

/// How much a log line matters, in rising order.
enum class LogLevel : uint8_t {
  Debug,      ///< for those who work on the runtime
  Info,       ///< state that is worth knowing
  Error,      ///< why a call fails
  Fatal,      ///< why the process ends
  NumLevels,  ///< the number of levels, not one of them
};

namespace internal {

/// The time that a log line carries, in ticks.
ET_EXPORT et_timestamp_t get_log_timestamp();

/// Writes one line. `format` and what follows are those of printf; a text of
/// more than 4095 bytes is cut. Thread safe, does not allocate.
ET_EXPORT ET_PRINTFLIKE(6, 0) void vlogf(LogLevel level,
                                         et_timestamp_t timestamp,
                                         const char* filename,
                                         const char* function, size_t line,
                                         const char* format, va_list args);

/// The same with the arguments listed.
ET_EXPORT ET_PRINTFLIKE(6,
                        7) void logf(LogLevel level, et_timestamp_t timestamp,
                                     const char* filename, const char* function,
                                     size_t line, const char* format, ...);

/// Writes an error line "Check failed (condition): text".
ET_EXPORT ET_PRINTFLIKE(5, 6) void log_failed_check(const char* filename,
                                                    const char* function,
                                                    size_t line,
                                                    const char* condition,
                                                    const char* format, ...);

}  // namespace internal
}  // namespace runtime
}  // namespace executorch

#if ET_LOG_ENABLED

/// Writes a line: level without scope, then the arguments of printf.
#define ET_LOG(level__, ...)                                     \
  do {                                                           \
    if (::executorch::runtime::LogLevel::level__ >=              \
        ::executorch::runtime::LogLevel::ET_MIN_LOG_LEVEL) {     \
      ::executorch::runtime::internal::logf(                     \
          ::executorch::runtime::LogLevel::level__,              \
          ::executorch::runtime::internal::get_log_timestamp(),  \
          ET_SHORT_FILENAME, ET_FUNCTION, ET_LINE, __VA_ARGS__); \
    }                                                            \
  } while (0)

#define ET_INTERNAL_LOG_FAILED_CHECK(condition__, ...)                        \
  do {                                                                        \
    if (::executorch::runtime::LogLevel::Error >=                             \
        ::executorch::runtime::LogLevel::ET_MIN_LOG_LEVEL) {                  \
      ::executorch::runtime::internal::log_failed_check(                      \
          ET_SHORT_FILENAME, ET_FUNCTION, ET_LINE, condition__, __VA_ARGS__); \
    }                                                                         \
  } while (0)

#else

#define ET_LOG(level__, ...) ((void)0)
#define ET_INTERNAL_LOG_FAILED_CHECK(condition__, ...) ((void)0)

#endif

/// Writes an error line when the condition does not hold, and goes on.
#define ET_CHECK_OR_LOG_ERROR(condition__, ...) \
  do {                                          \
    if (!(condition__)) {                       \
      ET_LOG(Error, __VA_ARGS__);               \
    }                                           \
  } while (0)
