// executorch completion: makes a shell complete commands and options.
#include <CLI/CLI.hpp>
#include <iostream>

#include "tools/common.h"

namespace executorch::tools {
namespace {

// The names that may follow a command: its commands and its options.
std::string words(const CLI::App& command) {
  std::string all;
  for (const CLI::App* sub : command.get_subcommands(nullptr)) {
    all += sub->get_name() + " ";
  }
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      all += "--" + name + " ";
    }
  }
  return all;
}

// Both shells take the same function; zsh loads its counterpart of `complete`.
void print_bash(const CLI::App& app, bool zsh) {
  if (zsh) {
    std::cout << "autoload -U +X bashcompinit && bashcompinit\n";
  }
  std::cout << "_executorch() {\n"
               "  local word=${COMP_WORDS[COMP_CWORD]} words\n"
               "  case ${COMP_WORDS[1]} in\n";
  for (const CLI::App* sub : app.get_subcommands(nullptr)) {
    std::cout << "    " << sub->get_name() << ") words='" << words(*sub)
              << "' ;;\n";
  }
  std::cout << "    *) words='" << words(app)
            << "' ;;\n"
               "  esac\n"
               "  [ \"$COMP_CWORD\" = 1 ] && words='"
            << words(app)
            << "'\n"
               "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
               "}\n"
               "complete -o default -F _executorch executorch\n";
}

void print_fish(const CLI::App& app) {
  for (const CLI::App* sub : app.get_subcommands(nullptr)) {
    std::cout << "complete -c executorch -n __fish_use_subcommand -a "
              << sub->get_name() << " -d '" << sub->get_description() << "'\n";
    for (const CLI::Option* option : sub->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        std::cout << "complete -c executorch -n '__fish_seen_subcommand_from "
                  << sub->get_name() << "' -l " << name << "\n";
      }
    }
  }
}

}  // namespace

void add_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "completion",
      "Print a completion script: source <(executorch completion bash)");
  command->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([shell, &app] {
    if (*shell == "fish") {
      print_fish(app);
    } else {
      print_bash(app, *shell == "zsh");
    }
  });
}

}  // namespace executorch::tools
