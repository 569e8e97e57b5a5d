// test/data/programs/bundled.bpte: x * 2 + y and x > y of two float [2, 3]
// tensors. Test 0 expects what PyTorch gave, test 1 an element that is 0.01
// off.
#include <executorch/devtools/bundled_program/bundled_program.h>
#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/module/bundled_module.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>

namespace executorch::bundled_program {
namespace {

using extension::BundledModule;
using extension::FileDataLoader;
using runtime::DataLoader;
using runtime::Error;
using runtime::FreeableBuffer;

const std::string kFile = ET_TEST_DATA_DIR "/programs/bundled.bpte";

FreeableBuffer read_file() {
  const auto loader = FileDataLoader::from(kFile.c_str(), 32);
  const DataLoader::SegmentInfo whole(DataLoader::SegmentInfo::Type::Program);
  auto bytes = loader->load(0, *loader->size(), whole);
  return std::move(*bytes);
}

TEST(BundledModule, RunsTestsAndComparesOutputs) {
  auto module = BundledModule::from_file(kFile);
  ASSERT_TRUE(module.ok());
  ASSERT_TRUE((*module)->execute("forward", 0).ok());
  EXPECT_EQ((*module)->verify_method_outputs("forward", 0), Error::Ok);
  ASSERT_TRUE((*module)->execute("forward", 1).ok());
  EXPECT_EQ((*module)->verify_method_outputs("forward", 1), Error::NotFound);
  EXPECT_EQ((*module)->verify_method_outputs("forward", 1, 0, 0.02), Error::Ok);
  EXPECT_EQ((*module)->execute("forward", 2).error(), Error::InvalidArgument);
  EXPECT_EQ((*module)->execute("other", 0).error(), Error::NotSupported);
}

TEST(BundledModule, RefusesOtherFiles) {
  EXPECT_EQ(BundledModule::from_file("/no/such/file").error(),
            Error::AccessFailed);
  EXPECT_EQ(BundledModule::from_file(ET_TEST_DATA_DIR "/programs/custom_op.pte")
                .error(),
            Error::NotSupported);
  BundledModule null(nullptr);
  EXPECT_EQ(null.execute("forward", 0).error(), Error::InvalidArgument);
  EXPECT_NE(null.load(), Error::Ok);
}

TEST(BundledProgram, ServesAMethod) {
  FreeableBuffer file = read_file();
  void* data = const_cast<void*>(file.data());
  ASSERT_TRUE(is_bundled_program(data, file.size()));
  const void* program_data = nullptr;
  size_t size = 0;
  ASSERT_EQ(get_program_data(data, file.size(), &program_data, &size),
            Error::Ok);
  extension::Module module(
      std::make_unique<extension::BufferDataLoader>(program_data, size));
  ASSERT_EQ(module.load_method("forward"), Error::Ok);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  runtime::Method& method = **module.method("forward");
#pragma GCC diagnostic pop
  ASSERT_EQ(load_bundled_input(method, data, 1), Error::Ok);
  ASSERT_EQ(method.execute(), Error::Ok);
  EXPECT_EQ(verify_method_outputs(method, data, 1), Error::NotFound);
  const ErrorStats stats = compute_method_output_error_stats(method, data, 1);
  EXPECT_EQ(stats.status, Error::Ok);
  EXPECT_NEAR(stats.max_abs_error, 0.01, 1e-6);
  EXPECT_NEAR(stats.mean_abs_error, 0.01 / 12, 1e-6);
  EXPECT_GT(stats.max_relative_error, 0);
  EXPECT_EQ(compute_method_output_error_stats(method, data, 5).status,
            Error::InvalidArgument);
}

TEST(BundledProgram, ChecksDamagedFiles) {
  FreeableBuffer file = read_file();
  const void* program = nullptr;
  size_t size = 0;
  const auto get = [&](size_t length) {
    return get_program_data(const_cast<void*>(file.data()), length, &program,
                            &size);
  };
  EXPECT_EQ(get(4), Error::NotSupported);
  EXPECT_EQ(get(file.size() / 2), Error::InvalidProgram);
  EXPECT_EQ(get_program_data(nullptr, 10, &program, &size),
            Error::InvalidArgument);
  EXPECT_FALSE(is_bundled_program(nullptr, 10));
  // No change of one byte may crash what follows.
  auto* bytes = static_cast<uint8_t*>(const_cast<void*>(file.data()));
  for (size_t i = 0; i < file.size(); i += 3) {
    bytes[i] ^= 0xff;
    if (get(file.size()) == Error::Ok) {
      BundledModule module(bytes);
      if (module.execute("forward", 0).ok()) {
        (void)module.verify_method_outputs("forward", 0);
      }
    }
    bytes[i] ^= 0xff;
  }
  EXPECT_EQ(get(file.size()), Error::Ok);
}

}  // namespace
}  // namespace executorch::bundled_program
