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

void add(CLI::App& app, const std::string& name, const Command& command) {
  const auto words = CLI::detail::split(name, ' ');
  CLI::App& parent = words.size() == 1 ? app : *app.get_subcommand(words[0]);
  CLI::App* sub = parent.add_subcommand(words.back(), command.help);
  command.add_options(*sub);
  sub->add_flag("--json", as_json, "Print JSON");
  sub->callback([sub, run = command.run] {
    if (sub->get_subcommands().empty()) {
      run();
    }
  });
}

// What the parser says; as it looks at the command last, that there is none of
// this name.
std::string usage_message(const CLI::App* app, const std::string& error,
                          const char* first) {
  std::string path = app->get_name();
  while (!app->get_subcommands().empty()) {
    app = app->get_subcommands()[0];
    path += " " + app->get_name();
  }
  if (app->get_parent() != nullptr) {
    return error + " (see " + path + " --help)";
  }
  return (first == nullptr ? "a command is missing"
                           : "there is no command " + std::string(first)) +
         "; commands: " +
         joined(commands(), ", ", [](const auto& one) { return one.first; });
}

int report(const std::string& message, int code) {
  if (!message.empty()) {
    std::cerr << "executorch: " << message << "\n";
  }
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Runs, inspects and times models in the .pte format",
               "executorch");
  app.require_subcommand(1);
  app.set_version_flag("--version", EXECUTORCH_VERSION);
  app.footer(kFooter);
  for (const auto& [name, command] : commands()) {
    add(app, name, command);
  }
  capture_log();
  try {
    app.parse(argc, argv);
    return kSuccess;
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code() == 0  // --help and --version
               ? app.exit(error)
               : report(usage_message(&app, error.what(), argv[1]), kUsage);
  } catch (const Failure& failure) {
    return report(failure.what(), failure.code);
  } catch (const std::exception& error) {
    return report(error.what(), kFailed);
  }
}
