// Times one model, or one stored call of an operator.
//
// This and bench_timing.cpp use only headers that every SDK of this interface
// ships, so that tools/bench_peer.sh can build the same source with another
// one. What is timed: Method::execute() with its inputs already set; for an
// operator the kernel alone.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace executorch::tools {

struct TimingOptions {
  size_t runs = 100;     // samples, at most
  double seconds = 1;    // ... and so long, but at least 3 samples
  double warm_up = 0.1;  // seconds, at least one run
  size_t threads = 1;
  std::string method = "forward";
  std::string data;      // a .ptd file, or empty
  bool profile = false;  // add the time of each operator
};

// One line of JSON: "name", "threads", "runs", the times "min_us", "median_us"
// and "p90_us", and for a model "load_us", "init_us" and "first_us".
nlohmann::json time_model(const std::string& path,
                          const TimingOptions& options);

// `call` and `raw` as in test/data/ops/FORMAT.md. Adds "bytes", and "macs" for
// products.
nlohmann::json time_operator(const nlohmann::json& call,
                             const std::vector<uint8_t>& raw,
                             const TimingOptions& options);

// Times `run` until the options are met. A sample holds as many runs as make
// it long against the resolution of the clock.
nlohmann::json time_runs(const std::function<void()>& run,
                         const TimingOptions& options);

// Largest resident memory of this process so far, in KB; 0 if unknown.
size_t peak_memory_kb();

}  // namespace executorch::tools
