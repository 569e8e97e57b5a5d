// The registry of device allocators, and buffers made by them.
#include <executorch/runtime/core/device_allocator.h>
#include <executorch/runtime/core/device_memory_buffer.h>

namespace executorch {
namespace runtime {

DeviceAllocatorRegistry& DeviceAllocatorRegistry::instance() {
  static DeviceAllocatorRegistry registry;
  return registry;
}

void DeviceAllocatorRegistry::register_allocator(DeviceAllocator* alloc) {
  if (alloc == nullptr) {
    ET_LOG(Error, "no device allocator given");
    return;
  }
  const size_t type = static_cast<size_t>(alloc->device_type());
  if (type >= etensor::kNumDeviceTypes) {
    ET_LOG(Error, "there is no kind of device %zu", type);
    return;
  }
  DeviceAllocator* none = nullptr;
  if (!__atomic_compare_exchange_n(&allocators_[type], &none, alloc, false,
                                   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    ET_LOG(Error, "the kind of device %zu has an allocator already", type);
  }
}

DeviceAllocator* DeviceAllocatorRegistry::get_allocator(
    etensor::DeviceType type) {
  const size_t index = static_cast<size_t>(type);
  return index < etensor::kNumDeviceTypes
             ? __atomic_load_n(&allocators_[index], __ATOMIC_ACQUIRE)
             : nullptr;
}

void register_device_allocator(DeviceAllocator* alloc) {
  DeviceAllocatorRegistry::instance().register_allocator(alloc);
}

DeviceAllocator* get_device_allocator(etensor::DeviceType type) {
  return DeviceAllocatorRegistry::instance().get_allocator(type);
}

Result<DeviceMemoryBuffer> DeviceMemoryBuffer::create(
    size_t size, etensor::DeviceType type, etensor::DeviceIndex index,
    size_t alignment) {
  DeviceAllocator* allocator = get_device_allocator(type);
  ET_CHECK_OR_RETURN_ERROR(allocator != nullptr, NotFound,
                           "no allocator for the kind of device %d",
                           static_cast<int>(type));
  const Result<void*> memory = allocator->allocate(size, index, alignment);
  if (!memory.ok()) {
    return memory.error();
  }
  return DeviceMemoryBuffer(*memory, size, allocator, index);
}

}  // namespace runtime
}  // namespace executorch
