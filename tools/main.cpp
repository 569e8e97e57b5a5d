// The `executorch` program: its commands, how shells complete them, and how it
// ends.
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "tools/common.h"

namespace {

using namespace executorch::tools;  // NOLINT: the program's own names

// The shells call `executorch completion words` with the line typed so far in
// COMP_LINE, as bash does; zsh can do what bash does.
const std::string kBash =
    "complete -o default -C 'executorch completion words' executorch\n";
const std::map<std::string, std::string> kScripts = {
    {"bash", kBash},
    {"zsh", "autoload -Uz bashcompinit && bashcompinit\n" + kBash},
    {"fish",
     "complete -c executorch -a "
     "'(COMP_LINE=(commandline -cp) executorch completion words)'\n"},
};

// Prints the commands and options that may stand where the line ends.
void print_words(const CLI::App* app, const std::string& line) {
  const size_t last = line.rfind(' ') + 1;
  std::istringstream before(line.substr(0, last));
  for (std::string word; before >> word;) {
    for (const CLI::App* command : app->get_subcommands(nullptr)) {
      app = command->get_name() == word ? command : app;
    }
  }
  const auto offer = [&](const std::string& word) {
    if (word.rfind(line.substr(last), 0) == 0) {
      std::cout << word << "\n";
    }
  };
  for (const CLI::App* command : app->get_subcommands(nullptr)) {
    offer(command->get_name());
  }
  for (const CLI::Option* option : app->get_options()) {
    for (const std::string& name : option->get_lnames()) {
      offer("--" + name);
    }
  }
}

const CLI::App* root = nullptr;
std::string shell;

void add_options(CLI::App& app) {
  root = app.get_parent();
  app.add_option("shell", shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish", "words"}));
  app.prefix_command();  // bash adds the words at the cursor
}

void run() {
  if (shell != "words") {
    std::cout << kScripts.at(shell);
  } else if (const char* line = std::getenv("COMP_LINE")) {
    print_words(root, line);
  }
}

const auto added = commands.insert(
    {"completion",
     {"Print a completion script: source <(executorch completion bash)",
      add_options, run}});

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
         joined(commands, ", ", [](const auto& one) { return one.first; });
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
  app.footer(
      "Exit code: 0 all went well, 1 a model or file cannot be used or fails,\n"
      "2 wrong arguments, 3 an output is not as expected.\n"
      "`executorch COMMAND --help` says more about a command.");
  for (const auto& [name, command] : commands) {
    add(app, name, command);
  }
  capture_log();
  try {
    app.parse(argc, argv);
    return std::cout.flush() ? kSuccess
                             : report("cannot write the results", kFailed);
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
