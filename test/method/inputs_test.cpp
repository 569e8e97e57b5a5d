// Setting inputs, and where outputs are.
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>

#include "test/support/loaded_method.h"

namespace executorch::test {
namespace {

using runtime::Error;
using runtime::EValue;
using runtime::Kernel;
using runtime::KernelRuntimeContext;
using runtime::Span;

// out = in, element by element in memory order.
void copy(KernelRuntimeContext&, Span<EValue*> args) {
  const aten::Tensor& in = args[0]->toTensor();
  std::memcpy(args[1]->toTensor().mutable_data_ptr(), in.const_data_ptr(),
              in.nbytes());
}

const std::vector<Kernel> kKernels = {Kernel("test::copy.out", copy)};

TensorModel tensor(std::vector<int32_t> sizes, std::optional<Place> place) {
  TensorModel model;
  model.sizes = std::move(sizes);
  model.place = place;
  return model;
}

// out = copy(in) with both as given.
ProgramModel copy_program(TensorModel in, TensorModel out) {
  ProgramModel program;
  MethodModel& m = program.method();
  m.inputs = {m.add(std::move(in))};
  m.outputs = {m.add(std::move(out))};
  m.call("test::copy.out", {0, 1, 1});
  return program;
}
ProgramModel planned_copy() {
  return copy_program(tensor({2, 3}, Place{1, 0}),
                      tensor({2, 3}, Place{1, 32}));
}

const std::vector<float> kNumbers = {1, 2, 3, 4, 5, 6};
const std::vector<float> kColumns = {1, 4, 2, 5, 3, 6};  // the same by columns

TEST(Inputs, AreCopiedIntoPlannedMemory) {
  LoadedMethod m(planned_copy(), {nullptr, nullptr, kKernels});
  ASSERT_EQ(m.error(), Error::Ok);
  OwnedTensor in({2, 3}, kNumbers);
  ASSERT_EQ(m->set_input(in, 0), Error::Ok);
  in.data().assign(6, 0.0f);
  for (int run = 0; run < 2; ++run) {  // they stay set
    ASSERT_EQ(m->execute(), Error::Ok);
    EXPECT_EQ(floats(m->get_output(0)), kNumbers);
  }
}

TEST(Inputs, AreRearrangedToTheDimOrderOfTheProgram) {
  LoadedMethod rows(planned_copy(), {nullptr, nullptr, kKernels});
  OwnedTensor by_columns({2, 3}, kColumns, {1, 0});
  ASSERT_EQ(rows->set_input(by_columns, 0), Error::Ok);
  ASSERT_EQ(rows->execute(), Error::Ok);
  EXPECT_EQ(floats(rows->get_output(0)), kNumbers);

  ProgramModel program = planned_copy();
  std::get<TensorModel>(program.method().values[0]).dim_order = {1, 0};
  LoadedMethod columns(program, {nullptr, nullptr, kKernels});
  OwnedTensor by_rows({2, 3}, kNumbers);
  ASSERT_EQ(columns->set_input(by_rows, 0), Error::Ok);
  ASSERT_EQ(columns->execute(), Error::Ok);
  EXPECT_EQ(floats(columns->get_output(0)), kColumns);
}

TEST(Inputs, ReferToTheCallersMemoryWithoutAPlan) {
  LoadedMethod m(copy_program(tensor({2, 3}, {}), tensor({2, 3}, Place{1, 0})),
                 {nullptr, nullptr, kKernels});
  OwnedTensor in({2, 3}, kNumbers);
  ASSERT_EQ(m->set_input(in, 0), Error::Ok);
  in.data()[0] = 9;
  ASSERT_EQ(m->execute(), Error::Ok);
  EXPECT_EQ(floats(m->get_output(0))[0], 9.0f);
  OwnedTensor by_columns({2, 3}, kColumns, {1, 0});
  ASSERT_EQ(m->set_input(by_columns, 0), Error::Ok);
  ASSERT_EQ(m->execute(), Error::Ok);
  EXPECT_EQ(floats(m->get_output(0)), kNumbers);
}

TEST(Inputs, IgnoreWhereDimensionsOfSizeOneStand) {
  LoadedMethod m(copy_program(tensor({1, 3}, {}), tensor({1, 3}, Place{1, 0})),
                 {nullptr, nullptr, kKernels});
  OwnedTensor in({1, 3}, {1, 2, 3}, {1, 0});
  ASSERT_EQ(m->set_input(in, 0), Error::Ok);
  in.data()[0] = 7;  // taken as it is
  ASSERT_EQ(m->execute(), Error::Ok);
  EXPECT_EQ(floats(m->get_output(0))[0], 7.0f);
}

// The two ways to give a tensor to a method.
using SetInput = Error (runtime::Method::*)(const EValue&, size_t);
class AnyInputs : public ::testing::TestWithParam<SetInput> {
 protected:
  Error set(const EValue& value, size_t index = 0) {
    return (m_->method().*GetParam())(value, index);
  }
  LoadedMethod* m_ = nullptr;
};
INSTANTIATE_TEST_SUITE_P(, AnyInputs,
                         ::testing::Values(&runtime::Method::set_input,
                                           &runtime::Method::bind_input));

TEST_P(AnyInputs, TakeNoOtherTensors) {
  LoadedMethod m(planned_copy(), {nullptr, nullptr, kKernels});
  m_ = &m;
  OwnedTensor wrong_rank({6}, kNumbers);
  EXPECT_EQ(set(wrong_rank), Error::NotSupported);
  OwnedTensor wrong_size({3, 2}, kNumbers);
  EXPECT_EQ(set(wrong_size), Error::NotSupported);
  EXPECT_NE(std::strstr(runtime::last_error_message(),
                        "method forward: input 0 has size 3 in dimension 0"),
            nullptr);
  OwnedTensor no_data({2, 3}, kNumbers);
  no_data.impl().set_data(nullptr);
  EXPECT_EQ(set(no_data), Error::InvalidArgument);
  int32_t sizes[] = {2, 3};
  aten::TensorImpl ints(aten::ScalarType::Int, 2, sizes, sizes);
  EXPECT_EQ(set(aten::Tensor(&ints)), Error::InvalidArgument);
  EXPECT_EQ(set(EValue(int64_t{1})), Error::InvalidArgument);
  EXPECT_EQ(set(EValue()), Error::InvalidArgument);
  OwnedTensor right({2, 3}, kNumbers);
  EXPECT_EQ(set(right, 1), Error::InvalidArgument);
  EXPECT_EQ(m->execute(), Error::InvalidArgument);  // still not set
  const EValue two[] = {right, right};
  EXPECT_EQ(m->set_inputs({two, 2}), Error::InvalidArgument);
  EXPECT_EQ(m->set_inputs({two, 1}), Error::Ok);
  EXPECT_EQ(m->execute(), Error::Ok);
}

TEST_P(AnyInputs, TakeSizesUpToTheirBounds) {
  TensorModel in = tensor({4, 3}, Place{1, 0});
  in.dynamism = 1;
  LoadedMethod m(copy_program(in, tensor({4, 3}, Place{1, 64})),
                 {nullptr, nullptr, kKernels});
  m_ = &m;
  for (const int32_t rows : {4, 1, 0, 3}) {
    OwnedTensor fits({rows, 3}, std::vector<float>(12, 1.0f));
    EXPECT_EQ(set(fits), Error::Ok) << rows;
    EXPECT_EQ(m->execute(), Error::Ok) << rows;
  }
  OwnedTensor too_tall({5, 1}, std::vector<float>(5));
  EXPECT_EQ(set(too_tall), Error::NotSupported);
  OwnedTensor too_wide({1, 4}, std::vector<float>(4));  // fewer elements
  EXPECT_EQ(set(too_wide), Error::NotSupported);
}

TEST(Inputs, AreWhatTheModelWasExportedFor) {
  ProgramModel program;
  MethodModel& m = program.method();
  for (ValueModel value :
       {ValueModel(int64_t{3}), ValueModel(0.5), ValueModel(true),
        ValueModel(std::string("abc")), ValueModel(std::nan("")),
        ValueModel(std::monostate()), ValueModel(IntsModel{{0}})}) {
    m.inputs.push_back(m.add(value));
  }
  LoadedMethod method(program, {});
  ASSERT_EQ(method.error(), Error::Ok);
  const auto set = [&method](EValue value, size_t index) {
    return method->set_input(value, index);
  };
  EXPECT_EQ(method->execute(), Error::Ok);  // nothing has to be set
  EXPECT_EQ(set(int64_t{3}, 0), Error::Ok);
  EXPECT_EQ(set(int64_t{4}, 0), Error::InvalidArgument);
  EXPECT_EQ(set(3.0, 0), Error::InvalidArgument);
  EXPECT_EQ(set(0.5, 1), Error::Ok);
  EXPECT_EQ(set(0.25, 1), Error::InvalidArgument);
  EXPECT_EQ(set(true, 2), Error::Ok);
  EXPECT_EQ(set(false, 2), Error::InvalidArgument);
  aten::ArrayRef<char> same("abc", 3);
  aten::ArrayRef<char> other("abd", 3);
  EXPECT_EQ(set(&same, 3), Error::Ok);
  EXPECT_EQ(set(&other, 3), Error::InvalidArgument);
  EXPECT_EQ(set(std::nan(""), 4), Error::Ok);
  EXPECT_EQ(set(EValue(), 5), Error::Ok);
  EXPECT_EQ(set(int64_t{0}, 5), Error::InvalidArgument);
  EXPECT_EQ(set(int64_t{0}, 6), Error::NotSupported);
}

TEST(BoundInputs, AreReadInPlaceForOneRun) {
  LoadedMethod m(planned_copy(), {nullptr, nullptr, kKernels});
  OwnedTensor in({2, 3}, kNumbers);
  ASSERT_EQ(m->bind_input(in, 0), Error::Ok);
  in.data()[5] = 60;
  ASSERT_EQ(m->execute(), Error::Ok);
  EXPECT_EQ(floats(m->get_output(0))[5], 60.0f);
  EXPECT_EQ(m->execute(), Error::InvalidArgument);
  ASSERT_EQ(m->set_input(in, 0), Error::Ok);
  in.data()[5] = 61;
  ASSERT_EQ(m->execute(), Error::Ok);
  EXPECT_EQ(floats(m->get_output(0))[5], 60.0f);
}

TEST(BoundInputs, AreCopiedWhereThatCouldBeSeen) {
  struct Row {
    const char* what;
    std::function<void(MethodModel&)> change;
  };
  const Row rows[] = {
      {"the input is an output",
       [](MethodModel& m) { m.outputs.push_back(0); }},
      {"another tensor stands for the same memory",
       [](MethodModel& m) {
         const int32_t view = m.add_planned({6}, 0);
         const int32_t out = m.add_planned({6}, 64);
         m.call("test::copy.out", {view, out, out});
       }},
      {"an instruction writes to it",
       [](MethodModel& m) {
         m.call("test::copy.out", {1, 0, 0});
       }},
      {"the run may jump",
       [](MethodModel& m) {
         const int32_t no = m.add(false);
         m.code.push_back(JumpModel{no, 2});
       }},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    ProgramModel program = planned_copy();
    row.change(program.method());
    LoadedMethod m(program, {nullptr, nullptr, kKernels});
    ASSERT_EQ(m.error(), Error::Ok);
    OwnedTensor in({2, 3}, kNumbers);
    ASSERT_EQ(m->bind_input(in, 0), Error::Ok);
    in.data().assign(6, 0.0f);
    ASSERT_EQ(m->execute(), Error::Ok);
    EXPECT_EQ(floats(m->get_output(0)), kNumbers);
    EXPECT_EQ(in.data(), std::vector<float>(6, 0.0f));
    EXPECT_EQ(m->execute(), Error::Ok);  // it stays set
  }
}

TEST(BoundInputs, MayShareMemoryWithLaterResults) {
  ProgramModel program = planned_copy();
  MethodModel& m = program.method();
  const int32_t reuse = m.add_planned({6}, 0);
  m.call("test::copy.out", {1, reuse, reuse});
  m.outputs.push_back(reuse);
  LoadedMethod method(program, {nullptr, nullptr, kKernels});
  OwnedTensor in({2, 3}, kNumbers);
  ASSERT_EQ(method->bind_input(in, 0), Error::Ok);
  in.data()[0] = 9;
  ASSERT_EQ(method->execute(), Error::Ok);
  EXPECT_EQ(floats(method->get_output(1))[0], 9.0f);
}

TEST(Outputs, GetMemoryFromTheCallerWithoutAPlan) {
  LoadedMethod m(copy_program(tensor({2, 3}, Place{1, 0}), tensor({2, 3}, {})),
                 {nullptr, nullptr, kKernels});
  OwnedTensor in({2, 3}, kNumbers);
  ASSERT_EQ(m->set_input(in, 0), Error::Ok);
  EXPECT_EQ(m->execute(), Error::InvalidState);
  std::vector<float> out(6);
  EXPECT_EQ(m->set_output_data_ptr(out.data(), 23, 0), Error::InvalidArgument);
  EXPECT_EQ(m->set_output_data_ptr(nullptr, 24, 0), Error::InvalidArgument);
  EXPECT_EQ(m->set_output_data_ptr(out.data(), 24, 1), Error::InvalidArgument);
  EXPECT_EQ(
      m->set_output_data_ptr(reinterpret_cast<char*>(out.data()) + 1, 24, 0),
      Error::InvalidArgument);
  ASSERT_EQ(m->set_output_data_ptr(out.data(), 24, 0), Error::Ok);
  ASSERT_EQ(m->execute(), Error::Ok);
  EXPECT_EQ(out, kNumbers);
}

TEST(Outputs, KeepPlannedMemory) {
  LoadedMethod m(planned_copy(), {nullptr, nullptr, kKernels});
  std::vector<float> out(6);
  EXPECT_EQ(m->set_output_data_ptr(out.data(), 24, 0), Error::InvalidState);
}

TEST(Outputs, AreCopiedOut) {
  LoadedMethod m(planned_copy(), {nullptr, nullptr, kKernels});
  EValue values[2] = {EValue(true), EValue(true)};
  EXPECT_EQ(m->get_outputs(values, 0), Error::InvalidArgument);
  EXPECT_EQ(m->get_outputs(nullptr, 1), Error::InvalidArgument);
  ASSERT_EQ(m->get_outputs(values, 2), Error::Ok);
  EXPECT_TRUE(values[0].isTensor());
  EXPECT_TRUE(values[1].isNone());
}

TEST(Attributes, AreFoundByName) {
  ProgramModel program = planned_copy();
  TensorModel state = tensor({2}, {});
  state.name = "state";
  program.method().add(state);
  LoadedMethod m(program, {nullptr, nullptr, kKernels});
  ASSERT_EQ(m.error(), Error::Ok);
  const auto attribute = m->get_attribute("state");
  ASSERT_TRUE(attribute.ok());
  EXPECT_EQ(floats(*attribute), (std::vector<float>{0, 0}));
  EXPECT_EQ(m->get_attribute("other").error(), Error::NotFound);
}

}  // namespace
}  // namespace executorch::test
