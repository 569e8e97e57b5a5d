#include "tools/common.h"

#include <executorch/runtime/platform/log.h>
#include <unistd.h>

#include <cstdio>
#include <mutex>
#include <utility>
#if __has_include(<executorch/runtime/platform/log_sink.h>)
#include <executorch/runtime/platform/log_sink.h>
#define EXECUTORCH_HAS_LOG_SINK 1
#else
#define EXECUTORCH_HAS_LOG_SINK 0
#endif

namespace executorch::tools {
namespace {

// The first error line is nearest to the cause.
std::mutex mutex;
std::string first_error;

#if EXECUTORCH_HAS_LOG_SINK
void keep(const runtime::LogLine& line, void*) {
  if (line.level < runtime::LogLevel::Error) {
    std::fprintf(stderr, "%s\n", line.message);
    return;
  }
  const std::lock_guard<std::mutex> lock(mutex);
  if (first_error.empty()) {
    first_error.assign(line.message, line.length);
  }
}
#endif

}  // namespace

Command::Command(const char* name, const char* help) : name(name), help(help) {
  commands().push_back(this);
}

std::vector<Command*>& commands() {
  static std::vector<Command*> all;
  return all;
}

void capture_log() {
#if EXECUTORCH_HAS_LOG_SINK
  runtime::set_log_sink(keep);
  runtime::set_log_level(runtime::LogLevel::Error);
#endif
}

void fail(runtime::Error error, const std::string& doing) {
  const std::lock_guard<std::mutex> lock(mutex);
  const std::string why = std::exchange(first_error, {});
  throw Failure(kFailed, doing + ": " + (why.empty() ? "" : why + " ") + "(" +
                             runtime::to_string(error) + ")");
}

Progress::Progress(std::string what, size_t steps)
    : what_(std::move(what)),
      steps_(steps),
      shown_(steps > 1 && isatty(STDERR_FILENO) != 0) {}

void Progress::step() {
  ++done_;
  if (shown_) {
    constexpr size_t kWidth = 30;
    const std::string bar(done_ * kWidth / steps_, '#');
    std::fprintf(stderr, "\r%s [%-30s] %zu/%zu", what_.c_str(), bar.c_str(),
                 done_, steps_);
  }
}

Progress::~Progress() {
  if (shown_ && done_ > 0) {
    std::fprintf(stderr, "\r%*s\r", static_cast<int>(what_.size()) + 60, "");
  }
}

}  // namespace executorch::tools
