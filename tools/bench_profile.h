// Adds up the time of each operator and delegate of a method, and of what a
// delegate tells about its own operators.
#pragma once

#include <executorch/runtime/platform/clock.h>

#include <algorithm>
#include <chrono>
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
      // Other events are around these, and their times are sums.
      const std::string kernel = "native_call_";
      const bool is_kernel = name.rfind(kernel, 0) == 0;
      const bool is_part = name.rfind(kPart, 0) == 0;
      if (is_kernel || is_part || name == "DELEGATE_CALL") {
        rows.push_back({{"name", is_kernel ? name.substr(kernel.size())
                                 : is_part ? name
                                           : "delegates"},
                        {"calls", static_cast<double>(total.calls) / runs},
                        {"us", total.us / runs}});
      }
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
    open_.push_back({name, Clock::now()});
    return entry;
  }

  void end_profiling(Entry entry) override {
    const auto index = static_cast<size_t>(entry.event_id);
    if (index < open_.size()) {
      Total& total = totals_[open_[index].name];
      ++total.calls;
      total.us += std::chrono::duration<double, std::micro>(Clock::now() -
                                                            open_[index].begin)
                      .count();
      open_.resize(index);
    }
  }

  // Delegates number the operators of one name: "conv #3".
  void log_profiling_delegate(Name name, Id id, et_timestamp_t begin,
                              et_timestamp_t end, const void*,
                              size_t) override {
    std::string part = name == nullptr ? std::to_string(id) : name;
    part = kPart + part.substr(0, part.rfind(" #"));
    Total& total = totals_[part];
    ++total.calls;
    total.us += static_cast<double>(runtime::ticks_to_ns(end - begin)) / 1e3;
  }

 private:
  static constexpr char kPart[] = "in delegates: ";

  using Clock = std::chrono::steady_clock;
  struct Event {
    std::string name;
    Clock::time_point begin;
  };
  struct Total {
    size_t calls = 0;
    double us = 0;
  };
  std::vector<Event> open_;
  std::map<std::string, Total> totals_;
  size_t runs_ = 0;
};

}  // namespace executorch::tools
