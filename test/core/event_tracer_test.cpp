// What the hooks ask of a tracer at each level.
#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/core/event_tracer_hooks_delegate.h>
#include <gtest/gtest.h>

#include <string>

namespace executorch::runtime {
namespace {

// Writes the names of the calls it gets.
class Recorder final : public EventTracer {
 public:
  void create_event_block(const char* name) override { add("block", name); }
  EventTracerEntry start_profiling(const char* name, ChainID,
                                   DebugHandle) override {
    add("start", name);
    return {};
  }
  void end_profiling(EventTracerEntry) override { add("end"); }
  EventTracerEntry start_profiling_delegate(const char* name,
                                            DelegateDebugIntId) override {
    add("start_delegate", name);
    return {};
  }
  void end_profiling_delegate(EventTracerEntry, const void*, size_t) override {
    add("end_delegate");
  }
  void log_profiling_delegate(const char* name, DelegateDebugIntId,
                              et_timestamp_t, et_timestamp_t, const void*,
                              size_t) override {
    add("log_delegate", name);
  }
  AllocatorID track_allocator(const char* name) override {
    add("allocator", name);
    return 7;
  }
  void track_allocation(AllocatorID, size_t) override { add("allocation"); }
  Result<bool> log_evalue(const EValue&, LoggedEValueType type) override {
    add(type == LoggedEValueType::kProgramOutput ? "output" : "intermediate");
    return true;
  }
  Result<bool> log_intermediate_output_delegate(const char*, DelegateDebugIntId,
                                                const aten::Tensor&) override {
    return add("tensor");
  }
  Result<bool> log_intermediate_output_delegate(
      const char*, DelegateDebugIntId, const ArrayRef<aten::Tensor>) override {
    return add("tensors");
  }
  Result<bool> log_intermediate_output_delegate(const char*, DelegateDebugIntId,
                                                const int&) override {
    return add("int");
  }
  Result<bool> log_intermediate_output_delegate(const char*, DelegateDebugIntId,
                                                const bool&) override {
    return add("bool");
  }
  Result<bool> log_intermediate_output_delegate(const char*, DelegateDebugIntId,
                                                const double&) override {
    return add("double");
  }
  void set_delegation_intermediate_output_filter(
      EventTracerFilterBase*) override {}

  std::string take() { return std::exchange(calls_, std::string()); }

 private:
  bool add(const std::string& call, const char* name = "") {
    calls_ += call + (*name != '\0' ? ":" + std::string(name) : "") + " ";
    return true;
  }
  std::string calls_;
};

// All hooks once.
void run(EventTracer* tracer) {
  internal::event_tracer_create_event_block(tracer, "run");
  internal::EventTracerProfileMethodScope method(tracer, "method");
  {
    internal::EventTracerProfileInstructionScope instruction(tracer, 2, 3);
    internal::EventTracerProfileOpScope op(tracer, "op");
    const EventTracerEntry entry =
        event_tracer_start_profiling_delegate(tracer, "part", 1);
    event_tracer_log_output_delegate(tracer, "part", 1, 2.5);
    event_tracer_end_profiling_delegate(tracer, entry);
  }
  internal::event_tracer_log_evalue(tracer, EValue(1.0));
  internal::event_tracer_log_evalue_output(tracer, EValue(1.0));
}

TEST(EventTracerHooksTest, AskForWhatTheLevelsSay) {
  Recorder recorder;
  run(&recorder);
  EXPECT_EQ(recorder.take(),
            "block:run start:method start:op start_delegate:part double "
            "end_delegate end end ");
  recorder.set_event_tracer_profiling_level(
      EventTracerProfilingLevel::kProfileMethodOnly);
  recorder.set_event_tracer_debug_level(
      EventTracerDebugLogLevel::kProgramOutputs);
  run(&recorder);
  EXPECT_EQ(recorder.take(),
            "block:run start:method start_delegate:part double end_delegate "
            "output end ");
  recorder.set_event_tracer_debug_level(
      EventTracerDebugLogLevel::kIntermediateOutputs);
  run(&recorder);
  EXPECT_EQ(recorder.take(),
            "block:run start:method start_delegate:part double end_delegate "
            "intermediate output end ");
  EXPECT_EQ(recorder.current_chain_id(), kUnsetChainId);
  run(nullptr);
}

}  // namespace
}  // namespace executorch::runtime
