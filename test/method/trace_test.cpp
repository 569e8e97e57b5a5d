// What a method tells its event tracer, in order.
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "test/support/loaded_method.h"

namespace executorch::test {
namespace {

using aten::Tensor;
using runtime::ArrayRef;
using runtime::DelegateDebugIntId;
using runtime::Error;
using runtime::EValue;
using runtime::EventTracerEntry;
using runtime::Kernel;
using runtime::KernelRuntimeContext;
using runtime::Result;
using runtime::Span;

// Writes down what it is told.
class Tracer final : public runtime::EventTracer {
 public:
  void create_event_block(const char* name) override {
    told.push_back(std::string("block ") + name);
  }
  EventTracerEntry start_profiling(const char* name, runtime::ChainID,
                                   runtime::DebugHandle) override {
    told.push_back(name + (chain_id_ == runtime::kUnsetChainId
                               ? ""
                               : " " + std::to_string(debug_handle_)));
    open_.push_back(told.back());
    EventTracerEntry entry = {};
    entry.event_id = static_cast<int64_t>(open_.size()) - 1;
    return entry;
  }
  void end_profiling(EventTracerEntry entry) override {
    told.push_back("end " + open_[entry.event_id]);
  }
  EventTracerEntry start_profiling_delegate(const char*,
                                            DelegateDebugIntId) override {
    return {};
  }
  void end_profiling_delegate(EventTracerEntry, const void*, size_t) override {}
  void log_profiling_delegate(const char*, DelegateDebugIntId, et_timestamp_t,
                              et_timestamp_t, const void*, size_t) override {}
  runtime::AllocatorID track_allocator(const char*) override { return 0; }
  void track_allocation(runtime::AllocatorID, size_t) override {}
  Result<bool> log_evalue(const EValue& value,
                          runtime::LoggedEValueType type) override {
    told.push_back(type == runtime::LoggedEValueType::kProgramOutput
                       ? "output"
                       : "intermediate");
    EXPECT_TRUE(value.isTensor());
    return true;
  }
  Result<bool> log_intermediate_output_delegate(const char*, DelegateDebugIntId,
                                                const Tensor&) override {
    return true;
  }
  Result<bool> log_intermediate_output_delegate(
      const char*, DelegateDebugIntId, const ArrayRef<Tensor>) override {
    return true;
  }
  Result<bool> log_intermediate_output_delegate(const char*, DelegateDebugIntId,
                                                const int&) override {
    return true;
  }
  Result<bool> log_intermediate_output_delegate(const char*, DelegateDebugIntId,
                                                const bool&) override {
    return true;
  }
  Result<bool> log_intermediate_output_delegate(const char*, DelegateDebugIntId,
                                                const double&) override {
    return true;
  }
  void set_delegation_intermediate_output_filter(
      runtime::EventTracerFilterBase*) override {}

  std::vector<std::string> told;

 private:
  std::vector<std::string> open_;
};

void nothing(KernelRuntimeContext&, Span<EValue*>) {}

ProgramModel two_calls() {
  ProgramModel program;
  MethodModel& m = program.method();
  m.outputs = {m.add_planned({1}, 0)};
  m.call("test::op.out", {0, 0});
  m.code.push_back(FreeModel{0});
  m.call("test::op.out", {0, 0});
  return program;
}

using Told = std::vector<std::string>;

TEST(Trace, TellsLoadAndRun) {
  Tracer tracer;
  LoadedMethod method(two_calls(),
                      {&tracer, nullptr, {Kernel("test::op.out", nothing)}});
  EXPECT_EQ(tracer.told,
            (Told{"block Default", "Program::load_method", "Method::init",
                  "end Method::init", "end Program::load_method"}));
  tracer.told.clear();
  EXPECT_EQ(method->get_event_tracer(), &tracer);
  EXPECT_EQ(method->execute(), Error::Ok);
  EXPECT_EQ(tracer.told,
            (Told{"block Execute", "Method::execute", "OPERATOR_CALL 0",
                  "native_call_op.out 0", "end native_call_op.out 0",
                  "end OPERATOR_CALL 0", "OPERATOR_CALL 2",
                  "native_call_op.out 2", "end native_call_op.out 2",
                  "end OPERATOR_CALL 2", "end Method::execute"}));
}

TEST(Trace, TellsValuesWhenAsked) {
  Tracer tracer;
  LoadedMethod method(two_calls(),
                      {&tracer, nullptr, {Kernel("test::op.out", nothing)}});
  tracer.set_event_tracer_debug_level(
      runtime::EventTracerDebugLogLevel::kIntermediateOutputs);
  tracer.set_event_tracer_profiling_level(
      runtime::EventTracerProfilingLevel::kProfileMethodOnly);
  tracer.told.clear();
  const Told expected = {"block Execute", "Method::execute",
                         "intermediate",  "intermediate",
                         "output",        "end Method::execute"};
  EXPECT_EQ(method->execute(), Error::Ok);
  EXPECT_EQ(tracer.told, expected);
  tracer.told.clear();
  while (method->step() == Error::Ok) {
  }
  EXPECT_EQ(tracer.told,
            (Told{"block Execute", "intermediate", "intermediate", "output"}));
}

}  // namespace
}  // namespace executorch::test
