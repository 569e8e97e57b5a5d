// Reads a file that is open already.
#pragma once

#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstddef>

namespace executorch {
namespace extension {

/// As FileDataLoader, for a file descriptor that it takes over and closes.
/// Thread safe.
class ET_EXPORT FileDescriptorDataLoader final
    : public executorch::runtime::DataLoader {
 public:
  /// Takes over a descriptor of a regular file that can be read. On failure the
  /// descriptor stays the caller's.
  ///
  /// @param file_descriptor_uri "fd:///" and the decimal number.
  /// @param alignment Of the addresses that load() gives, in bytes; a power of
  ///     two.
  /// @retval InvalidArgument The text is null or not of this form, or
  ///     `alignment` is not a power of two.
  /// @retval AccessFailed There is no such descriptor, or it is not of a
  ///     regular file.
  static executorch::runtime::Result<FileDescriptorDataLoader>
  fromFileDescriptorUri(const char* file_descriptor_uri,
                        size_t alignment = alignof(std::max_align_t));

  FileDescriptorDataLoader(FileDescriptorDataLoader&& other) noexcept
      : fd_(other.fd_), size_(other.size_), alignment_(other.alignment_) {
    other.fd_ = -1;
    other.size_ = 0;
  }
  FileDescriptorDataLoader(const FileDescriptorDataLoader&) = delete;
  FileDescriptorDataLoader& operator=(const FileDescriptorDataLoader&) = delete;
  FileDescriptorDataLoader& operator=(FileDescriptorDataLoader&&) = delete;
  ~FileDescriptorDataLoader() override;

  /// See FileDataLoader::load().
  ET_NODISCARD
  executorch::runtime::Result<executorch::runtime::FreeableBuffer> load(
      size_t offset, size_t size,
      const DataLoader::SegmentInfo& segment_info) const override;

  /// See FileDataLoader::load_into().
  ET_NODISCARD executorch::runtime::Error load_into(
      size_t offset, size_t size, const SegmentInfo& segment_info,
      void* buffer) const override;

  /// Bytes in the file when the loader was made.
  ET_NODISCARD executorch::runtime::Result<size_t> size() const override;

 private:
  FileDescriptorDataLoader(int fd, size_t size, size_t alignment)
      : fd_(fd), size_(size), alignment_(alignment) {}

  int fd_;
  size_t size_;
  size_t alignment_;
};

}  // namespace extension
}  // namespace executorch
