// An event tracer for tests.
#pragma once

#include <string>
#include <vector>

#include "test/support/quiet_tracer.h"

namespace executorch::test {

// Writes down what it is told.
class RecordingTracer final : public QuietTracer {
 public:
  void create_event_block(const char* name) override {
    told.push_back(std::string("block ") + name);
  }
  runtime::EventTracerEntry start_profiling(const char* name, runtime::ChainID,
                                            runtime::DebugHandle) override {
    told.push_back(name + (chain_id_ == runtime::kUnsetChainId
                               ? ""
                               : " " + std::to_string(debug_handle_)));
    open_.push_back(told.back());
    runtime::EventTracerEntry entry = {};
    entry.event_id = static_cast<int64_t>(open_.size()) - 1;
    return entry;
  }
  void end_profiling(runtime::EventTracerEntry entry) override {
    told.push_back("end " + open_[entry.event_id]);
  }
  runtime::Result<bool> log_evalue(const runtime::EValue& value,
                                   runtime::LoggedEValueType type) override {
    told.push_back(type == runtime::LoggedEValueType::kProgramOutput
                       ? "output"
                       : "intermediate");
    told.back() += value.isTensor() ? "" : " list";
    return true;
  }

  std::vector<std::string> told;

 private:
  std::vector<std::string> open_;
};

}  // namespace executorch::test
