// executorch bench: how long models and operators take.
//
// Every case (model or file of rows, threads, instruction set) is timed in a
// process of its own, so that the memory figures are its own and the choice of
// the instruction set, made when libraries are loaded, can be forced.
#include <sys/wait.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "tools/bench_compare.h"
#include "tools/bench_machine.h"
#include "tools/bench_timing.h"
#include "tools/common.h"

namespace executorch::tools {
namespace {

using nlohmann::json;

struct Options {
  std::vector<std::string> models;
  std::vector<std::string> rows;
  std::string only;
  std::vector<size_t> threads = {1};
  std::vector<std::string> isa;
  std::string engine = "executorch";
  std::string output;
  bool machine = false;
  bool as_json = false;
  bool in_process = false;
  TimingOptions timing;
};

std::string quoted(const std::string& text) {
  std::string all = "'";
  for (const char c : text) {
    all += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return all + "' ";
}

// The command line that times one case in this way.
std::string command(const Options& options, const std::string& what,
                    size_t threads, const std::string& isa) {
  const TimingOptions& timing = options.timing;
  std::string line = isa.empty() ? "" : "EXECUTORCH_ISA=" + quoted(isa);
  line += quoted(std::filesystem::read_symlink("/proc/self/exe"));
  line += "bench --in-process " + what + "--threads " + std::to_string(threads);
  line += " --runs " + std::to_string(timing.runs);
  line += " --seconds " + std::to_string(timing.seconds);
  line += " --warm-up " + std::to_string(timing.warm_up);
  line += " --method " + quoted(timing.method);
  line += "--engine " + quoted(options.engine);
  line += timing.data.empty() ? "" : "--data " + quoted(timing.data);
  line += options.only.empty() ? "" : "--only " + quoted(options.only);
  line += timing.profile ? "--profile " : "";
  return line;
}

double rate(const json& row, const char* amount) {
  return row.value(amount, 0.0) / row["min_us"].get<double>() / 1e3;
}

void print(const json& row) {
  if (row.contains("error")) {
    return;
  }
  std::printf("%-44s %d thr %-10s min %11.2f median %11.2f p90 %11.2f us",
              row["name"].get<std::string>().c_str(), row["threads"].get<int>(),
              row["isa"].get<std::string>().c_str(),
              row["min_us"].get<double>(), row["median_us"].get<double>(),
              row["p90_us"].get<double>());
  if (row["kind"] == "model") {
    std::printf("  load %.0f init %.0f first %.0f us, peak %s",
                row["load_us"].get<double>(), row["init_us"].get<double>(),
                row["first_us"].get<double>(),
                size_text(row["peak_kb"].get<double>() * 1024).c_str());
  } else {
    std::printf("  %.2f GB/s", rate(row, "bytes"));
    if (row.contains("macs")) {
      std::printf("  %.2f GMAC/s", rate(row, "macs"));
    }
  }
  std::printf("\n");
  for (const json& op : row.value("operators", json::array())) {
    std::printf("    %-52s %6.0f calls %11.1f us\n",
                op["name"].get<std::string>().c_str(),
                op["calls"].get<double>(), op["us"].get<double>());
  }
}

void report(const Options& options, const std::string& line) {
  if (options.as_json) {
    std::cout << line << std::flush;
  } else {
    print(json::parse(line));
  }
  if (!options.output.empty()) {
    std::ofstream(options.output, std::ios::app) << line;
  }
}

// Runs a case in a process; returns its exit code.
int run_case(const Options& options, const std::string& line) {
  FILE* pipe = popen(line.c_str(), "r");
  if (pipe == nullptr) {
    throw Failure(kFailed, "cannot start a process");
  }
  char* text = nullptr;
  size_t room = 0;
  while (getline(&text, &room, pipe) > 0) {
    report(options, text);
  }
  std::free(text);
  const int status = pclose(pipe);
  return WIFEXITED(status) ? WEXITSTATUS(status) : int{kFailed};
}

void run_all(const Options& options) {
  std::vector<std::string> what;
  for (const std::string& model : options.models) {
    what.push_back(quoted(model));
  }
  for (const std::string& rows : options.rows) {
    what.push_back("--op " + quoted(rows));
  }
  const std::vector<std::string> sets =
      options.isa.empty() ? std::vector<std::string>{""} : options.isa;
  Progress progress("bench",
                    what.size() * sets.size() * options.threads.size());
  int worst = kSuccess;
  for (const std::string& one : what) {
    for (const std::string& isa : sets) {
      for (const size_t threads : options.threads) {
        worst = std::max(
            worst, run_case(options, command(options, one, threads, isa)));
        progress.step();
      }
    }
  }
  if (worst != kSuccess) {
    throw Failure(static_cast<ExitCode>(worst), "a case failed, see above");
  }
}

void emit(json row, const Options& options) {
  const char* isa = std::getenv("EXECUTORCH_ISA");
  row["isa"] = isa != nullptr ? isa : "best";
  row["engine"] = options.engine;
  std::cout << row.dump() << "\n";
}

std::vector<uint8_t> read_bytes(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    throw Failure(kFailed, path.string() + ": cannot open the file");
  }
  return {std::istreambuf_iterator<char>(stream), {}};
}

// All calls of a .jsonl file that are to succeed.
void time_rows(const std::string& file, const Options& options,
               const TimingOptions& timing) {
  const auto raw =
      read_bytes(std::filesystem::path(file).replace_extension(".raw"));
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    const json call = json::parse(line);
    const bool wanted =
        (call["id"].get<std::string>() + " " + call.value("note", ""))
            .find(options.only) != std::string::npos;
    if (wanted && call["expect"] == "ok") {
      emit(time_operator(call, raw, timing), options);
    }
  }
}

// The one case of this process.
void time_here(const Options& options) {
  TimingOptions timing = options.timing;
  timing.threads = options.threads.front();
  for (const std::string& model : options.models) {
    emit(time_model(model, timing), options);
  }
  for (const std::string& rows : options.rows) {
    time_rows(rows, options, timing);
  }
}

void bench(const Options& options) {
  if (options.machine) {
    const json peaks = machine_peaks();
    if (options.as_json) {
      std::cout << peaks.dump() << "\n";
    } else {
      std::printf(
          "one core: %.1f GMAC/s float32, %.1f GMAC/s int8; reads GB/s: %.1f "
          "L2, %.1f L3, %.1f DRAM\n",
          peaks["fma_gmacs"].get<double>(), peaks["int8_gmacs"].get<double>(),
          peaks["l2_gbs"].get<double>(), peaks["l3_gbs"].get<double>(),
          peaks["dram_gbs"].get<double>());
    }
  }
  if (options.in_process) {
    time_here(options);
  } else if (!options.models.empty() || !options.rows.empty()) {
    run_all(options);
  } else if (!options.machine) {
    throw Failure(kUsage,
                  "nothing to time: give a .pte file, --op ROWS.jsonl, "
                  "--machine, or compare A B");
  }
}

void add_compare(CLI::App& bench) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = bench.add_subcommand(
      "compare", "Print the ratio of two files of results, row by row");
  command->add_option("a", options->a, "Results as `bench --json` writes them")
      ->required()
      ->check(CLI::ExistingFile);
  command->add_option("b", options->b, "Results that they are divided by")
      ->required()
      ->check(CLI::ExistingFile);
  command->add_option("--svg", options->svg, "File for a bar chart");
  command->add_flag("--json", options->as_json, "Print JSON lines");
  command->callback([options] { compare_results(*options); });
}

void add_timing_options(CLI::App& command, TimingOptions& timing) {
  command.add_option("-n,--runs", timing.runs, "Samples at most")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--seconds", timing.seconds, "Seconds per case, about")
      ->capture_default_str();
  command.add_option("--warm-up", timing.warm_up, "Seconds before that")
      ->capture_default_str();
  command.add_option("-m,--method", timing.method, "Method of the models")
      ->capture_default_str();
  command.add_option("-d,--data", timing.data, "A .ptd file of the models")
      ->check(CLI::ExistingFile);
  command.add_flag("--profile", timing.profile,
                   "Show the time of each operator of a model");
}

}  // namespace

void add_bench(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "bench", "Time models and operators, and compare results");
  command->add_option("models", options->models, "The .pte files")
      ->check(CLI::ExistingFile);
  command
      ->add_option("--op", options->rows,
                   "Files of operator calls (.jsonl, beside its .raw): times "
                   "the kernels")
      ->check(CLI::ExistingFile);
  command->add_option("--only", options->only,
                      "Of those, calls whose id or note contains this");
  command->add_option("-t,--threads", options->threads, "As in 1,2")
      ->delimiter(',')
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command
      ->add_option("--isa", options->isa,
                   "Instruction sets to force, as in baseline,avx2")
      ->delimiter(',');
  add_timing_options(*command, options->timing);
  command->add_flag("--machine", options->machine,
                    "Measure what a core of this machine can do at most");
  command->add_option("-o,--output", options->output,
                      "File to append the results to, as JSON lines");
  command->add_flag("--json", options->as_json, "Print JSON lines");
  command->add_option("--engine", options->engine, "")->group("");
  command->add_flag("--in-process", options->in_process, "")->group("");
  add_compare(*command);
  command->callback([options, command] {
    if (command->get_subcommands().empty()) {
      bench(*options);
    }
  });
}

}  // namespace executorch::tools
