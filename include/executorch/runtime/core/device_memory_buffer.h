// A piece of device memory that is given back by itself.
#pragma once

#include <executorch/runtime/core/device_allocator.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace executorch {
namespace runtime {

/// Owns memory of a device. Can be moved, not copied.
class DeviceMemoryBuffer final {
 public:
  /// `size` bytes. NotFound: no allocator for that kind of device is
  /// registered; else what the allocator says.
  ET_EXPORT static Result<DeviceMemoryBuffer> create(
      size_t size, etensor::DeviceType type, etensor::DeviceIndex index = 0,
      size_t alignment = DeviceAllocator::kDefaultAlignment);

  /// Empty.
  DeviceMemoryBuffer() = default;
  DeviceMemoryBuffer(DeviceMemoryBuffer&& other) noexcept { swap(other); }
  DeviceMemoryBuffer& operator=(DeviceMemoryBuffer&& other) noexcept {
    DeviceMemoryBuffer(std::move(other)).swap(*this);
    return *this;
  }
  DeviceMemoryBuffer(const DeviceMemoryBuffer&) = delete;
  DeviceMemoryBuffer& operator=(const DeviceMemoryBuffer&) = delete;
  ~DeviceMemoryBuffer() {
    if (ptr_ != nullptr) {
      allocator_->deallocate(ptr_, index_);
    }
  }

  /// An address of the device, or null.
  void* data() const { return ptr_; }
  /// Bytes.
  size_t size() const { return size_; }
  Span<uint8_t> as_span() const { return {static_cast<uint8_t*>(ptr_), size_}; }

 private:
  DeviceMemoryBuffer(void* ptr, size_t size, DeviceAllocator* allocator,
                     etensor::DeviceIndex index)
      : ptr_(ptr), size_(size), allocator_(allocator), index_(index) {}

  void swap(DeviceMemoryBuffer& other) noexcept {
    std::swap(ptr_, other.ptr_);
    std::swap(size_, other.size_);
    std::swap(allocator_, other.allocator_);
    std::swap(index_, other.index_);
  }

  void* ptr_ = nullptr;
  size_t size_ = 0;
  DeviceAllocator* allocator_ = nullptr;
  etensor::DeviceIndex index_ = 0;
};

}  // namespace runtime
}  // namespace executorch
