#include "tools/common.h"

#include <executorch/runtime/platform/log.h>
#include <unistd.h>

#include <cstdio>
#include <iterator>
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

struct Dtype {
  aten::ScalarType type;
  const char* name;
};

// PyTorch's names.
constexpr Dtype kDtypes[] = {
    {aten::ScalarType::Byte, "uint8"},
    {aten::ScalarType::Char, "int8"},
    {aten::ScalarType::Short, "int16"},
    {aten::ScalarType::Int, "int32"},
    {aten::ScalarType::Long, "int64"},
    {aten::ScalarType::Half, "float16"},
    {aten::ScalarType::Float, "float32"},
    {aten::ScalarType::Double, "float64"},
    {aten::ScalarType::ComplexHalf, "complex32"},
    {aten::ScalarType::ComplexFloat, "complex64"},
    {aten::ScalarType::ComplexDouble, "complex128"},
    {aten::ScalarType::Bool, "bool"},
    {aten::ScalarType::QInt8, "qint8"},
    {aten::ScalarType::QUInt8, "quint8"},
    {aten::ScalarType::QInt32, "qint32"},
    {aten::ScalarType::BFloat16, "bfloat16"},
    {aten::ScalarType::UInt16, "uint16"},
    {aten::ScalarType::UInt32, "uint32"},
    {aten::ScalarType::UInt64, "uint64"},
};

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

const char* dtype_name(aten::ScalarType type) {
  for (const Dtype& dtype : kDtypes) {
    if (dtype.type == type) {
      return dtype.name;
    }
  }
  return "unknown dtype";
}

std::string size_text(double bytes) {
  const char* const units[] = {"B", "KB", "MB", "GB"};
  size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < std::size(units)) {
    bytes /= 1000;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof(text), unit == 0 ? "%.0f %s" : "%.1f %s", bytes,
                units[unit]);
  return text;
}

}  // namespace executorch::tools
