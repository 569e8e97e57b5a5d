// Functions of an application as operators: every kind of argument, functions
// with and without a context, and calls that do not fit.
#include <executorch/extension/kernel_util/make_boxed_from_unboxed_functor.h>
#include <executorch/extension/tensor/tensor.h>
#include <gtest/gtest.h>

#include <optional>
#include <string_view>
#include <vector>

namespace executorch::extension {
namespace {

using aten::ArrayRef;
using aten::Scalar;
using aten::ScalarType;
using aten::Tensor;
using runtime::Error;
using runtime::EValue;
using runtime::KernelRuntimeContext;
using runtime::Span;

Error call(const char* name, std::vector<EValue*> stack) {
  const auto fn = runtime::get_op_function_from_registry(name);
  EXPECT_TRUE(fn.ok()) << name;
  KernelRuntimeContext context;
  (*fn)(context, {stack.data(), stack.size()});
  return context.failure_state();
}

Tensor& with_context(KernelRuntimeContext& ctx, const Tensor&, double factor,
                     Tensor& out) {
  if (factor < 0) {
    ctx.fail(Error::InvalidArgument);
  }
  out.mutable_data_ptr<float>()[0] = static_cast<float>(factor);
  return out;
}
EXECUTORCH_LIBRARY(boxing, "with_context.out", with_context);

struct Seen {
  int64_t integer = 0;
  bool flag = false;
  std::string text;
  std::optional<int64_t> optional;
  bool has_tensor = false;
  std::vector<int64_t> ints;
  std::vector<double> doubles;
  std::vector<bool> bools;
  ScalarType dtype = ScalarType::Undefined;
  double scalar = 0;
} seen;

void all_kinds(int64_t integer, bool flag, std::string_view text,
               std::optional<int64_t> optional,
               const std::optional<Tensor>& tensor, ArrayRef<int64_t> ints,
               ArrayRef<double> doubles, ArrayRef<bool> bools, ScalarType dtype,
               const Scalar& scalar, Tensor&) {
  seen.integer = integer;
  seen.flag = flag;
  seen.text = std::string(text);
  seen.optional = optional;
  seen.has_tensor = tensor.has_value();
  seen.ints.assign(ints.begin(), ints.end());
  seen.doubles.assign(doubles.begin(), doubles.end());
  seen.bools.assign(bools.begin(), bools.end());
  seen.dtype = dtype;
  seen.scalar = scalar.to<double>();
}
EXECUTORCH_LIBRARY(boxing, "all_kinds.out", all_kinds);

Error returns_error(const Tensor& x, Tensor&) {
  return x.numel() == 1 ? Error::Ok : Error::NotSupported;
}
EXECUTORCH_LIBRARY(boxing, "returns_error.out", returns_error);

TEST(Boxing, FunctionWithContext) {
  const auto x = ones({1}), out = zeros({1});
  EValue xv(x), ov(out), half(0.5), negative(-1.0);
  EXPECT_EQ(call("boxing::with_context.out", {&xv, &half, &ov}), Error::Ok);
  EXPECT_EQ(out->const_data_ptr<float>()[0], 0.5f);
  EXPECT_EQ(call("boxing::with_context.out", {&xv, &negative, &ov}),
            Error::InvalidArgument);
  // A slot for the returned value does not matter.
  EXPECT_EQ(call("boxing::with_context.out", {&xv, &half, &ov, &ov}),
            Error::Ok);
}

TEST(Boxing, CallsThatDoNotFit) {
  const auto x = ones({1}), out = zeros({1});
  EValue xv(x), ov(out), none, flag(true);
  EXPECT_EQ(call("boxing::with_context.out", {&xv, &flag, &ov}),
            Error::InvalidType);
  EXPECT_EQ(call("boxing::with_context.out", {&none, &none, &ov}),
            Error::InvalidType);
  EXPECT_EQ(call("boxing::with_context.out", {&xv}), Error::InvalidProgram);
  EXPECT_EQ(out->const_data_ptr<float>()[0], 0.f);
}

TEST(Boxing, EveryKindOfArgument) {
  const auto out = zeros({1});
  EValue integer(int64_t{3}), flag(true), none, ov(out);
  ArrayRef<char> chars("text", 4);
  EValue text(&chars);
  EValue elements[] = {EValue(int64_t{5}), EValue(int64_t{6})};
  EValue* wrapped[] = {&elements[0], &elements[1]};
  int64_t unwrapped[2];
  runtime::BoxedEvalueList<int64_t> ints(wrapped, unwrapped, 2);
  EValue ints_value(&ints);
  const double double_data[] = {1.5};
  ArrayRef<double> doubles(double_data, 1);
  EValue doubles_value(&doubles);
  const bool bool_data[] = {true, false};
  ArrayRef<bool> bools(bool_data, 2);
  EValue bools_value(&bools);
  EValue dtype(static_cast<int64_t>(ScalarType::Half)), scalar(2.5);

  ASSERT_EQ(call("boxing::all_kinds.out",
                 {&integer, &flag, &text, &integer, &none, &ints_value,
                  &doubles_value, &bools_value, &dtype, &scalar, &ov}),
            Error::Ok);
  EXPECT_EQ(seen.integer, 3);
  EXPECT_TRUE(seen.flag);
  EXPECT_EQ(seen.text, "text");
  EXPECT_EQ(seen.optional, std::optional<int64_t>(3));
  EXPECT_FALSE(seen.has_tensor);
  EXPECT_EQ(seen.ints, (std::vector<int64_t>{5, 6}));
  EXPECT_EQ(seen.doubles, (std::vector<double>{1.5}));
  EXPECT_EQ(seen.bools, (std::vector<bool>{true, false}));
  EXPECT_EQ(seen.dtype, ScalarType::Half);
  EXPECT_EQ(seen.scalar, 2.5);
}

TEST(Boxing, ReturnedErrorFailsTheCall) {
  const auto one = ones({1}), two = ones({2}), out = zeros({1});
  EValue onev(one), twov(two), ov(out);
  EXPECT_EQ(call("boxing::returns_error.out", {&onev, &ov}), Error::Ok);
  EXPECT_EQ(call("boxing::returns_error.out", {&twov, &ov}),
            Error::NotSupported);
}

TEST(Boxing, KernelMadeByHand) {
  static constexpr const char kName[] = "boxing::by_hand";
  const auto kernel =
      make_boxed_kernel(kName, EXECUTORCH_FN(returns_error, kName));
  EXPECT_STREQ(kernel.name_, kName);
  ASSERT_EQ(runtime::register_kernel(kernel), Error::Ok);
  EXPECT_TRUE(runtime::registry_has_op_function(kName));
}

}  // namespace
}  // namespace executorch::extension
