#include "tools/bench_profile.h"

#include <algorithm>
#include <chrono>

namespace executorch::tools {

using nlohmann::json;
using runtime::EventTracerEntry;

namespace {

// How the runtime names the event of an operator.
const std::string kOperator = "native_call_";

uint64_t nanoseconds() {
  return static_cast<uint64_t>(
      std::chrono::steady_clock::now().time_since_epoch() /
      std::chrono::nanoseconds(1));
}

}  // namespace

// Events nest; the entry names the one that ends.
EventTracerEntry Profile::start_profiling(const char* name, runtime::ChainID,
                                          runtime::DebugHandle) {
  EventTracerEntry entry = {};
  entry.event_id = static_cast<int64_t>(open_.size());
  open_.emplace_back(name);
  entry.start_time = nanoseconds();
  return entry;
}

void Profile::end_profiling(EventTracerEntry entry) {
  const auto ticks = nanoseconds() - entry.start_time;
  const auto index = static_cast<size_t>(entry.event_id);
  if (index >= open_.size()) {
    return;
  }
  Total& total = totals_[open_[index]];
  ++total.calls;
  total.us += static_cast<double>(ticks) / 1e3;
  open_.resize(index);
}

json Profile::rows() const {
  json rows = json::array();
  const auto runs = static_cast<double>(std::max<size_t>(runs_, 1));
  for (const auto& [name, total] : totals_) {
    // Other events are around these, and their times are sums.
    const bool is_operator = name.rfind(kOperator, 0) == 0;
    if (is_operator || name == "DELEGATE_CALL") {
      rows.push_back(
          {{"name", is_operator ? name.substr(kOperator.size()) : "delegates"},
           {"calls", static_cast<double>(total.calls) / runs},
           {"us", total.us / runs}});
    }
  }
  std::sort(rows.begin(), rows.end(), [](const json& a, const json& b) {
    return a["us"].get<double>() > b["us"].get<double>();
  });
  return rows;
}

}  // namespace executorch::tools
