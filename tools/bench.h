// The parts of the bench command.
//
// They use only headers that every SDK of this interface ships, so that
// tools/bench_peer.sh can build the same source with another one.
#pragma once

#include "tools/common.h"

namespace executorch::tools {

// What one process times, and how.
struct BenchCase {
  std::string file;  // a model, or rows of operators
  bool is_model = true;
  std::string only;    // part of the id or note of rows
  size_t runs = 1000;  // samples, at most
  double seconds = 1;  // ... and so long, for 3 samples 5 times it
  size_t threads = 1;
  std::string isa;  // to force; empty: the best
  std::string method = "forward";
  std::string data;      // a .ptd file, or empty
  bool profile = false;  // add the time of each operator
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BenchCase, file, is_model, only, runs,
                                   seconds, threads, method, data, profile)

// A row: "name", "threads", "runs", the times "min_us", "median_us" and
// "p90_us" of Method::execute() with its inputs already set, and "load_us",
// "init_us", "first_us" and "peak_kb", the largest resident memory.
Report time_model(const BenchCase& options);

// The same of the kernel alone, for a call as in test/data/ops/FORMAT.md; with
// the "bytes" that it reads and writes at least, and for products "macs".
Report time_operator(const nlohmann::json& call,
                     const std::vector<uint8_t>& raw, const BenchCase& options);

// What the machine can do at most with so many threads: "fma_gmacs" and
// "int8_gmacs", multiply-adds in float32 and products of int8, and reads,
// "l2_gbs", "l3_gbs" and "dram_gbs", in billions per second. Measured once.
const Report& machine_peaks(size_t threads);

// What a row reaches, and in percent of these.
void add_rates(Report& row);

}  // namespace executorch::tools
