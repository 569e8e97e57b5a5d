// executorch bench: how long models and operators take.
//
// Every case (model or file of rows, threads, instruction set) is timed in a
// process of its own, so that the memory figures are its own and the choice of
// the instruction set, made when libraries are loaded, can be forced.
#include "tools/bench.h"

#include <sys/wait.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>

namespace executorch::tools {
namespace {

// Tells a process what to time: a BenchCase.
constexpr const char* kCase = "EXECUTORCH_BENCH_CASE";

// Starts this program again for a case. Returns its exit code and hands on the
// lines that it prints.
int run_process(const BenchCase& one, const std::function<void(Report)>& take) {
  setenv(kCase, nlohmann::json(one).dump().c_str(), 1);
  if (!one.isa.empty()) {
    setenv("EXECUTORCH_ISA", one.isa.c_str(), 1);
  }
  FILE* output = popen("exec /proc/$PPID/exe bench", "r");
  if (output == nullptr) {
    throw Failure(kFailed, "cannot start a process");
  }
  char* line = nullptr;
  size_t room = 0;
  while (getline(&line, &room, output) > 0) {
    take(Report::parse(line));
  }
  std::free(line);
  const int status = pclose(output);
  if (WIFSIGNALED(status)) {
    throw Failure(kFailed, one.file +
                               ": the process that timed it died of signal " +
                               std::to_string(WTERMSIG(status)));
  }
  return WEXITSTATUS(status);
}

struct {
  std::vector<std::string> models, rows;
  std::vector<size_t> threads = {1};
  std::vector<std::string> isa = {""};
  BenchCase one;  // what all cases have in common
  bool machine = false;
} options;

void add_options(CLI::App& app) {
  BenchCase& one = options.one;
  app.add_option("models", options.models, "The .pte files")
      ->check(CLI::ExistingFile);
  app.add_option("--op", options.rows,
                 "Files of operator calls (.jsonl, beside its .raw): times "
                 "the kernels")
      ->check(CLI::ExistingFile);
  app.add_option("--only", one.only,
                 "Of those, calls whose id or note contains this");
  app.add_option("--isa", options.isa,
                 "Instruction sets to force, as in baseline,avx2")
      ->delimiter(',');
  app.add_flag("--machine", options.machine,
               "Measure what this machine can do at most")
      ->excludes("--isa");
  app.add_option("-d,--data", one.data, "A .ptd file of the models")
      ->check(CLI::ExistingFile);
  app.add_flag("--profile", one.profile,
               "Show the time of each operator of a model");
  app.option_defaults()->always_capture_default();
  app.add_option("-m,--method", one.method, "Method of the models");
  app.add_option("-t,--threads", options.threads, "As in 1,2")
      ->delimiter(',')
      ->check(CLI::Range(1, 1024));
  app.add_option("-n,--runs", one.runs, "Samples at most")
      ->check(CLI::Range(1, 1000000));
  app.add_option("--seconds", one.seconds, "Seconds per case, about")
      ->check(CLI::Range(0.0, 3600.0));
}

std::vector<BenchCase> list_cases() {
  std::vector<BenchCase> cases;
  for (const auto* files : {&options.models, &options.rows}) {
    for (const std::string& file : *files) {
      for (const size_t threads : options.threads) {
        for (const std::string& isa : options.isa) {
          BenchCase& one = cases.emplace_back(options.one);
          one.file = file;
          one.is_model = files == &options.models;
          one.threads = threads;
          one.isa = isa;
        }
      }
    }
  }
  return cases;
}

void time_all(const std::vector<BenchCase>& cases) {
  Report table = Report::array();
  const auto take = [&](Report row) {
    const char* isa = std::getenv("EXECUTORCH_ISA");
    row["isa"] = isa != nullptr ? isa : "best";
    if (row.contains("bytes")) {
      add_rates(row);
    }
    if (as_json) {
      std::cout << row.dump() << std::endl;
    }
    table.push_back(row);
  };
  int worst = kSuccess;
  for (size_t i = 0; i < cases.size(); ++i) {
    worst = std::max(worst, run_process(cases[i], take));
    show_progress("bench", i + 1, cases.size());
  }
  if (!as_json) {
    print(table);
  }
  if (worst != kSuccess) {
    throw Failure(static_cast<ExitCode>(worst), "");  // it said why
  }
}

// The one case of this process.
void time_here(const BenchCase& one) {
  if (one.is_model) {
    std::cout << time_model(one) << "\n";
    return;
  }
  const auto path = std::filesystem::path(one.file).replace_extension(".raw");
  std::ifstream data(path, std::ios::binary);
  if (!data) {
    throw Failure(kFailed, path.string() + ": cannot open the file");
  }
  const std::vector<uint8_t> raw(std::istreambuf_iterator<char>(data), {});
  std::ifstream stream(one.file);
  bool timed = false;
  for (std::string line; std::getline(stream, line);) {
    const auto call = nlohmann::json::parse(line);
    const std::string words =
        call["id"].get<std::string>() + " " + call.value("note", "");
    if (words.find(one.only) != std::string::npos && call["expect"] == "ok") {
      std::cout << time_operator(call, raw, one) << "\n";
      timed = true;
    }
  }
  if (!timed) {
    throw Failure(kUsage, one.file + ": no call to time that has \"" +
                              one.only + "\" in its id or note");
  }
}

void run() {
  if (const char* one = std::getenv(kCase)) {
    time_here(nlohmann::json::parse(one).get<BenchCase>());
    return;
  }
  const auto cases = list_cases();
  if (options.machine) {
    print(machine_peaks(options.threads.front()));
  } else if (cases.empty()) {
    throw Failure(kUsage,
                  "nothing to time: give a .pte file, --op ROWS.jsonl, "
                  "--machine, or compare A B");
  }
  time_all(cases);
}

const auto added = commands.insert(
    {"bench",
     {"Time models and operators, and compare results", add_options, run}});

}  // namespace
}  // namespace executorch::tools
