// Hands out parts of shared memory that holds a file.
#pragma once

#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstddef>
#include <memory>
#include <utility>

namespace executorch {
namespace extension {

/// As BufferDataLoader, but the loader is one of the owners of the memory. What
/// was loaded must not outlive the last owner.
class ET_EXPORT SharedPtrDataLoader final
    : public executorch::runtime::DataLoader {
 public:
  /// @param data Start of the memory; null is like a size of 0.
  /// @param size In bytes.
  SharedPtrDataLoader(std::shared_ptr<void> data, size_t size)
      : data_(std::move(data)), size_(data_ == nullptr ? 0 : size) {}

  /// See BufferDataLoader::load().
  ET_NODISCARD
  executorch::runtime::Result<executorch::runtime::FreeableBuffer> load(
      size_t offset, size_t size,
      const DataLoader::SegmentInfo& segment_info) const override;

  /// See BufferDataLoader::load_into().
  ET_NODISCARD executorch::runtime::Error load_into(
      size_t offset, size_t size, const SegmentInfo& segment_info,
      void* buffer) const override;

  ET_NODISCARD executorch::runtime::Result<size_t> size() const override {
    return size_;
  }

 private:
  std::shared_ptr<void> data_;
  size_t size_;
};

}  // namespace extension
}  // namespace executorch
