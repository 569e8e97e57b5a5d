#include "tools/common.h"

#include <unistd.h>

#include <cstdio>
#include <mutex>
#include <utility>
#if __has_include(<executorch/runtime/platform/log_sink.h>)
#include <executorch/runtime/platform/log_sink.h>
#endif

namespace executorch::tools {
namespace {

// The first error line is nearest to the cause.
std::mutex mutex;
std::string first_error;

}  // namespace

Command::Command(const char* name, const char* help,
                 void (*add_options)(CLI::App&), void (*run)())
    : help(help), add_options(add_options), run(run) {
  commands().emplace(name, *this);
}

std::map<std::string, Command>& commands() {
  static std::map<std::string, Command> all;
  return all;
}

bool as_json = false;

void capture_log() {
#if __has_include(<executorch/runtime/platform/log_sink.h>)
  runtime::set_log_level(runtime::LogLevel::Error);
  runtime::set_log_sink([](const runtime::LogLine& line, void*) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (first_error.empty()) {
      first_error.assign(line.message, line.length);
    }
  });
#endif
}

void check(runtime::Error error, const std::string& doing) {
  if (error != runtime::Error::Ok) {
    const std::lock_guard<std::mutex> lock(mutex);
    const std::string why = std::exchange(first_error, {});
    throw Failure(kFailed, doing + ": " + (why.empty() ? "" : why + " ") + "(" +
                               runtime::to_string(error) + ")");
  }
}

void show_progress(const char* what, size_t done, size_t steps) {
  if (steps > 1 && isatty(STDERR_FILENO) != 0) {
    // Lines printed later, and the next bar, begin where this one does.
    const std::string bar(30 * done / steps, '#');
    std::fprintf(stderr, "%s [%-30s] %zu/%zu%s", what, bar.c_str(), done, steps,
                 done < steps ? "\r" : "\r\033[K");
  }
}

}  // namespace executorch::tools
