// Adds up the time of each operator and delegate of a method.
#pragma once

#include <executorch/runtime/core/event_tracer.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace executorch::tools {

class Profile final : public runtime::EventTracer {
 public:
  void clear() { totals_.clear(), runs_ = 0; }

  // Rows {"name", "calls", "us"} of one run, slowest first.
  nlohmann::json rows() const;

  void create_event_block(const char*) override { ++runs_; }
  runtime::EventTracerEntry start_profiling(const char* name, runtime::ChainID,
                                            runtime::DebugHandle) override;
  void end_profiling(runtime::EventTracerEntry entry) override;

  // What delegates tell about their inside, and values, is not kept.
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
  runtime::Result<bool> log_evalue(const runtime::EValue&,
                                   runtime::LoggedEValueType) override {
    return false;
  }
  void set_delegation_intermediate_output_filter(
      runtime::EventTracerFilterBase*) override {}
  runtime::Result<bool> log_intermediate_output_delegate(
      const char*, runtime::DelegateDebugIntId, const aten::Tensor&) override {
    return false;
  }
  runtime::Result<bool> log_intermediate_output_delegate(
      const char*, runtime::DelegateDebugIntId,
      const runtime::ArrayRef<aten::Tensor>) override {
    return false;
  }
  runtime::Result<bool> log_intermediate_output_delegate(
      const char*, runtime::DelegateDebugIntId, const int&) override {
    return false;
  }
  runtime::Result<bool> log_intermediate_output_delegate(
      const char*, runtime::DelegateDebugIntId, const bool&) override {
    return false;
  }
  runtime::Result<bool> log_intermediate_output_delegate(
      const char*, runtime::DelegateDebugIntId, const double&) override {
    return false;
  }

 private:
  struct Total {
    size_t calls = 0;
    double us = 0;
  };
  std::vector<std::string> open_;
  std::map<std::string, Total> totals_;
  size_t runs_ = 0;
};

}  // namespace executorch::tools
