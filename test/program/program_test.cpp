// Program and MethodMeta: what a file says without loading a method.
#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/executor/program.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>

#include "test/support/program_model.h"

namespace executorch::test {
namespace {

using extension::BufferDataLoader;
using runtime::DataLoader;
using runtime::Error;
using runtime::FreeableBuffer;
using runtime::MethodMeta;
using runtime::Program;
using runtime::Result;
using runtime::Tag;

ProgramModel two_methods() {
  ProgramModel program;
  program.methods.resize(2);
  MethodModel& m = program.method();
  TensorModel input;
  input.sizes = {2, 3};
  input.dim_order = {1, 0};
  input.dynamism = 1;
  m.inputs.push_back(m.add(input));
  m.inputs.push_back(m.add(int64_t{4}));
  m.inputs.push_back(m.add(std::monostate()));
  TensorModel weight;
  weight.sizes = {4};
  weight.data = 1;
  weight.name = "linear.weight";
  m.outputs.push_back(m.add(weight));
  TensorModel state;
  state.sizes = {8};
  state.place = Place{1, 64};
  state.name = "state";
  m.add(state);
  m.outputs.push_back(m.add(std::string("text")));
  m.outputs.push_back(m.add(TensorsModel{{0}}));
  m.buffers = {0, 256, 1000};
  m.delegates = {{"A", 0, 0}, {"B", 0, 0}, {"A", 0, 0}};
  m.call("test::op", {0});
  m.call("test::op", {0});
  program.methods[1].name = "constant";
  program.methods[1].outputs.push_back(program.methods[1].add(2.5));
  program.methods[1].buffers.clear();
  program.constants = {{}, bytes_of<float>({1, 2, 3, 4})};
  program.delegate_data = {{1}};
  return program;
}

class ProgramTest : public ::testing::Test {
 protected:
  ProgramTest()
      : file_(write_program(two_methods())),
        loader_(file_.data(), file_.size()),
        program_(Program::load(&loader_)) {}

  FileBytes file_;
  BufferDataLoader loader_;
  Result<Program> program_;
};

TEST_F(ProgramTest, ListsMethods) {
  ASSERT_TRUE(program_.ok());
  EXPECT_EQ(program_->num_methods(), 2u);
  EXPECT_STREQ(program_->get_method_name(1).get(), "constant");
  EXPECT_EQ(program_->get_method_name(2).error(), Error::InvalidArgument);
  EXPECT_EQ(program_->method_meta("no").error(), Error::InvalidArgument);
  EXPECT_EQ(program_->method_meta(nullptr).error(), Error::InvalidArgument);
}

TEST_F(ProgramTest, DescribesValues) {
  const MethodMeta meta = program_->method_meta("forward").get();
  EXPECT_EQ(meta.num_inputs(), 3u);
  EXPECT_EQ(meta.input_tag(0).get(), Tag::Tensor);
  EXPECT_EQ(meta.input_tag(1).get(), Tag::Int);
  EXPECT_EQ(meta.input_tag(2).get(), Tag::None);
  EXPECT_EQ(meta.input_tag(3).error(), Error::InvalidArgument);
  const auto input = meta.input_tensor_meta(0);
  ASSERT_TRUE(input.ok());
  EXPECT_EQ(input->nbytes(), 24u);
  EXPECT_EQ(input->sizes()[1], 3);
  EXPECT_EQ(input->dim_order()[0], 1);
  EXPECT_FALSE(input->is_memory_planned());
  EXPECT_EQ(input->name(), "");
  EXPECT_EQ(meta.input_tensor_meta(1).error(), Error::InvalidArgument);
  EXPECT_EQ(meta.num_outputs(), 3u);
  EXPECT_EQ(meta.output_tag(1).get(), Tag::String);
  EXPECT_EQ(meta.output_tag(2).get(), Tag::ListTensor);
  const auto output = meta.output_tensor_meta(0);
  ASSERT_TRUE(output.ok());
  EXPECT_TRUE(output->is_memory_planned());
  EXPECT_EQ(output->name(), "linear.weight");
}

TEST_F(ProgramTest, DescribesAttributesBuffersAndBackends) {
  const MethodMeta meta = program_->method_meta("forward").get();
  EXPECT_EQ(meta.num_attributes(), 2u);
  EXPECT_EQ(meta.attribute_tensor_meta(1)->name(), "state");
  EXPECT_EQ(meta.attribute_tensor_meta(2).error(), Error::InvalidArgument);
  EXPECT_EQ(meta.num_memory_planned_buffers(), 2u);
  EXPECT_EQ(meta.memory_planned_buffer_size(1).get(), 1000);
  EXPECT_EQ(meta.memory_planned_buffer_size(2).error(), Error::InvalidArgument);
  EXPECT_TRUE(meta.memory_planned_buffer_device(1)->is_cpu());
  EXPECT_EQ(meta.num_backends(), 2u);
  EXPECT_STREQ(meta.get_backend_name(1).get(), "B");
  EXPECT_EQ(meta.get_backend_name(2).error(), Error::InvalidArgument);
  EXPECT_TRUE(meta.uses_backend("A"));
  EXPECT_FALSE(meta.uses_backend("C"));
  EXPECT_FALSE(meta.uses_backend(nullptr));
  EXPECT_EQ(meta.num_instructions(), 2u);
  const MethodMeta constant = program_->method_meta("constant").get();
  EXPECT_EQ(constant.num_memory_planned_buffers(), 0u);
  EXPECT_EQ(constant.num_instructions(), 0u);
}

TEST_F(ProgramTest, GivesConstants) {
  const auto constant = program_->get_constant_buffer_data(1, 16);
  ASSERT_TRUE(constant.ok());
  EXPECT_EQ(static_cast<const float*>(*constant)[2], 3.0f);
  EXPECT_EQ(program_->get_constant_buffer_data(1, 17).error(),
            Error::InvalidArgument);
  EXPECT_EQ(program_->get_constant_buffer_data(2, 1).error(),
            Error::InvalidArgument);
}

TEST_F(ProgramTest, StaysValidWhenItMoves) {
  const MethodMeta meta = program_->method_meta("forward").get();
  const Program moved(std::move(*program_));
  EXPECT_STREQ(meta.name(), "forward");
  EXPECT_EQ(moved.num_methods(), 2u);
}

TEST(Program, ReadsConstantsFromASegment) {
  ProgramModel model = two_methods();
  model.segments = {std::vector<uint8_t>(64), bytes_of<float>({0, 1, 2, 3, 4})};
  model.constant_segment = OffsetsModel{1, {0, 4}};
  FileBytes file = write_program(model);
  BufferDataLoader loader(file.data(), file.size());
  const auto program = Program::load(&loader);
  ASSERT_TRUE(program.ok());
  const auto constant = program->get_constant_buffer_data(1, 16);
  ASSERT_TRUE(constant.ok());
  EXPECT_EQ(static_cast<const float*>(*constant)[3], 4.0f);
}

TEST(Program, GivesNamedData) {
  ProgramModel model = two_methods();
  EXPECT_EQ(
      [&] {
        FileBytes file = write_program(model);
        BufferDataLoader loader(file.data(), file.size());
        return Program::load(&loader)->get_named_data_map().error();
      }(),
      Error::NotFound);
  model.segments = {{1, 2, 3}};
  model.named_data = {{"a", 0}, {"b", 0}};
  FileBytes file = write_program(model);
  BufferDataLoader loader(file.data(), file.size());
  const auto program = Program::load(&loader);
  ASSERT_TRUE(program.ok());
  const runtime::NamedDataMap& map = *program->get_named_data_map().get();
  EXPECT_EQ(map.get_num_keys().get(), 2u);
  EXPECT_STREQ(map.get_key(1).get(), "b");
  EXPECT_EQ(map.get_key(2).error(), Error::InvalidArgument);
  const auto data = map.get_data("b");
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(data->size(), 3u);
  EXPECT_EQ(map.get_data("c").error(), Error::NotFound);
  EXPECT_EQ(map.get_tensor_layout("a").error(), Error::NotImplemented);
  uint8_t two[2] = {};
  EXPECT_EQ(map.load_data_into("a", two, 2), Error::Ok);
  EXPECT_EQ(two[1], 2);
  EXPECT_EQ(map.load_data_into("a", two, 4), Error::InvalidArgument);
}

// A loader that does not keep its promises.
class BrokenLoader final : public DataLoader {
 public:
  explicit BrokenLoader(FileBytes* file) : file_(file) {}
  Result<FreeableBuffer> load(size_t offset, size_t size,
                              const SegmentInfo&) const override {
    return FreeableBuffer(file_->data() + offset, size / 2, nullptr);
  }
  Result<size_t> size() const override { return file_->size(); }

 private:
  FileBytes* file_;
};

TEST(Program, RefusesBadLoaders) {
  EXPECT_EQ(Program::load(nullptr).error(), Error::InvalidArgument);
  FileBytes file = write_program(two_methods());
  BrokenLoader broken(&file);
  EXPECT_EQ(Program::load(&broken).error(), Error::AccessFailed);
  FileBytes odd = write_program(two_methods());
  std::memmove(odd.data() + 4, odd.data(), odd.size() - 4);
  BufferDataLoader unaligned(odd.data() + 4, odd.size() - 4);
  EXPECT_NE(Program::load(&unaligned).error(), Error::Ok);
}

}  // namespace
}  // namespace executorch::test
