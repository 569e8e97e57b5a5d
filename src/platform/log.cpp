// From ET_LOG to the sink: format, remember errors per thread, filter, hand on.
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/platform/abort.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/log_sink.h>
#include <executorch/runtime/platform/platform.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "src/platform/log_context.h"

namespace executorch {
namespace runtime {
namespace {

constexpr size_t kMaxLine = 4096;

thread_local char last_error[kMaxLine];
thread_local const platform::LogContext* current_context = nullptr;

std::atomic<LogLevel> min_level{LogLevel::Debug};

struct Target {
  LogSink sink;
  void* user;
};
std::mutex target_mutex;
Target target{nullptr, nullptr};

et_pal_log_level_t letter(LogLevel level) {
  switch (level) {
    case LogLevel::Debug:
      return kDebug;
    case LogLevel::Info:
      return kInfo;
    case LogLevel::Error:
      return kError;
    case LogLevel::Fatal:
      return kFatal;
    default:
      return kUnknown;
  }
}

void emit(const LogLine& line) {
  Target to;
  {
    std::lock_guard<std::mutex> lock(target_mutex);
    to = target;
  }
  if (to.sink != nullptr) {
    to.sink(line, to.user);
    return;
  }
  pal_emit_log_message(line.timestamp, letter(line.level), line.filename,
                       line.function, line.line, line.message, line.length);
}

// Formats behind what `text` has in it already; returns the new length.
size_t append(char (&text)[kMaxLine], size_t used, const char* format,
              va_list args) {
  const int wanted = std::vsnprintf(text + used, kMaxLine - used, format, args);
  if (wanted < 0) {  // the format is broken: keep what there is
    text[used] = '\0';
    return used;
  }
  const size_t end = used + static_cast<size_t>(wanted);
  return end < kMaxLine ? end : kMaxLine - 1;
}

void finish(LogLevel level, et_timestamp_t timestamp, const char* filename,
            const char* function, size_t line, const char* text,
            size_t length) {
  if (level == LogLevel::Error) {
    std::memcpy(last_error, text, length + 1);
  }
  if (level >= min_level.load(std::memory_order_relaxed)) {
    emit({level, timestamp, filename, function, line, text, length});
  }
}

// "<what> (<condition>): <text>", and without the end when there is no text.
ET_PRINTFLIKE(7, 0)
void log_condition(LogLevel level, const char* filename, const char* function,
                   size_t line, const char* what, const char* condition,
                   const char* format, va_list args) {
  char text[kMaxLine];
  const int head = std::snprintf(text, kMaxLine, "%s (%s): ", what, condition);
  const size_t start = head < 0 ? 0
                                : (static_cast<size_t>(head) < kMaxLine
                                       ? static_cast<size_t>(head)
                                       : kMaxLine - 1);
  size_t length = append(text, start, format, args);
  if (length == start && start >= 2 && start < kMaxLine - 1) {
    length -= 2;
    text[length] = '\0';
  }
  finish(level, internal::get_log_timestamp(), filename, function, line, text,
         length);
}

}  // namespace

const char* last_error_message() { return last_error; }

void set_log_level(LogLevel level) {
  min_level.store(level, std::memory_order_relaxed);
}

LogLevel log_level() { return min_level.load(std::memory_order_relaxed); }

void set_log_sink(LogSink sink, void* user) {
  std::lock_guard<std::mutex> lock(target_mutex);
  target = {sink, user};
}

namespace internal {

et_timestamp_t get_log_timestamp() { return pal_current_ticks(); }

void vlogf(LogLevel level, et_timestamp_t timestamp, const char* filename,
           const char* function, size_t line, const char* format,
           va_list args) {
  char text[kMaxLine] = "";
  if (level == LogLevel::Error) {
    platform::LogContext::describe_current(text, kMaxLine);
  }
  const size_t length = append(text, std::strlen(text), format, args);
  finish(level, timestamp, filename, function, line, text, length);
}

void logf(LogLevel level, et_timestamp_t timestamp, const char* filename,
          const char* function, size_t line, const char* format, ...) {
  va_list args;
  va_start(args, format);
  vlogf(level, timestamp, filename, function, line, format, args);
  va_end(args);
}

void log_failed_check(const char* filename, const char* function, size_t line,
                      const char* condition, const char* format, ...) {
  va_list args;
  va_start(args, format);
  log_condition(LogLevel::Error, filename, function, line, "Check failed",
                condition, format, args);
  va_end(args);
}

void check_failed(const char* filename, const char* function, size_t line,
                  const char* condition, const char* format, ...) {
  va_list args;
  va_start(args, format);
  log_condition(LogLevel::Fatal, filename, function, line, "Assert failed",
                condition, format, args);
  va_end(args);
  runtime_abort();
}

}  // namespace internal
}  // namespace runtime

namespace platform {

LogContext::LogContext(Describe describe, const void* what)
    : describe_(describe), what_(what), outer_(runtime::current_context) {
  runtime::current_context = this;
}

LogContext::~LogContext() { runtime::current_context = outer_; }

void LogContext::describe_current(char* text, size_t size) {
  if (runtime::current_context != nullptr) {
    const LogContext& context = *runtime::current_context;
    context.describe_(context.what_, text, size);
  }
}

}  // namespace platform
}  // namespace executorch
