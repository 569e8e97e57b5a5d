// The `executorch` program: its commands, and how it ends.
#include <CLI/CLI.hpp>
#include <iostream>

#include "tools/common.h"

namespace {

using namespace executorch::tools;  // NOLINT: the program's own names

constexpr const char* kFooter =
    "Exit code: 0 all went well, 1 a model or file cannot be used or fails,\n"
    "2 wrong arguments, 3 an output is not as expected.\n"
    "`executorch COMMAND --help` says more about a command.";

int report(const std::string& message, int code) {
  if (!message.empty()) {
    std::cerr << "executorch: " << message << "\n";
  }
  return code;
}

// What the parser says, or, as it looks at the command last, that there is none
// of this name.
std::string usage_message(const CLI::ParseError& error, const char* first) {
  std::string names;
  for (const Command* command : commands()) {
    if (first != nullptr && std::string(first) == command->name) {
      return std::string(error.what()) + " (see executorch " + first +
             " --help)";
    }
    names += (names.empty() ? "" : ", ") + std::string(command->name);
  }
  return (first == nullptr ? "a command is missing"
                           : "there is no command " + std::string(first)) +
         "; commands: " + names;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Runs, inspects and times models in the .pte format",
               "executorch");
  app.require_subcommand(1);
  app.set_version_flag("--version", EXECUTORCH_VERSION);
  app.footer(kFooter);
  for (Command* command : commands()) {
    CLI::App* sub = app.add_subcommand(command->name, command->help);
    command->add_options(*sub);
    sub->add_flag("--json", command->as_json, "Print JSON");
    sub->callback([command] { command->run(); });
  }
  capture_log();
  try {
    app.parse(argc, argv);
    return kSuccess;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      return app.exit(error);  // --help and --version
    }
    return report(usage_message(error, argc > 1 ? argv[1] : nullptr), kUsage);
  } catch (const Failure& failure) {
    return report(failure.what(), failure.code());
  } catch (const std::exception& error) {
    return report(error.what(), kFailed);
  }
}
