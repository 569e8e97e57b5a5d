// What a method tells its event tracer, in order.
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "test/support/loaded_method.h"
#include "test/support/recording_tracer.h"

namespace executorch::test {
namespace {

using aten::Tensor;
using runtime::Error;
using runtime::EValue;
using runtime::Kernel;
using runtime::KernelRuntimeContext;
using runtime::Span;

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
  RecordingTracer tracer;
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
  RecordingTracer tracer;
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
