// Which calls are left when kernels have taken over those behind them. That the
// results are right is tested with the stored programs in test/programs.
#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/inspect/program_info.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor_ptr_maker.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "test/support/loaded_method.h"
#include "test/support/recording_tracer.h"

namespace executorch::test {
namespace {

using extension::Module;
using runtime::Error;
using runtime::EventTracerDebugLogLevel;
using Calls = std::map<std::string, int>;

// How often one run with all inputs zero calls each operator.
Calls calls_of(const std::string& name, EventTracerDebugLogLevel level) {
  auto tracer = std::make_unique<RecordingTracer>();
  tracer->set_event_tracer_debug_level(level);
  RecordingTracer* const recorded = tracer.get();
  const std::string path =
      std::string(ET_TEST_DATA_DIR "/") + name + "/model.pte";
  Module module(path, Module::LoadMode::File, std::move(tracer));
  EXPECT_EQ(module.load_forward(), Error::Ok) << name;
  const auto meta = module.method_meta("forward");
  EXPECT_TRUE(meta.ok()) << name;
  std::vector<runtime::EValue> inputs;
  for (size_t i = 0; meta.ok() && i < meta->num_inputs(); ++i) {
    const auto tensor = meta->input_tensor_meta(i);
    inputs.emplace_back(
        extension::zeros({tensor->sizes().begin(), tensor->sizes().end()},
                         tensor->scalar_type()));
  }
  const auto result = module.forward(inputs);
  EXPECT_TRUE(result.ok()) << name;
  std::set<const void*> outputs;
  for (size_t i = 0; result.ok() && i < result->size(); ++i) {
    outputs.insert(result->at(i).toTensor().const_data_ptr());
  }
  EXPECT_EQ(outputs.size(), meta->num_outputs()) << name;
  const std::string prefix = "native_call_";
  Calls calls;
  for (const std::string& told : recorded->told) {
    if (told.compare(0, prefix.size(), prefix) == 0) {
      ++calls[told.substr(prefix.size(), told.find(' ') - prefix.size())];
    }
  }
  return calls;
}

constexpr char kConvolution[] = "convolution.out";
constexpr char kBatchNorm[] = "_native_batch_norm_legit_no_training.out";

// Where the plan of memory lets a result be neither where the call writes it
// nor written early, it is copied in place of the last call: one clamp and one
// norm of the first program, a relu and a hardtanh of the second.
TEST(Followers, AreTakenOver) {
  const struct {
    const char* program;
    Calls calls;
  } rows[] = {
      // Not taken over: a norm and a clamp behind a relu, hardswish.
      {"fused/fused_activations",
       {{kConvolution, 10},
        {kBatchNorm, 2},
        {"clamp.out", 3},
        {"add.out", 1},
        {"mul.out", 1},
        {"div.out", 1}}},
      {"fused/fused_convolutions",
       {{kConvolution, 10}, {"relu.out", 1}, {"hardtanh.out", 1}}},
      {"fused/fused_dynamic", {{kConvolution, 2}}},
      // Results that are read twice, or are outputs; parameters that are not
      // constant; no batch.
      {"fused/fused_kept",
       {{kConvolution, 6},
        {kBatchNorm, 4},
        {"add.out", 3},
        {"relu.out", 3},
        {"mul.out", 1},
        {"abs.out", 1},
        {"unsqueeze_copy.out", 1}}},
      {"models/a_channels_last",
       {{kConvolution, 1},
        {"avg_pool2d.out", 1},
        {"mul.out", 1},
        {"_to_dim_order_copy.out", 2},
        {"_clone_dim_order.out", 1}}},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(calls_of(row.program, EventTracerDebugLogLevel::kNoLogging),
              row.calls)
        << row.program;
  }
}

// How many of their copies programs make in a run.
TEST(Copies, AreMadeWhereSomethingWouldTellThem) {
  const struct {
    const char* program;
    int made;
  } rows[] = {
      // One is of a value whose bytes are needed elsewhere before and after it.
      {"fused/fused_copies", 1},
      // Of an input, a constant, a variable and an output, as outputs; one that
      // the plan of memory has no place for.
      {"fused/fused_kept_copies", 5},
      // Of a view that is made in the run.
      {"fused/fused_dynamic_copies", 1},
      // The caller's memory may be that of an input which is read later.
      {"fused/fused_unplanned_copies", 1},
      {"fused/fused_copies_and_branches", 4},
      {"fused/fused_written_copies", 2},
      // Of an input twice, of a view that is made in the run, of an output; new
      // sizes for a tensor whose sizes change, twice.
      {"fused/fused_copies_of_copies", 6},
  };
  for (const auto& row : rows) {
    Calls calls = calls_of(row.program, EventTracerDebugLogLevel::kNoLogging);
    int made = 0;
    for (const char* name : {"_clone_dim_order.out", "expand_copy.out",
                             "squeeze_copy.dims_out", "unsqueeze_copy.out"}) {
      made += calls[name];
    }
    EXPECT_EQ(made, row.made) << row.program;
  }
}

TEST(Followers, AreCalledWhereIntermediateValuesAreWatched) {
  const Calls calls = calls_of("fused/fused_dynamic",
                               EventTracerDebugLogLevel::kIntermediateOutputs);
  EXPECT_EQ(calls.at(kConvolution), 2);
  EXPECT_EQ(calls.at(kBatchNorm), 2);
}

// What tools that draw programs are told.
TEST(Followers, AreDescribed) {
  auto loader = extension::FileDataLoader::from(
      ET_TEST_DATA_DIR "/fused/fused_dynamic/model.pte");
  ASSERT_TRUE(loader.ok());
  const auto program = runtime::Program::load(&*loader);
  ASSERT_TRUE(program.ok());
  MethodMemory memory(*program->method_meta("forward"));
  const auto method = program->load_method("forward", memory.manager());
  ASSERT_TRUE(method.ok());
  auto info = extension::inspect::describe_method(*program, "forward");
  ASSERT_TRUE(info.ok());
  ASSERT_EQ(extension::inspect::describe_plan(*method, *info), Error::Ok);
  std::vector<size_t> done_by;
  for (const auto& instruction : info->instructions) {
    done_by.push_back(instruction.done_by);
  }
  EXPECT_EQ(done_by, (std::vector<size_t>{0, 0, 0, 3, 3, 3}));
  info->name = "other";
  EXPECT_EQ(extension::inspect::describe_plan(*method, *info),
            Error::InvalidArgument);
}

}  // namespace
}  // namespace executorch::test
