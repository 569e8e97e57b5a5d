// Payloads are untrusted: damaged ones give an error, or a delegate that runs
// or fails, and never end the process.
#include "src/xnnpack/payload.h"

#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/executor/program.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "src/xnnpack/executor.h"
#include "test/support/cpu_float16.h"

namespace executorch::xnnpack {
namespace {

namespace fs = std::filesystem;
using runtime::Error;
using runtime::EValue;

const fs::path kData = fs::path(ET_TEST_DATA_DIR) / "xnnpack";

std::vector<char> read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A copy with nothing to be read behind it. Lives as long as the process.
void* before_unreadable_page(const void* data, size_t size) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t used = (size + page - 1) / page * page;
  auto* memory =
      static_cast<uint8_t*>(mmap(nullptr, used + page, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(memory + used, page, PROT_NONE);
  return std::memcpy(memory + used - size, data, size);
}

// Gives what another map has in such memory.
class AtEnd final : public runtime::NamedDataMap {
 public:
  explicit AtEnd(const NamedDataMap* map) : map_(map) {}
  runtime::Result<runtime::FreeableBuffer> get_data(
      std::string_view key) const override {
    auto data = ET_UNWRAP(map_->get_data(key));
    return runtime::FreeableBuffer(
        before_unreadable_page(data.data(), data.size()), data.size(), nullptr);
  }
  runtime::Result<const runtime::TensorLayout> get_tensor_layout(
      std::string_view) const override {
    return Error::NotSupported;
  }
  Error load_data_into(std::string_view, void*, size_t) const override {
    return Error::NotSupported;
  }
  runtime::Result<uint32_t> get_num_keys() const override {
    return Error::NotSupported;
  }
  runtime::Result<const char*> get_key(uint32_t) const override {
    return Error::NotSupported;
  }

 private:
  const NamedDataMap* map_;  // null if there are no constants
};

class Payload : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const fs::path folder = kData / GetParam();
    bytes_ = read(folder / "payload.bin");
    ASSERT_FALSE(bytes_.empty());
    auto loader =
        extension::FileDataLoader::from((folder / "model.pte").c_str());
    ASSERT_TRUE(loader.ok());
    loader_ = std::make_unique<extension::FileDataLoader>(std::move(*loader));
    auto program = runtime::Program::load(loader_.get());
    ASSERT_TRUE(program.ok());
    program_ = std::make_unique<runtime::Program>(std::move(*program));
    const auto named = program_->get_named_data_map();
    named_data_ = named.ok() ? *named : nullptr;
    add_tensors();
  }

  // One tensor per argument of the intact graph.
  void add_tensors() {
    const auto payload = read_payload(
        {reinterpret_cast<const uint8_t*>(bytes_.data()), bytes_.size()});
    ASSERT_TRUE(payload.ok());
    tensors_.resize(payload->graph->num_externs());
    for (uint32_t id = 0; id < payload->num_values(); ++id) {
      const fb::XNNTensorValue& t = payload->tensor(id);
      if (t.flags() != 0) {
        const bool half = t.datatype() == fb::XNNDatatype::fp16;
        tensors_[t.external_id()] = extension::zeros(
            {t.dims()->begin(), t.dims()->end()},
            half ? aten::ScalarType::Half : aten::ScalarType::Float);
        if (half && !test::cpu_has_float16()) {
          intact_gives_ = Error::NotSupported;
        }
      }
    }
  }

  Error create_and_run(const std::vector<char>& payload) {
    return create_and_run(payload, tensors_, named_data_);
  }
  Error create_and_run(const std::vector<char>& payload,
                       const std::vector<extension::TensorPtr>& tensors,
                       const runtime::NamedDataMap* named_data) {
    auto executor = Executor::create(
        {reinterpret_cast<const uint8_t*>(payload.data()), payload.size()},
        named_data, this, {});
    if (!executor.ok()) {
      return executor.error();
    }
    std::vector<EValue> values(tensors.begin(), tensors.end());
    std::vector<EValue*> args;
    for (EValue& value : values) {
      args.push_back(&value);
    }
    const Error error = (*executor)->execute({args.data(), args.size()});
    if (error != Error::Ok) {  // and again, if it is tried again
      EXPECT_NE((*executor)->execute({args.data(), args.size()}), Error::Ok);
    }
    return error;
  }

  Error intact_gives_ = Error::Ok;
  std::vector<char> bytes_;
  std::unique_ptr<extension::FileDataLoader> loader_;
  std::unique_ptr<runtime::Program> program_;
  const runtime::NamedDataMap* named_data_ = nullptr;
  std::vector<extension::TensorPtr> tensors_;
};

TEST_P(Payload, IntactRuns) {
  EXPECT_EQ(create_and_run(bytes_), intact_gives_);
}

// XNNPACK reads past the end of what it works on.
TEST_P(Payload, DataMayEndWhereMemoryEnds) {
  const AtEnd named_data(named_data_);
  std::vector<extension::TensorPtr> at_end;
  for (const auto& tensor : tensors_) {
    auto* bytes = tensor->mutable_data_ptr<uint8_t>();
    for (size_t i = 0; i < tensor->nbytes(); ++i) {
      bytes[i] = static_cast<uint8_t>(i % 4 == 3 ? 0x3C : i * 7);
    }
    at_end.push_back(
        extension::from_blob(before_unreadable_page(bytes, tensor->nbytes()),
                             {tensor->sizes().begin(), tensor->sizes().end()},
                             tensor->scalar_type()));
  }
  ASSERT_EQ(create_and_run(bytes_), intact_gives_);
  ASSERT_EQ(create_and_run(bytes_, at_end, &named_data), intact_gives_);
  for (size_t i = 0; i < tensors_.size(); ++i) {
    EXPECT_EQ(std::memcmp(tensors_[i]->const_data_ptr(),
                          at_end[i]->const_data_ptr(), tensors_[i]->nbytes()),
              0)
        << "argument " << i;
  }
}

TEST_P(Payload, DamageIsNeverFatal) {
  std::mt19937 random(7);
  int refused = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<char> payload = bytes_;
    const int hits = 1 + static_cast<int>(random() % 3);
    for (int i = 0; i < hits; ++i) {
      const size_t at = random() % payload.size();
      constexpr unsigned char kValues[] = {0, 1, 0x7F, 0x80, 0xFF};
      payload[at] = static_cast<char>(random() % 2 != 0 ? kValues[random() % 5]
                                                        : random());
    }
    refused += create_and_run(payload) != Error::Ok;
  }
  EXPECT_GT(refused, 0);
#if !defined(__SANITIZE_ADDRESS__)
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  EXPECT_LT(usage.ru_maxrss, 1536 * 1024) << "kB were in use";
#endif
}

TEST_P(Payload, TruncationIsRefused) {
  for (size_t size = 0; size < bytes_.size() - 16; size += 1 + size / 8) {
    const std::vector<char> cut(bytes_.begin(),
                                bytes_.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_NE(create_and_run(cut), Error::Ok) << size << " bytes";
  }
}

INSTANTIATE_TEST_SUITE_P(Xnnpack, Payload,
                         ::testing::Values("add_q8", "bmm_f32", "clone_cat4",
                                           "conv_f32", "conv_q8", "conv_qd8",
                                           "convt_f32", "linear_qb4",
                                           "linear_qc4_odd", "mlp_f16",
                                           "ops_f32", "slice_f32"),
                         [](const auto& info) { return info.param; });

TEST(PayloadHeader, WrongMagicIsAnOldGraph) {
  std::vector<uint8_t> bytes(64, 0);
  EXPECT_EQ(Executor::create({bytes.data(), 20}, nullptr, nullptr, {}).error(),
            Error::InvalidArgument);
  EXPECT_EQ(Executor::create({bytes.data(), 64}, nullptr, nullptr, {}).error(),
            Error::DelegateInvalidCompatibility);
}

}  // namespace
}  // namespace executorch::xnnpack
