// Printing values, and inputs made for a method.
#include <executorch/extension/evalue_util/print_evalue.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/runner_util/inputs.h>
#include <executorch/extension/tensor/tensor.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace executorch::extension {
namespace {

using aten::ScalarType;
using runtime::Error;
using runtime::EValue;

std::string text(const EValue& value, long edge_items = 0) {
  std::ostringstream stream;
  stream << evalue_edge_items(edge_items) << value;
  return stream.str();
}

TEST(PrintEValue, EveryKind) {
  runtime::ArrayRef<char> chars("abc", 3);
  const double double_data[] = {1, 2.5};
  runtime::ArrayRef<double> doubles(double_data, 2);
  const bool bool_data[] = {true, false};
  runtime::ArrayRef<bool> bools(bool_data, 2);
  const struct {
    EValue value;
    const char* expected;
  } cases[] = {
      {EValue(), "None"},
      {EValue(int64_t{-3}), "-3"},
      {EValue(2.5), "2.5"},
      {EValue(2.0), "2."},
      {EValue(true), "True"},
      {EValue(&chars), "\"abc\""},
      {EValue(&doubles), "[1., 2.5]"},
      {EValue(&bools), "[True, False]"},
      {EValue(scalar_tensor(3)), "tensor(3., sizes=[], dtype=Float)"},
      {EValue(zeros({0, 2})), "tensor([], sizes=[0, 2], dtype=Float)"},
      {EValue(make_tensor_ptr({2, 2}, {1, -2, 3, 4})),
       "tensor([[1, -2],\n        [3, 4]], sizes=[2, 2], dtype=Int)"},
      {EValue(make_tensor_ptr({true, false})),
       "tensor([True, False], sizes=[2], dtype=Bool)"},
      {EValue(from_blob(const_cast<double*>(double_data), {1, 2}, {1, 1},
                        ScalarType::Double)),
       "tensor([[1., 2.5]], sizes=[1, 2], dtype=Double)"},
      {EValue(make_tensor_ptr({2}, nullptr, ScalarType::Half)),
       "tensor(..., sizes=[2], dtype=Half)"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(text(c.value), c.expected);
  }
}

TEST(PrintEValue, LeavesOutTheMiddle) {
  const auto tensor = make_tensor_ptr({7}, {1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(text(EValue(tensor), 2),
            "tensor([1, 2, ..., 6, 7], sizes=[7], dtype=Int)");
  EXPECT_EQ(text(EValue(tensor), 4),
            "tensor([1, 2, 3, 4, 5, 6, 7], sizes=[7], dtype=Int)");
  EXPECT_EQ(text(EValue(zeros({2000}))),
            "tensor([0., 0., 0., ..., 0., 0., 0.], sizes=[2000], dtype=Float)");
}

TEST(PrintEValue, FollowsStrides) {
  const float data[] = {1, 2, 3, 4};
  const auto columns = from_blob(const_cast<float*>(data), {2, 2}, {1, 2});
  EXPECT_EQ(text(EValue(columns)),
            "tensor([[1., 3.],\n        [2., 4.]], sizes=[2, 2], dtype=Float)");
}

class PrepareInputs : public testing::Test {
 protected:
  PrepareInputs()
      : module_(std::string(ET_TEST_DATA_DIR) +
                "/models/d_memory_no_io/model.pte") {
    EXPECT_EQ(module_.load_forward(), Error::Ok);
  }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  runtime::Method& method() { return **module_.method("forward"); }
#pragma GCC diagnostic pop

  Module module_;
};

TEST_F(PrepareInputs, WithOnes) {
  const auto buffers = prepare_input_tensors(method());
  ASSERT_TRUE(buffers.ok());
  const auto result = module_.forward();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(text(result->at(0)), text(module_.forward(ones({2, 16}))->at(0)));
}

TEST_F(PrepareInputs, WithGivenBytes) {
  std::vector<float> data(32, 0.5f);
  auto* bytes = reinterpret_cast<char*>(data.data());
  const auto buffers = prepare_input_tensors(
      method(), {}, {{bytes, data.size() * sizeof(float)}});
  ASSERT_TRUE(buffers.ok());
  const auto result = module_.forward();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(text(result->at(0)),
            text(module_.forward(full({2, 16}, 0.5))->at(0)));
  EXPECT_EQ(prepare_input_tensors(method(), {}, {{bytes, 4}}).error(),
            Error::InvalidArgument);
}

TEST_F(PrepareInputs, WithinLimits) {
  PrepareInputTensorsOptions options;
  options.max_total_allocation_size = 127;
  EXPECT_EQ(prepare_input_tensors(method(), options).error(),
            Error::InvalidProgram);
  options = {};
  options.max_inputs = 0;
  EXPECT_EQ(prepare_input_tensors(method(), options).error(),
            Error::InvalidProgram);
}

}  // namespace
}  // namespace executorch::extension
