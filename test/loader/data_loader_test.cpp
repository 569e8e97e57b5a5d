// The loaders: all give the same bytes of the same file.
#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/data_loader/file_descriptor_data_loader.h>
#include <executorch/extension/data_loader/mmap_data_loader.h>
#include <executorch/extension/data_loader/shared_ptr_data_loader.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace executorch::test {
namespace {

using extension::BufferDataLoader;
using extension::FileDataLoader;
using extension::FileDescriptorDataLoader;
using extension::MmapDataLoader;
using extension::SharedPtrDataLoader;
using runtime::DataLoader;
using runtime::Error;

const DataLoader::SegmentInfo kInfo(DataLoader::SegmentInfo::Type::Program);

class DataLoaders : public ::testing::Test {
 protected:
  DataLoaders() : content_(3 * 4096 + 100) {
    for (size_t i = 0; i < content_.size(); ++i) {
      content_[i] = static_cast<char>(i * 7 + i / 256);
    }
    path_ = ::testing::TempDir() + "data_loader_test_XXXXXX";
    const int fd = ::mkstemp(path_.data());
    EXPECT_GE(fd, 0);
    ::close(fd);
    std::ofstream(path_, std::ios::binary)
        .write(content_.data(), static_cast<std::streamsize>(content_.size()));
  }
  ~DataLoaders() override { ::unlink(path_.c_str()); }

  template <class Loader>
  void add(runtime::Result<Loader> loader) {
    ASSERT_TRUE(loader.ok());
    loaders_.push_back(std::make_unique<Loader>(std::move(*loader)));
  }

  void add_all() {
    using Lock = MmapDataLoader::MlockConfig;
    add(FileDataLoader::from(path_.c_str()));
    add(MmapDataLoader::from(path_.c_str(), Lock::NoMlock));
    add(MmapDataLoader::from(path_.c_str(), Lock::UseMlockIgnoreErrors));
    add(MmapDataLoader::from(path_.c_str(), Lock::UseMadvise));
    const int fd = ::open(path_.c_str(), O_RDONLY);
    add(FileDescriptorDataLoader::fromFileDescriptorUri(
        ("fd:///" + std::to_string(fd)).c_str()));
    loaders_.push_back(
        std::make_unique<BufferDataLoader>(content_.data(), content_.size()));
    loaders_.push_back(std::make_unique<SharedPtrDataLoader>(
        std::shared_ptr<void>(content_.data(), [](void*) {}), content_.size()));
  }

  std::vector<char> content_;
  std::string path_;
  std::vector<std::unique_ptr<DataLoader>> loaders_;
};

TEST_F(DataLoaders, GiveParts) {
  add_all();
  const size_t size = content_.size();
  const std::pair<size_t, size_t> parts[] = {
      {0, size}, {0, 1}, {4095, 2}, {4096, 4096}, {5000, 7300}, {size, 0}};
  for (const auto& loader : loaders_) {
    EXPECT_EQ(loader->size().get(), size);
    for (const auto& [offset, length] : parts) {
      const auto part = loader->load(offset, length, kInfo);
      ASSERT_TRUE(part.ok());
      ASSERT_EQ(part->size(), length);
      if (length > 0) {
        EXPECT_EQ(std::memcmp(part->data(), &content_[offset], length), 0);
        std::vector<char> copy(length);
        EXPECT_EQ(loader->load_into(offset, length, kInfo, copy.data()),
                  Error::Ok);
        EXPECT_EQ(std::memcmp(copy.data(), &content_[offset], length), 0);
      }
    }
  }
}

TEST_F(DataLoaders, RefuseWhatIsOutside) {
  add_all();
  const size_t size = content_.size();
  char byte = 0;
  for (const auto& loader : loaders_) {
    for (const auto& [offset, length] :
         std::vector<std::pair<size_t, size_t>>{{size, 1},
                                                {0, size + 1},
                                                {size + 1, 0},
                                                {1, SIZE_MAX},
                                                {SIZE_MAX, 1}}) {
      EXPECT_EQ(loader->load(offset, length, kInfo).error(),
                Error::InvalidArgument);
      EXPECT_EQ(loader->load_into(offset, length, kInfo, &byte),
                Error::InvalidArgument);
    }
    EXPECT_EQ(loader->load_into(0, 1, kInfo, nullptr), Error::InvalidArgument);
  }
}

TEST_F(DataLoaders, KeepDataAfterTheyAreGone) {
  add_all();
  for (size_t i = 0; i < 5; ++i) {  // those that own what they give
    auto part = loaders_[i]->load(10, 4000, kInfo);
    ASSERT_TRUE(part.ok());
    loaders_[i].reset();
    EXPECT_EQ(std::memcmp(part->data(), &content_[10], 4000), 0);
  }
}

TEST_F(DataLoaders, Align) {
  for (const size_t alignment : {1, 2, 64, 4096}) {
    auto loader = FileDataLoader::from(path_.c_str(), alignment);
    ASSERT_TRUE(loader.ok());
    const auto part = loader->load(1, 10, kInfo);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(part->data()) % alignment, 0u);
  }
  for (const size_t alignment : {0, 3, 24}) {
    EXPECT_EQ(FileDataLoader::from(path_.c_str(), alignment).error(),
              Error::InvalidArgument);
    EXPECT_EQ(
        FileDescriptorDataLoader::fromFileDescriptorUri("fd:///0", alignment)
            .error(),
        Error::InvalidArgument);
  }
}

TEST_F(DataLoaders, ServeSeveralThreads) {
  add_all();
  for (const auto& loader : loaders_) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (size_t i = 0; i < 50; ++i) {
          const size_t offset = (i * 131 + static_cast<size_t>(t)) % 8000;
          const auto part = loader->load(offset, 2000, kInfo);
          ASSERT_TRUE(part.ok());
          EXPECT_EQ(std::memcmp(part->data(), &content_[offset], 2000), 0);
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  }
}

TEST_F(DataLoaders, SayWhenAFileBecameShorter) {
  auto loader = FileDataLoader::from(path_.c_str());
  ASSERT_TRUE(loader.ok());
  ASSERT_EQ(::truncate(path_.c_str(), 100), 0);
  EXPECT_EQ(loader->load(0, content_.size(), kInfo).error(),
            Error::AccessFailed);
}

TEST(DataLoader, RefusesWhatIsNoFile) {
  EXPECT_EQ(FileDataLoader::from("/no/such/file").error(), Error::AccessFailed);
  EXPECT_EQ(FileDataLoader::from(nullptr).error(), Error::InvalidArgument);
  EXPECT_EQ(FileDataLoader::from("/tmp").error(), Error::AccessFailed);
  EXPECT_EQ(MmapDataLoader::from("/no/such/file").error(), Error::AccessFailed);
  EXPECT_EQ(MmapDataLoader::from(nullptr).error(), Error::InvalidArgument);
  EXPECT_EQ(MmapDataLoader::from("/tmp").error(), Error::AccessFailed);
  const auto from_uri = [](const char* uri) {
    return FileDescriptorDataLoader::fromFileDescriptorUri(uri).error();
  };
  for (const char* uri : {"", "fd:///", "fd:///x", "fd:///3x", "fd:///-1",
                          "fd:///99999999999", "file:///3"}) {
    EXPECT_EQ(from_uri(uri), Error::InvalidArgument) << uri;
  }
  EXPECT_EQ(from_uri(nullptr), Error::InvalidArgument);
  EXPECT_EQ(from_uri("fd:///1023"), Error::AccessFailed);
}

TEST(DataLoader, TakesNoMemoryAsEmpty) {
  BufferDataLoader buffer(nullptr, 16);
  SharedPtrDataLoader shared(nullptr, 16);
  EXPECT_EQ(buffer.size().get(), 0u);
  EXPECT_EQ(shared.size().get(), 0u);
  EXPECT_EQ(buffer.load(0, 1, kInfo).error(), Error::InvalidArgument);
}

}  // namespace
}  // namespace executorch::test
