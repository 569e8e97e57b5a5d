// Primitive operators beyond what the operator data has: limits of numbers,
// kinds that do not fit, and views that must not be.
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace executorch::runtime {
namespace {

using aten::ScalarType;
using extension::TensorPtr;

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Error call(const std::string& name, std::vector<EValue*> stack) {
  const auto fn = get_op_function_from_registry(name.c_str());
  EXPECT_TRUE(fn.ok()) << name;
  KernelRuntimeContext context;
  (*fn)(context, {stack.data(), stack.size()});
  return context.failure_state();
}

// What is left in the slot behind the arguments, or the error.
struct Outcome {
  Error error;
  EValue value;
};
Outcome evaluate(const std::string& name, std::vector<EValue> args) {
  args.emplace_back();
  std::vector<EValue*> stack;
  for (EValue& arg : args) {
    stack.push_back(&arg);
  }
  const Error error = call("executorch_prim::" + name, stack);
  return {error, args.back()};
}

std::string text(const Outcome& outcome) {
  const EValue& v = outcome.value;
  return outcome.error != Error::Ok ? to_string(outcome.error)
         : v.isInt()                ? "int " + std::to_string(v.toInt())
         : v.isDouble()             ? "double " + std::to_string(v.toDouble())
         : v.isBool()               ? (v.toBool() ? "true" : "false")
                                    : "none";
}

TEST(PrimOps, NumbersAtTheirLimits) {
  const std::string error = "Error::InvalidArgument";
  const struct {
    const char* op;
    std::vector<EValue> args;
    std::string expected;
  } cases[] = {
      {"add.Scalar", {kMax, int64_t{1}}, error},
      {"sub.Scalar", {kMin, int64_t{1}}, error},
      {"mul.Scalar", {kMin, int64_t{-1}}, error},
      {"neg.Scalar", {kMin}, error},
      {"add.Scalar", {true, true}, "int 2"},
      {"neg.Scalar", {true}, "int -1"},
      {"floordiv.int", {kMin, int64_t{-1}}, error},
      {"floordiv.int", {kMin, int64_t{1}}, "int " + std::to_string(kMin)},
      {"floordiv.Scalar", {7.5, 0.0}, error},
      {"floordiv.Scalar", {7.5, false}, error},
      {"mod.int", {kMin, int64_t{-1}}, "int 0"},
      {"mod.Scalar", {-7.5, 2.0}, "double 0.500000"},
      {"mod.Scalar", {1.0, 0.0}, error},
      {"truediv.Scalar", {1.0, int64_t{0}}, error},
      {"truediv.Scalar", {int64_t{1}, false}, error},
      {"sym_int.Scalar", {kInf}, error},
      {"round.Scalar", {kNaN}, error},
      {"ceil.Scalar", {1e19}, error},
      {"trunc.Scalar", {-9223372036854775808.0}, "int " + std::to_string(kMin)},
      {"round.Scalar", {int64_t{7}}, "int 7"},
      {"round.Scalar", {0.5}, "int 0"},
      {"round.Scalar", {1.5}, "int 2"},
      {"sym_max.Scalar", {int64_t{7}, 2.5}, "double 7.000000"},
      {"sym_min.Scalar", {int64_t{7}, 2.5}, "double 2.500000"},
      // 2^53 + 1 is no double: a comparison must not round it to one.
      {"eq.Scalar", {int64_t{9007199254740993}, 9007199254740992.0}, "false"},
      {"gt.Scalar", {int64_t{9007199254740993}, 9007199254740992.0}, "true"},
      {"lt.Scalar", {kMax, 9223372036854775808.0}, "true"},
      {"le.Scalar", {kNaN, 1.0}, "false"},
      {"ge.Scalar", {kNaN, 1.0}, "false"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(text(evaluate(c.op, c.args)), c.expected) << c.op;
  }
}

TEST(PrimOps, WrongKindsFail) {
  const auto tensor = extension::ones({2});
  const struct {
    const char* op;
    std::vector<EValue> args;
  } cases[] = {
      {"add.Scalar", {EValue(), int64_t{1}}},
      {"add.Scalar", {tensor, int64_t{1}}},
      {"floordiv.int", {7.0, int64_t{2}}},
      {"sym_not.Scalar", {int64_t{1}}},
      {"sym_ite.Scalar", {int64_t{1}, int64_t{2}, int64_t{3}}},
      {"sym_float.Scalar", {EValue()}},
      {"et_view.default", {int64_t{1}, int64_t{2}, int64_t{3}}},
      {"et_copy_index.tensor", {tensor, tensor, 1.0}},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(evaluate(c.op, c.args).error, Error::InvalidType) << c.op;
  }
  EXPECT_EQ(call("executorch_prim::add.Scalar", {}), Error::InvalidType);
  EXPECT_EQ(call("aten::sym_size.int", {}), Error::InvalidType);
}

TEST(PrimOps, ItemOfEmptyAndLargerTensors) {
  for (const auto& tensor : {extension::ones({0}), extension::ones({2})}) {
    EValue self(tensor), out;
    EXPECT_EQ(call("aten::_local_scalar_dense", {&self, &out}),
              Error::InvalidArgument);
  }
}

// A list argument of integers, with all its parts.
class IntList {
 public:
  explicit IntList(const std::vector<int64_t>& values)
      : storage(values.size()), unwrapped(values.size()) {
    for (size_t i = 0; i < values.size(); ++i) {
      storage[i] = EValue(values[i]);
      wrapped.push_back(&storage[i]);
    }
    list = BoxedEvalueList<int64_t>(wrapped.data(), unwrapped.data(),
                                    static_cast<int>(values.size()));
    value = EValue(&list);
  }
  EValue value;

 private:
  std::vector<EValue> storage;
  std::vector<EValue*> wrapped;
  std::vector<int64_t> unwrapped;
  BoxedEvalueList<int64_t> list;
};

Error view(const TensorPtr& self, std::vector<int64_t> size,
           const TensorPtr& out) {
  IntList sizes(size);
  EValue self_value(self), out_value(out);
  return call("executorch_prim::et_view.default",
              {&self_value, &sizes.value, &out_value});
}

TEST(PrimOps, ViewSharesMemory) {
  const auto self =
      extension::make_tensor_ptr({2, 3}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f});
  const auto out =
      extension::make_tensor_ptr({6, 1}, nullptr, ScalarType::Float);
  ASSERT_EQ(view(self, {3, -1}, out), Error::Ok);
  EXPECT_EQ(out->const_data_ptr(), self->const_data_ptr());
  EXPECT_EQ(out->size(0), 3);
  EXPECT_EQ(out->size(1), 2);
}

TEST(PrimOps, ViewsThatCannotBe) {
  const auto self = extension::ones({2, 3});
  const auto out =
      extension::make_tensor_ptr({6, 1}, nullptr, ScalarType::Float);
  EXPECT_EQ(view(self, {-2, 3}, out), Error::InvalidArgument);
  EXPECT_EQ(view(self, {0, -1}, out), Error::InvalidArgument);
  EXPECT_EQ(view(self, {int64_t{1} << 62, 4}, out), Error::InvalidArgument);
  EXPECT_EQ(view(self, std::vector<int64_t>(20, 1), out),
            Error::InvalidArgument);
  EXPECT_EQ(out->const_data_ptr(), nullptr);

  const auto columns = extension::empty_strided({2, 3}, {1, 2});
  EXPECT_EQ(view(columns, {3, 2}, out), Error::NotSupported);
  const auto no_data =
      extension::make_tensor_ptr({2, 3}, nullptr, ScalarType::Float);
  EXPECT_EQ(view(no_data, {3, 2}, out), Error::InvalidState);
}

TEST(PrimOps, CopyIndexGrowsATensorRowByRow) {
  float memory[6] = {};
  const auto to = extension::from_blob(memory, {3, 2});
  EValue to_value(to);
  for (int row = 0; row < 3; ++row) {
    const float value = static_cast<float>(row + 1);
    const auto from = extension::full({2}, value);
    EValue from_value(from), index(int64_t{row});
    ASSERT_EQ(call("executorch_prim::et_copy_index.tensor",
                   {&to_value, &from_value, &index}),
              Error::Ok);
    EXPECT_EQ(to->size(0), row + 1);
  }
  EXPECT_EQ(std::vector<float>(memory, memory + 6),
            (std::vector<float>{1, 1, 2, 2, 3, 3}));
  const auto from = extension::ones({2});
  EValue from_value(from), index(int64_t{3});
  EXPECT_EQ(call("executorch_prim::et_copy_index.tensor",
                 {&to_value, &from_value, &index}),
            Error::NotSupported);
}

}  // namespace
}  // namespace executorch::runtime
