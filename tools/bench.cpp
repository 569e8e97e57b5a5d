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
#include <iostream>
#include <iterator>
#include <map>

namespace executorch::tools {
namespace {

// Tells a process what to time: a BenchCase.
constexpr const char* kCase = "EXECUTORCH_BENCH_CASE";

std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    throw Failure(kFailed, path.string() + ": cannot open the file");
  }
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Starts this program again for a case. Returns its exit code and hands on the
// lines that it prints.
template <class Take>
int run_process(const BenchCase& one, const std::string& isa, Take take) {
  const auto self = std::filesystem::read_symlink("/proc/self/exe");
  setenv("EXECUTORCH_BENCH", self.c_str(), 1);
  setenv(kCase, nlohmann::json(one).dump().c_str(), 1);
  if (!isa.empty()) {
    setenv("EXECUTORCH_ISA", isa.c_str(), 1);
  }
  FILE* output = popen("exec \"$EXECUTORCH_BENCH\" bench", "r");
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

class Bench final : public Command {
 public:
  using Command::Command;

 private:
  void add_options(CLI::App& app) override {
    app_ = &app;
    app.add_option("models", models_, "The .pte files")
        ->check(CLI::ExistingFile);
    app.add_option("--op", rows_,
                   "Files of operator calls (.jsonl, beside its .raw): times "
                   "the kernels")
        ->check(CLI::ExistingFile);
    app.add_option("--only", case_.only,
                   "Of those, calls whose id or note contains this");
    app.add_option("-t,--threads", threads_, "As in 1,2")
        ->delimiter(',')
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    app.add_option("--isa", isa_,
                   "Instruction sets to force, as in baseline,avx2")
        ->delimiter(',');
    app.add_flag("--machine", machine_,
                 "Measure what this machine can do at most");
    app.add_option("-o,--output", output_,
                   "File to append the results to, as JSON lines");
    app.add_option("--engine", case_.engine, "")->group("");
    add_timing_options(app);
    add_compare(*app.add_subcommand(
        "compare",
        "Print the ratio of the times in a file to those in others"));
  }

  void add_timing_options(CLI::App& app) {
    app.add_option("-n,--runs", case_.runs, "Samples at most")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    app.add_option("--seconds", case_.seconds, "Seconds per case, about")
        ->check(CLI::Range(0.0, 3600.0))
        ->capture_default_str();
    app.add_option("--warm-up", case_.warm_up, "Seconds before that")
        ->check(CLI::Range(0.0, 3600.0))
        ->capture_default_str();
    app.add_option("-m,--method", case_.method, "Method of the models")
        ->capture_default_str();
    app.add_option("-d,--data", case_.data, "A .ptd file of the models")
        ->check(CLI::ExistingFile);
    app.add_flag("--profile", case_.profile,
                 "Show the time of each operator of a model");
  }

  void add_compare(CLI::App& app) {
    app.add_option("files", compare_.files,
                   "Results as `bench --json` writes them, two or more: the "
                   "times of the first divided by those of each other")
        ->required()
        ->expected(2, 8)
        ->check(CLI::ExistingFile);
    app.add_option("--svg", compare_.svg,
                   "File for a bar chart of the first two");
    app.add_flag("--markdown", compare_.as_markdown, "Print Markdown");
    app.add_flag("--json", compare_.as_json, "Print JSON");
  }

  void run() override {
    if (!app_->get_subcommands().empty()) {
      compare_results(compare_);
      return;
    }
    if (const char* one = std::getenv(kCase)) {
      time_here(nlohmann::json::parse(one).get<BenchCase>());
      return;
    }
    if (machine_) {
      print(peaks(threads_.front()), as_json);
    }
    if (!models_.empty() || !rows_.empty()) {
      time_all();
    } else if (!machine_) {
      throw Failure(kUsage,
                    "nothing to time: give a .pte file, --op ROWS.jsonl, "
                    "--machine, or compare A B");
    }
  }

  std::vector<BenchCase> list_cases() const {
    std::vector<BenchCase> cases;
    for (const auto* files : {&models_, &rows_}) {
      for (const std::string& file : *files) {
        for (const size_t threads : threads_) {
          BenchCase& one = cases.emplace_back(case_);
          one.file = file;
          one.is_model = files == &models_;
          one.threads = threads;
        }
      }
    }
    return cases;
  }

  void time_all() {
    const auto cases = list_cases();
    Progress progress("bench", cases.size() * isa_.size());
    int worst = kSuccess;
    for (const BenchCase& one : cases) {
      for (const std::string& isa : isa_) {
        const int code =
            run_process(one, isa, [&](const Report& row) { take(row); });
        worst = std::max(worst, code);
        progress.step();
      }
    }
    if (!as_json) {
      print(table_, false);
      print(profiles_, false);
    }
    if (worst != kSuccess) {
      throw Failure(static_cast<ExitCode>(worst), "");  // it said why
    }
  }

  void take(Report row) {
    if (row.contains("bytes")) {
      add_rates(row, peaks(row["threads"]));
    }
    if (as_json) {
      std::cout << row.dump() << std::endl;
    }
    if (!output_.empty()) {
      std::ofstream file(output_, std::ios::app);
      if (!(file << row.dump() << std::endl)) {
        throw Failure(kFailed, output_ + ": cannot write the file");
      }
    }
    if (row.contains("operators")) {
      profiles_.push_back(
          {{"name", row["name"]}, {"operators", row["operators"]}});
    }
    for (const char* name : {"kind", "engine", "note", "operators"}) {
      row.erase(name);
    }
    table_.push_back(row);
  }

  // The one case of this process.
  static void time_here(const BenchCase& one) {
    const char* isa = std::getenv("EXECUTORCH_ISA");
    const auto emit = [&](Report row) {
      row["isa"] = isa != nullptr ? isa : "best";
      row["engine"] = one.engine;
      std::cout << row.dump() << "\n";
    };
    if (one.is_model) {
      emit(time_model(one));
      return;
    }
    const std::string bytes =
        read_file(std::filesystem::path(one.file).replace_extension(".raw"));
    const std::vector<uint8_t> raw(bytes.begin(), bytes.end());
    std::ifstream stream(one.file);
    for (std::string line; std::getline(stream, line);) {
      const auto call = nlohmann::json::parse(line);
      const bool wanted =
          (call["id"].get<std::string>() + " " + call.value("note", ""))
              .find(one.only) != std::string::npos;
      if (wanted && call["expect"] == "ok") {
        emit(time_operator(call, raw, one));
      }
    }
  }

  // Measured once.
  const Report& peaks(size_t threads) {
    const auto found = peaks_.find(threads);
    return found != peaks_.end()
               ? found->second
               : peaks_.emplace(threads, machine_peaks(threads)).first->second;
  }

  CLI::App* app_ = nullptr;
  std::vector<std::string> models_;
  std::vector<std::string> rows_;
  std::vector<size_t> threads_ = {1};
  std::vector<std::string> isa_ = {""};  // empty: the best
  BenchCase case_;                       // but for its file and threads
  bool machine_ = false;
  std::string output_;
  CompareOptions compare_;
  std::map<size_t, Report> peaks_;
  Report table_ = Report::array();
  Report profiles_ = Report::array();
};
Bench bench("bench", "Time models and operators, and compare results");

}  // namespace
}  // namespace executorch::tools
