// What the commands of the program share: how they are declared, how they fail
// and how they print.
#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>

#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace executorch::tools {

struct Command {
  const char* help;
  void (*add_options)(CLI::App&);
  void (*run)();
};

// A file of a command adds it: which commands a program has is decided by what
// it is linked from. "bench compare" is a command of "bench".
inline std::map<std::string, Command> commands;

inline bool as_json = false;  // every command has --json

// What a command found out. Names keep the order in which they are added.
using Report = nlohmann::ordered_json;

// Prints to stdout: JSON, or a line for each value and a table for each list of
// objects.
void print(const Report& report);
void print_markdown(const Report& objects);

// Exit codes, as --help lists them.
enum ExitCode {
  kSuccess = 0,
  kFailed = 1,   // a model cannot be loaded or run, a file cannot be used
  kUsage = 2,    // wrong or missing arguments
  kDiffers = 3,  // an output is not what was expected
};

// What goes wrong is thrown: one line, or none if it was printed already.
struct Failure : std::runtime_error {
  Failure(ExitCode code, const std::string& message)
      : std::runtime_error(message), code(code) {}
  ExitCode code;
};

// Throws, unless all is well, with what the runtime logged about the error.
void check(runtime::Error error, const std::string& doing);

template <class T>
T value(runtime::Result<T> result, const std::string& doing) {
  check(result.error(), doing);
  return std::move(result.get());
}

// What `text` makes of each item.
template <class Items, class Text>
std::string joined(const Items& items, const char* between, Text text) {
  std::string all;
  for (const auto& item : items) {
    all += (all.empty() ? "" : between) + std::string(text(item));
  }
  return all;
}

// What `describe` makes of each item.
template <class Items, class Describe>
Report rows(const Items& items, Describe describe) {
  Report all = Report::array();
  for (const auto& item : items) {
    all.push_back(describe(item));
  }
  return all;
}

// Keeps the runtime's error lines for check().
void capture_log();

// A bar on stderr while something takes long; nothing if that is no terminal.
// It goes away when all is done.
void show_progress(const char* what, size_t done, size_t steps);

}  // namespace executorch::tools
