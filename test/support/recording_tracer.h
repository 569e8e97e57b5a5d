// An event tracer for tests.
#pragma once

#include <executorch/runtime/core/event_tracer.h>

#include <string>
#include <vector>

namespace executorch::test {

// Writes down what it is told.
class RecordingTracer final : public runtime::EventTracer {
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
  runtime::EventTracerEntry start_profiling_delegate(
      const char*, runtime::DelegateDebugIntId) override {
    return {};
  }
  void end_profiling_delegate(runtime::EventTracerEntry, const void*,
                              size_t) override {}
  void log_profiling_delegate(const char*, runtime::DelegateDebugIntId,
                              et_timestamp_t, et_timestamp_t, const void*,
                              size_t) override {}
  runtime::AllocatorID track_allocator(const char*) override { return 0; }
  void track_allocation(runtime::AllocatorID, size_t) override {}
  runtime::Result<bool> log_evalue(const runtime::EValue& value,
                                   runtime::LoggedEValueType type) override {
    told.push_back(type == runtime::LoggedEValueType::kProgramOutput
                       ? "output"
                       : "intermediate");
    told.back() += value.isTensor() ? "" : " list";
    return true;
  }
  runtime::Result<bool> log_intermediate_output_delegate(
      const char*, runtime::DelegateDebugIntId, const aten::Tensor&) override {
    return true;
  }
  runtime::Result<bool> log_intermediate_output_delegate(
      const char*, runtime::DelegateDebugIntId,
      const runtime::ArrayRef<aten::Tensor>) override {
    return true;
  }
  runtime::Result<bool> log_intermediate_output_delegate(
      const char*, runtime::DelegateDebugIntId, const int&) override {
    return true;
  }
  runtime::Result<bool> log_intermediate_output_delegate(
      const char*, runtime::DelegateDebugIntId, const bool&) override {
    return true;
  }
  runtime::Result<bool> log_intermediate_output_delegate(
      const char*, runtime::DelegateDebugIntId, const double&) override {
    return true;
  }
  void set_delegation_intermediate_output_filter(
      runtime::EventTracerFilterBase*) override {}

  std::vector<std::string> told;

 private:
  std::vector<std::string> open_;
};

}  // namespace executorch::test
