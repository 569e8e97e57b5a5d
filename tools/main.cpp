// The `executorch` program: its commands, and how it ends.
#include <iostream>

#include "tools/common.h"

namespace {

using namespace executorch::tools;  // NOLINT: the program's own names

constexpr const char* kFooter =
    "Exit code: 0 all went well, 1 a model or file cannot be used or fails,\n"
    "2 wrong arguments, 3 an output is not as expected.\n"
    "`executorch COMMAND --help` says more about a command.";

int report(const std::string& message, int code) {
  std::cerr << "executorch: " << message << "\n";
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Runs, inspects and times models in the .pte format",
               "executorch");
  app.require_subcommand(1);
  app.set_version_flag("--version", EXECUTORCH_VERSION);
  app.footer(kFooter);
  add_run(app);
  add_inspect(app);
  add_ops(app);
  add_bench(app);
  add_pack_moe(app);
  add_completion(app);
  capture_log();
  try {
    app.parse(argc, argv);
    return kSuccess;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      return app.exit(error);  // --help and --version
    }
    return report(std::string(error.what()) + " (see executorch --help)",
                  kUsage);
  } catch (const Failure& failure) {
    return report(failure.what(), failure.code());
  } catch (const std::exception& error) {
    return report(error.what(), kFailed);
  }
}
