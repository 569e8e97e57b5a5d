// What the commands of the program share: how they fail, how they print, and
// the names of dtypes.
//
// A command is a file with a function add_<name>(app) that declares its options
// and what to do; main.cpp lists them. It writes results to stdout, as text or,
// with --json, as JSON. What goes wrong is thrown as a Failure: one line.
#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/result.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace CLI {
class App;
}  // namespace CLI

namespace executorch::tools {

// Exit codes, as --help lists them.
enum ExitCode {
  kSuccess = 0,
  kFailed = 1,   // a model cannot be loaded or run, a file cannot be used
  kUsage = 2,    // wrong or missing arguments
  kDiffers = 3,  // an output is not what was expected
};

class Failure : public std::runtime_error {
 public:
  Failure(ExitCode code, const std::string& message)
      : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

// Throws with what the runtime logged about the error, or else its name.
[[noreturn]] void fail(runtime::Error error, const std::string& doing);

inline void check(runtime::Error error, const std::string& doing) {
  if (error != runtime::Error::Ok) {
    fail(error, doing);
  }
}

template <class T>
T value(runtime::Result<T> result, const std::string& doing) {
  check(result.error(), doing);
  return std::move(result.get());
}

// Keeps the runtime's error lines for fail() and prints its warnings.
void capture_log();

// A bar on stderr while something takes long; nothing if that is no terminal.
class Progress {
 public:
  Progress(std::string what, size_t steps);
  ~Progress();
  void step();

 private:
  std::string what_;
  size_t steps_;
  size_t done_ = 0;
  bool shown_;
};

// "float32"
const char* dtype_name(aten::ScalarType type);

// "12.3 MB"
std::string size_text(double bytes);

// "kernels_optimized" for .../libexecutorch_kernels_optimized.so.1, "runtime"
// for libexecutorch.so; another library keeps its file name.
std::string component(const std::string& library);

void add_run(CLI::App& app);
void add_inspect(CLI::App& app);
void add_ops(CLI::App& app);
void add_bench(CLI::App& app);
void add_pack_moe(CLI::App& app);
void add_completion(CLI::App& app);

}  // namespace executorch::tools
