// Adds up the time of each operator and delegate of a method, and of what a
// delegate tells about its own operators.
#pragma once

#include <executorch/runtime/platform/clock.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "test/support/quiet_tracer.h"
#include "tools/common.h"

namespace executorch::tools {

class Profile final : public test::QuietTracer {
 public:
  void clear() { totals_.clear(), runs_ = 0; }

  // Rows {"name", "calls", "us"} of one run, slowest first.
  Report rows() const {
    auto rows = Report::array();
    const auto runs = static_cast<double>(std::max<size_t>(runs_, 1));
    for (const auto& [name, total] : totals_) {
      rows.push_back({{"name", name},
                      {"calls", static_cast<double>(total.calls) / runs},
                      {"us", total.us / runs}});
    }
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
      return a["us"].template get<double>() > b["us"].template get<double>();
    });
    return rows;
  }

  void create_event_block(Name) override { ++runs_; }

  // Events nest; the entry names the one that ends.
  Entry start_profiling(Name name, runtime::ChainID,
                        runtime::DebugHandle) override {
    Entry entry = {};
    entry.event_id = static_cast<int64_t>(open_.size());
    open_.push_back(name);
    entry.start_time = runtime::pal_current_ticks();
    return entry;
  }

  // Other events than these are around them, and their times are sums.
  void end_profiling(Entry entry) override {
    const et_timestamp_t end = runtime::pal_current_ticks();
    const std::string name = open_.at(static_cast<size_t>(entry.event_id));
    const std::string kernel = "native_call_";
    if (name.rfind(kernel, 0) == 0) {
      add(name.substr(kernel.size()), entry.start_time, end);
    } else if (name == "DELEGATE_CALL") {
      add("delegates", entry.start_time, end);
    }
    open_.resize(static_cast<size_t>(entry.event_id));
  }

  // Delegates number the operators of one name: "conv #3".
  void log_profiling_delegate(Name name, Id id, et_timestamp_t begin,
                              et_timestamp_t end, const void*,
                              size_t) override {
    const std::string part = name == nullptr ? std::to_string(id) : name;
    add("in delegates: " + part.substr(0, part.rfind(" #")), begin, end);
  }

 private:
  void add(const std::string& name, et_timestamp_t begin, et_timestamp_t end) {
    Total& total = totals_[name];
    ++total.calls;
    total.us += static_cast<double>(runtime::ticks_to_ns(end - begin)) / 1e3;
  }

  struct Total {
    size_t calls = 0;
    double us = 0;
  };
  std::vector<std::string> open_;
  std::map<std::string, Total> totals_;
  size_t runs_ = 0;
};

}  // namespace executorch::tools
