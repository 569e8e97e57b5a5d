// The bench command alone, for tools/bench_peer.sh: it needs nothing that only
// this SDK has.
#include <CLI/CLI.hpp>
#include <iostream>

#include "tools/common.h"

int main(int argc, char** argv) {
  using namespace executorch::tools;  // NOLINT: the program's own names
  CLI::App app("Times models and operators", "bench");
  app.require_subcommand(1);
  add_bench(app);
  try {
    app.parse(argc, argv);
    return kSuccess;
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  } catch (const std::exception& error) {
    std::cerr << "bench: " << error.what() << "\n";
    return kFailed;
  }
}
