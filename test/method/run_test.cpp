// Instructions of all kinds, whole runs and single steps.
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <gtest/gtest.h>

#include "test/support/allocations.h"
#include "test/support/loaded_method.h"

namespace executorch::test {
namespace {

using runtime::Error;
using runtime::EValue;
using runtime::Kernel;
using runtime::KernelRuntimeContext;
using runtime::Method;
using runtime::Span;

// out = a + b
void add(KernelRuntimeContext&, Span<EValue*> args) {
  const aten::Tensor& a = args[0]->toTensor();
  const aten::Tensor& b = args[1]->toTensor();
  float* out = args[2]->toTensor().mutable_data_ptr<float>();
  for (ssize_t i = 0; i < a.numel(); ++i) {
    out[i] = a.const_data_ptr<float>()[i] + b.const_data_ptr<float>()[i];
  }
}

// Fails when its first argument is true.
void fail_if(KernelRuntimeContext& context, Span<EValue*> args) {
  if (args[0]->toTensor().const_data_ptr<float>()[0] < 0) {
    ET_LOG(Error, "negative");
    context.fail(Error::NotSupported);
  }
}

// Uses scratch memory.
void scratch(KernelRuntimeContext& context, Span<EValue*>) {
  ASSERT_TRUE(context.allocate_temp(100, 64).ok());
}

std::vector<Kernel> with_primitives(std::vector<Kernel> kernels) {
  for (const Kernel& kernel : runtime::get_registered_kernels()) {
    kernels.push_back(kernel);
  }
  return kernels;
}

class Run : public ::testing::Test {
 protected:
  Run() {
    m().inputs = {m().add_planned({2}, 0)};
    m().outputs = {m().add_planned({2}, 16)};
  }
  MethodModel& m() { return program_.method(); }

  // Loads the program and sets its input.
  Method& load() {
    loaded_.emplace(
        program_,
        LoadOptions{nullptr, nullptr,
                    with_primitives({Kernel("test::add.out", add),
                                     Kernel("test::fail_if", fail_if),
                                     Kernel("test::scratch", scratch)})});
    EXPECT_EQ(loaded_->error(), Error::Ok);
    EXPECT_EQ(loaded_->method().set_input(in_, 0), Error::Ok);
    return loaded_->method();
  }

  std::vector<float> output() {
    return floats(loaded_->method().get_output(0));
  }

  ProgramModel program_;
  OwnedTensor in_{{2}, {1, 2}};
  std::optional<LoadedMethod> loaded_;
};

TEST_F(Run, CallsKernelsInOrder) {
  m().call("test::add.out", {0, 0, 1, 1});
  m().call("test::add.out", {1, 0, 1, 1});
  EXPECT_EQ(load().execute(), Error::Ok);
  EXPECT_EQ(output(), (std::vector<float>{3, 6}));
}

TEST_F(Run, ReturnsTheErrorOfAKernelAndSaysWhere) {
  m().call("test::add.out", {0, 0, 1, 1});
  m().call("test::fail_if", {0, 1});
  Method& method = load();
  EXPECT_EQ(method.execute(), Error::Ok);
  OwnedTensor negative({2}, {-1, 0});
  ASSERT_EQ(method.set_input(negative, 0), Error::Ok);
  EXPECT_EQ(method.execute(), Error::NotSupported);
  EXPECT_STREQ(runtime::last_error_message(),
               "method forward, instruction 1 (test::fail_if): negative");
  EXPECT_FALSE(method.in_progress());
  ASSERT_EQ(method.set_input(in_, 0), Error::Ok);
  EXPECT_EQ(method.execute(), Error::Ok);
}

TEST_F(Run, TakesBranches) {
  const int32_t dim = m().add(int64_t{0});
  const int32_t rows = m().add(int64_t{0});
  const int32_t expected = m().add(int64_t{2});
  const int32_t condition = m().add(int64_t{0});  // becomes a bool
  const int32_t no = m().add(false);
  m().call("aten::sym_size.int", {0, dim, rows});
  m().call("executorch_prim::eq.Scalar", {rows, expected, condition});
  m().code.push_back(JumpModel{condition, 5});
  m().call("test::add.out", {0, 0, 1, 1});
  m().code.push_back(JumpModel{no, 6});  // over the other branch
  m().call("test::add.out", {0, 1, 1, 1});
  EXPECT_EQ(load().execute(), Error::Ok);
  EXPECT_EQ(output(), (std::vector<float>{2, 4}));
  m().values[expected] = int64_t{3};
  EXPECT_EQ(load().execute(), Error::Ok);
  EXPECT_EQ(output(), (std::vector<float>{1, 2}));
}

TEST_F(Run, Loops) {
  const int32_t count = m().add(int64_t{0});
  const int32_t one = m().add(int64_t{1});
  const int32_t three = m().add(int64_t{3});
  const int32_t done = m().add(false);
  m().call("executorch_prim::sub.Scalar", {count, count, count});
  m().call("test::add.out", {0, 0, 1, 1});
  m().call("test::add.out", {1, 0, 1, 1});
  m().call("executorch_prim::add.Scalar", {count, one, count});
  m().call("executorch_prim::eq.Scalar", {count, three, done});
  m().code.push_back(JumpModel{done, 2});
  Method& method = load();
  for (int run = 0; run < 2; ++run) {
    EXPECT_EQ(method.execute(), Error::Ok);
    EXPECT_EQ(output(), (std::vector<float>{5, 10}));
  }
}

TEST_F(Run, MovesValues) {
  const int32_t sum = m().add_planned({2}, 32);
  m().call("test::add.out", {0, 0, sum, sum});
  m().code.push_back(MoveModel{sum, 1});
  m().code.push_back(FreeModel{sum});
  Method& method = load();
  for (int run = 0; run < 2; ++run) {
    EXPECT_EQ(method.execute(), Error::Ok);
    EXPECT_EQ(output(), (std::vector<float>{2, 4}));
  }
}

TEST_F(Run, MakesViews) {
  TensorModel view;
  view.sizes = {1, 2};
  const int32_t viewed = m().add(view);
  const int32_t one = m().add(int64_t{1});
  const int32_t two = m().add(int64_t{2});
  const int32_t sizes = m().add(IntsModel{{one, two}});
  m().call("executorch_prim::et_view.default", {0, sizes, viewed});
  m().call("test::add.out", {viewed, viewed, 1, 1});
  EXPECT_EQ(load().execute(), Error::Ok);
  EXPECT_EQ(output(), (std::vector<float>{2, 4}));
}

TEST_F(Run, RefusesAViewBeforeItIsMade) {
  TensorModel view;
  view.sizes = {2};
  const int32_t viewed = m().add(view);
  const int32_t two = m().add(int64_t{2});
  const int32_t sizes = m().add(IntsModel{{two}});
  m().call("test::add.out", {viewed, viewed, 1, 1});
  m().call("executorch_prim::et_view.default", {0, sizes, viewed});
  Method& method = load();
  for (int run = 0; run < 2; ++run) {  // also when a former run has made it
    EXPECT_EQ(method.execute(), Error::InvalidState);
    while (run == 0 && method.step() == Error::Ok) {
    }
  }
}

TEST_F(Run, GivesScratchMemory) {
  m().call("test::scratch", {0});
  EXPECT_EQ(load().execute(), Error::Ok);
}

TEST_F(Run, Steps) {
  m().call("test::add.out", {0, 0, 1, 1});
  m().call("test::add.out", {1, 0, 1, 1});
  Method& method = load();
  EXPECT_FALSE(method.in_progress());
  EXPECT_EQ(method.reset_execution(), Error::InvalidState);
  EXPECT_EQ(method.step(), Error::Ok);
  EXPECT_TRUE(method.in_progress());
  EXPECT_EQ(method.reset_execution(), Error::InvalidState);
  EXPECT_EQ(method.execute(), Error::InvalidState);
  EXPECT_EQ(method.step(), Error::Ok);
  EXPECT_FALSE(method.in_progress());
  EXPECT_EQ(method.step(), Error::EndOfMethod);
  EXPECT_EQ(method.step(), Error::EndOfMethod);
  EXPECT_EQ(output(), (std::vector<float>{3, 6}));
  EXPECT_EQ(method.reset_execution(), Error::Ok);
  EXPECT_EQ(method.execute(), Error::Ok);
}

TEST_F(Run, StepsOverNothing) {
  Method& method = load();
  EXPECT_EQ(method.step(), Error::EndOfMethod);
  EXPECT_EQ(method.reset_execution(), Error::Ok);
  EXPECT_EQ(method.execute(), Error::Ok);
}

TEST_F(Run, BeginsAgainAfterAFailedStep) {
  m().call("test::fail_if", {0, 1});
  Method& method = load();
  OwnedTensor negative({2}, {-1, 0});
  ASSERT_EQ(method.set_input(negative, 0), Error::Ok);
  EXPECT_EQ(method.step(), Error::NotSupported);
  EXPECT_FALSE(method.in_progress());
  ASSERT_EQ(method.set_input(in_, 0), Error::Ok);
  EXPECT_EQ(method.step(), Error::Ok);
}

TEST_F(Run, FailsAfterAMove) {
  Method& method = load();
  Method moved(std::move(method));
  EXPECT_EQ(method.execute(), Error::InvalidState);
  EXPECT_EQ(method.set_input(in_, 0), Error::InvalidState);
  EXPECT_EQ(moved.execute(), Error::Ok);
}

TEST_F(Run, AllocatesNothing) {
  m().call("test::add.out", {0, 0, 1, 1});
  Method& method = load();
  ASSERT_EQ(method.execute(), Error::Ok);
  const size_t before = num_allocations();
  for (int run = 0; run < 3; ++run) {
    ASSERT_EQ(method.execute(), Error::Ok);
  }
  EXPECT_EQ(num_allocations(), before);
}

}  // namespace
}  // namespace executorch::test
