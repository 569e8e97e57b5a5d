// What the commands of the program share: how they are declared, how they fail
// and how they print.
#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/result.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace executorch::tools {

// A command is a file that defines one class and a static object of it; which
// commands a program has is decided by what it is linked from.
class Command {
 public:
  Command(const char* name, const char* help);
  virtual void add_options(CLI::App& app) = 0;
  virtual void run() = 0;

  const char* const name;
  const char* const help;
  bool as_json = false;  // every command has --json

 protected:
  ~Command() = default;
};
std::vector<Command*>& commands();

// What a command found out. Names keep the order in which they are added.
using Report = nlohmann::ordered_json;

// Prints to stdout: JSON, or a line for each value and a table for each list of
// objects.
void print(const Report& report, bool as_json);
std::string markdown_table(const Report& rows);

// Exit codes, as --help lists them.
enum ExitCode {
  kSuccess = 0,
  kFailed = 1,   // a model cannot be loaded or run, a file cannot be used
  kUsage = 2,    // wrong or missing arguments
  kDiffers = 3,  // an output is not what was expected
};

// What goes wrong is thrown: one line, or none if it was printed already.
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

}  // namespace executorch::tools
