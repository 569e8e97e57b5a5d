// Reads a file into memory of its own.
#pragma once

#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstddef>

namespace executorch {
namespace extension {

/// A DataLoader that allocates memory and reads a part of a file into it. The
/// file stays open as long as the loader lives. Thread safe.
class ET_EXPORT FileDataLoader final : public executorch::runtime::DataLoader {
 public:
  /// Opens a file.
  ///
  /// @param file_name Path of the file.
  /// @param alignment Of the addresses that load() gives, in bytes; a power of
  ///     two.
  /// @retval InvalidArgument `file_name` is null or `alignment` is not a power
  ///     of two.
  /// @retval AccessFailed The file cannot be opened, or is not a regular file.
  static executorch::runtime::Result<FileDataLoader> from(
      const char* file_name, size_t alignment = alignof(std::max_align_t));

  /// Deprecated: use from().
  ET_DEPRECATED static executorch::runtime::Result<FileDataLoader> From(
      const char* file_name, size_t alignment = alignof(std::max_align_t)) {
    return from(file_name, alignment);
  }

  FileDataLoader(FileDataLoader&& other) noexcept
      : fd_(other.fd_), size_(other.size_), alignment_(other.alignment_) {
    other.fd_ = -1;
    other.size_ = 0;
  }
  FileDataLoader(const FileDataLoader&) = delete;
  FileDataLoader& operator=(const FileDataLoader&) = delete;
  FileDataLoader& operator=(FileDataLoader&&) = delete;
  ~FileDataLoader() override;

  /// `size` bytes of the file from `offset` on. The buffer owns them and does
  /// not need the loader.
  ///
  /// @retval InvalidArgument The range is not inside the file.
  /// @retval MemoryAllocationFailed There is no memory for it.
  /// @retval AccessFailed The file cannot be read.
  ET_NODISCARD
  executorch::runtime::Result<executorch::runtime::FreeableBuffer> load(
      size_t offset, size_t size,
      const DataLoader::SegmentInfo& segment_info) const override;

  /// As load(), into `buffer`, which has room for `size` bytes.
  ET_NODISCARD executorch::runtime::Error load_into(
      size_t offset, size_t size, const SegmentInfo& segment_info,
      void* buffer) const override;

  /// Bytes in the file when it was opened.
  ET_NODISCARD executorch::runtime::Result<size_t> size() const override;

 private:
  FileDataLoader(int fd, size_t size, size_t alignment)
      : fd_(fd), size_(size), alignment_(alignment) {}

  int fd_;
  size_t size_;
  size_t alignment_;
};

}  // namespace extension
}  // namespace executorch
