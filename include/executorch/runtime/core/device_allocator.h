// Memory of devices other than the CPU.
#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/portable_type/tensor_options.h>
#include <executorch/runtime/core/result.h>

#include <cstddef>

namespace executorch {
namespace runtime {

/// Memory of one kind of device, and copies from and to it. An implementation
/// has to be usable from several threads at a time.
class DeviceAllocator {
 public:
  static constexpr size_t kDefaultAlignment =
      MemoryAllocator::kDefaultAlignment;

  virtual ~DeviceAllocator() = default;

  /// @param nbytes Bytes.
  /// @param index Which device of the kind.
  /// @param alignment Of the result, a power of two.
  virtual Result<void*> allocate(size_t nbytes, etensor::DeviceIndex index,
                                 size_t alignment = kDefaultAlignment) = 0;

  /// Gives back what allocate() returned for this device.
  virtual void deallocate(void* ptr, etensor::DeviceIndex index) = 0;

  /// Copies `nbytes`; the copy is complete when the call returns.
  virtual Error copy_host_to_device(void* dst, const void* src, size_t nbytes,
                                    etensor::DeviceIndex index) = 0;
  virtual Error copy_device_to_host(void* dst, const void* src, size_t nbytes,
                                    etensor::DeviceIndex index) = 0;

  virtual etensor::DeviceType device_type() const = 0;
};

/// The one allocator of each kind of device in this process. Thread safe.
class DeviceAllocatorRegistry {
 public:
  ET_EXPORT static DeviceAllocatorRegistry& instance();

  /// Adds an allocator, which has to live as long as the process. The first of
  /// a kind stays: another one, and null, is refused with an error line.
  ET_EXPORT void register_allocator(DeviceAllocator* alloc);

  /// The allocator of that kind, or null.
  ET_EXPORT DeviceAllocator* get_allocator(etensor::DeviceType type);

  DeviceAllocatorRegistry(const DeviceAllocatorRegistry&) = delete;
  DeviceAllocatorRegistry& operator=(const DeviceAllocatorRegistry&) = delete;

 private:
  constexpr DeviceAllocatorRegistry() = default;

  DeviceAllocator* allocators_[etensor::kNumDeviceTypes] = {};
};

/// The same with the registry of the process.
ET_EXPORT void register_device_allocator(DeviceAllocator* alloc);
ET_EXPORT DeviceAllocator* get_device_allocator(etensor::DeviceType type);

}  // namespace runtime
}  // namespace executorch
