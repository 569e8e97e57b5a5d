// executorch completion: makes a shell complete commands and options.
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>

#include "tools/common.h"

namespace executorch::tools {
namespace {

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

const Command completion(
    "completion",
    "Print a completion script: source <(executorch completion bash)",
    add_options, run);

}  // namespace
}  // namespace executorch::tools
