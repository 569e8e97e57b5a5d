// Maps a file into memory.
#pragma once

#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstddef>

namespace executorch {
namespace extension {

/// A DataLoader that maps parts of a file, so that processes share the memory
/// and pages are read when they are used. The file must not get shorter while
/// it is mapped: the system ends a process that reads behind the end. Thread
/// safe.
class ET_EXPORT MmapDataLoader final : public executorch::runtime::DataLoader {
 public:
  /// What to do with the pages of a loaded part.
  enum class MlockConfig {
    /// Nothing: they are read when they are used.
    NoMlock,
    /// Lock them in memory with mlock(); load() fails when that fails.
    UseMlock,
    /// Lock them, but take no notice when that fails.
    UseMlockIgnoreErrors,
    /// Ask the system to read them ahead, without locking them.
    UseMadvise,
  };

  /// Opens a file. It stays open as long as the loader lives.
  ///
  /// @param file_name Path of the file.
  /// @retval InvalidArgument `file_name` is null.
  /// @retval AccessFailed The file cannot be opened, or is not a regular file.
  static executorch::runtime::Result<MmapDataLoader> from(
      const char* file_name, MlockConfig mlock_config = MlockConfig::UseMlock);

  /// Deprecated: use from().
  ET_DEPRECATED static executorch::runtime::Result<MmapDataLoader> From(
      const char* file_name, MlockConfig mlock_config = MlockConfig::UseMlock) {
    return from(file_name, mlock_config);
  }
  /// Deprecated: use from().
  ET_DEPRECATED static executorch::runtime::Result<MmapDataLoader> From(
      const char* file_name, bool use_mlock) {
    return from(file_name,
                use_mlock ? MlockConfig::UseMlock : MlockConfig::NoMlock);
  }

  MmapDataLoader(MmapDataLoader&& other) noexcept
      : fd_(other.fd_), size_(other.size_), mlock_config_(other.mlock_config_) {
    other.fd_ = -1;
    other.size_ = 0;
  }
  MmapDataLoader(const MmapDataLoader&) = delete;
  MmapDataLoader& operator=(const MmapDataLoader&) = delete;
  MmapDataLoader& operator=(MmapDataLoader&&) = delete;
  ~MmapDataLoader() override;

  /// Maps `size` bytes of the file from `offset` on, read-only. The buffer owns
  /// the mapping and does not need the loader. Its address has the alignment
  /// that `offset` has, up to the size of a page.
  ///
  /// @retval InvalidArgument The range is not inside the file.
  /// @retval AccessFailed The file cannot be mapped.
  /// @retval NotSupported The pages cannot be locked (MlockConfig::UseMlock):
  ///     see `ulimit -l`.
  ET_NODISCARD
  executorch::runtime::Result<executorch::runtime::FreeableBuffer> load(
      size_t offset, size_t size,
      const DataLoader::SegmentInfo& segment_info) const override;

  /// Reads into `buffer`, which has room for `size` bytes, without mapping.
  ET_NODISCARD executorch::runtime::Error load_into(
      size_t offset, size_t size, const SegmentInfo& segment_info,
      void* buffer) const override;

  /// Bytes in the file when it was opened.
  ET_NODISCARD executorch::runtime::Result<size_t> size() const override;

 private:
  MmapDataLoader(int fd, size_t size, MlockConfig mlock_config)
      : fd_(fd), size_(size), mlock_config_(mlock_config) {}

  int fd_;
  size_t size_;
  MlockConfig mlock_config_;
};

}  // namespace extension
}  // namespace executorch
