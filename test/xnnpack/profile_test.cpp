// What an event tracer hears of the operators inside of a delegate.
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/platform/platform.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "test/support/quiet_tracer.h"

namespace executorch::xnnpack {
namespace {

struct Event {
  std::string name;
  et_timestamp_t begin, end;
};

class DelegateTracer final : public test::QuietTracer {
 public:
  explicit DelegateTracer(std::vector<Event>* events) : events_(events) {}
  void log_profiling_delegate(Name name, Id id, et_timestamp_t begin,
                              et_timestamp_t end, const void*,
                              size_t) override {
    EXPECT_EQ(id, runtime::kUnsetDelegateDebugIntId);
    events_->push_back({name, begin, end});
  }

 private:
  std::vector<Event>* events_;
};

struct Traced {
  const char* model;
  std::vector<aten::SizesType> input;
  // A part of the name of each operator, in the order in which they run.
  std::vector<std::string> operators;
};

class Profile : public ::testing::TestWithParam<Traced> {};

TEST_P(Profile, HasAnEventPerOperatorOfEachRun) {
  const Traced& c = GetParam();
  std::vector<Event> events;
  extension::Module module(std::filesystem::path(ET_TEST_DATA_DIR) / "xnnpack" /
                               c.model / "model.pte",
                           extension::Module::LoadMode::File,
                           std::make_unique<DelegateTracer>(&events));
  for (int run = 0; run < 2; ++run) {
    events.clear();
    const et_timestamp_t before = runtime::pal_current_ticks();
    ASSERT_TRUE(module.forward(extension::ones(c.input)).ok());
    const et_timestamp_t after = runtime::pal_current_ticks();
    ASSERT_EQ(events.size(), c.operators.size());
    for (size_t i = 0; i < events.size(); ++i) {
      const auto& [name, begin, end] = events[i];
      EXPECT_NE(name.find(c.operators[i]), name.npos) << name;
      EXPECT_NE(name.find(" #" + std::to_string(i)), name.npos) << name;
      EXPECT_GE(begin, i == 0 ? before : events[i - 1].end);
      EXPECT_GE(end, begin);
      EXPECT_LE(end, after);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Xnnpack, Profile,
    ::testing::Values(Traced{"mlp_f32",
                             {5, 32},
                             {"Fully Connected", "Fully Connected", "Softmax"}},
                      Traced{"conv_qd8",
                             {1, 4, 8, 8},
                             {"Transpose", "Convert", "Convolution",
                              "Transpose"}}),
    [](const auto& info) { return info.param.model; });

}  // namespace
}  // namespace executorch::xnnpack
