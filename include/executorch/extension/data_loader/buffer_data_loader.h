// Hands out parts of memory that holds a file.
#pragma once

#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstddef>
#include <cstdint>

namespace executorch {
namespace extension {

/// A DataLoader over memory that the caller keeps, at least as long as the
/// loader and everything that was loaded through it. Nothing is copied. A
/// program needs an address that is a multiple of 8. Thread safe as long as
/// nobody writes to the memory.
class ET_EXPORT BufferDataLoader final
    : public executorch::runtime::DataLoader {
 public:
  /// @param data Start of the memory; null is like a size of 0.
  /// @param size In bytes.
  BufferDataLoader(const void* data, size_t size)
      : data_(static_cast<const uint8_t*>(data)),
        size_(data == nullptr ? 0 : size) {}

  /// `size` bytes from `offset` on. The buffer owns nothing.
  ///
  /// @retval InvalidArgument The range is not inside the memory.
  ET_NODISCARD
  executorch::runtime::Result<executorch::runtime::FreeableBuffer> load(
      size_t offset, size_t size,
      const DataLoader::SegmentInfo& segment_info) const override;

  /// Copies into `buffer`, which has room for `size` bytes and is not null.
  ET_NODISCARD executorch::runtime::Error load_into(
      size_t offset, size_t size, const SegmentInfo& segment_info,
      void* buffer) const override;

  ET_NODISCARD executorch::runtime::Result<size_t> size() const override {
    return size_;
  }

 private:
  const uint8_t* data_;
  size_t size_;
};

}  // namespace extension
}  // namespace executorch
