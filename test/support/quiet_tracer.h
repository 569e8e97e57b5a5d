// An event tracer that drops what it is told, to derive those from that keep
// some of it.
#pragma once

#include <executorch/runtime/core/event_tracer.h>

namespace executorch::test {

class QuietTracer : public runtime::EventTracer {
 public:
  using Name = const char*;
  using Id = runtime::DelegateDebugIntId;
  using Entry = runtime::EventTracerEntry;
  using Kept = runtime::Result<bool>;

  void create_event_block(Name) override {}
  Entry start_profiling(Name, runtime::ChainID, runtime::DebugHandle) override {
    return {};
  }
  void end_profiling(Entry) override {}
  Entry start_profiling_delegate(Name, Id) override { return {}; }
  void end_profiling_delegate(Entry, const void*, size_t) override {}
  void log_profiling_delegate(Name, Id, et_timestamp_t, et_timestamp_t,
                              const void*, size_t) override {}
  runtime::AllocatorID track_allocator(Name) override { return 0; }
  void track_allocation(runtime::AllocatorID, size_t) override {}
  void set_delegation_intermediate_output_filter(
      runtime::EventTracerFilterBase*) override {}
  Kept log_evalue(const runtime::EValue&, runtime::LoggedEValueType) override {
    return false;
  }
  Kept log_intermediate_output_delegate(Name, Id,
                                        const aten::Tensor&) override {
    return false;
  }
  Kept log_intermediate_output_delegate(
      Name, Id, const runtime::ArrayRef<aten::Tensor>) override {
    return false;
  }
  Kept log_intermediate_output_delegate(Name, Id, const int&) override {
    return false;
  }
  Kept log_intermediate_output_delegate(Name, Id, const bool&) override {
    return false;
  }
  Kept log_intermediate_output_delegate(Name, Id, const double&) override {
    return false;
  }
};

}  // namespace executorch::test
