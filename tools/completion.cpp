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
// COMP_LINE, as bash does.
const std::map<std::string, const char*> kScripts = {
    {"bash",
     "complete -o default -C 'executorch completion words' executorch\n"},
    {"zsh",
     "_executorch() {\n"
     "  local words=(${(f)\"$(COMP_LINE=${(j: :)words[1,CURRENT]} "
     "executorch completion words)\"})\n"
     "  compadd -a words || _files\n"
     "}\n"
     "compdef _executorch executorch\n"},
    {"fish",
     "complete -c executorch -a "
     "'(COMP_LINE=(commandline -cp) executorch completion words)'\n"},
};

// The commands and options that may stand where `line` ends.
void print_words(const CLI::App* app, const std::string& line) {
  const size_t last = line.rfind(' ') + 1;
  const std::string begun = line.substr(last);
  std::istringstream before(line.substr(0, last));
  for (std::string word; before >> word;) {
    for (const CLI::App* command : app->get_subcommands(nullptr)) {
      app = command->get_name() == word ? command : app;
    }
  }
  const auto offer = [&](const std::string& word) {
    if (word.rfind(begun, 0) == 0) {
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

class Completion final : public Command {
 public:
  using Command::Command;

 private:
  void add_options(CLI::App& app) override {
    root_ = app.get_parent();
    app.add_option("shell", shell_, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish", "words"}));
    app.allow_extras();  // bash adds the words at the cursor
  }

  void run() override {
    if (shell_ != "words") {
      std::cout << kScripts.at(shell_);
    } else if (const char* line = std::getenv("COMP_LINE")) {
      print_words(root_, line);
    }
  }

  const CLI::App* root_ = nullptr;
  std::string shell_;
};
Completion completion(
    "completion",
    "Print a completion script: source <(executorch completion bash)");

}  // namespace
}  // namespace executorch::tools
