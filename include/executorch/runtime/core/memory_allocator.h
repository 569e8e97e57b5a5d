// A bump allocator, and the interface of all allocators of the runtime.
#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/platform/assert.h>

#include <cstddef>
#include <cstdint>

namespace executorch {
namespace runtime {

/// Hands out pieces of a buffer one after another and takes them back all at
/// once. Subclasses may get memory elsewhere. Not thread safe.
class MemoryAllocator {
 public:
  static constexpr size_t kDefaultAlignment = alignof(void*);

  /// @param size Bytes at base_address, which may be null if size is 0. The
  ///     buffer has to outlive the allocator.
  MemoryAllocator(uint32_t size, uint8_t* base_address)
      : begin_(base_address), cur_(base_address), size_(size) {
    ET_CHECK_MSG(base_address != nullptr || size == 0,
                 "no memory given, but a size of %u", size);
    ET_CHECK_MSG(UINTPTR_MAX - address(base_address) >= size,
                 "the buffer goes beyond the address space");
  }
  virtual ~MemoryAllocator() = default;

  /// @param size Bytes.
  /// @param alignment Of the result, a power of two.
  /// @returns Memory that lives until reset(), or null after an error line.
  virtual void* allocate(size_t size, size_t alignment = kDefaultAlignment) {
    if (!isPowerOf2(alignment)) {
      ET_LOG(Error, "alignment %zu is not a power of 2", alignment);
      return nullptr;
    }
    const size_t free = free_size();
    const size_t padding = (alignment - address(cur_) % alignment) % alignment;
    if (cur_ == nullptr || padding > free || size > free - padding) {
      ET_LOG(Error,
             "%zu bytes aligned to %zu are not to be had: %zu of %u are free",
             size, alignment, free, size_);
      return nullptr;
    }
    uint8_t* const start = cur_ + padding;
    cur_ = start + size;
    return start;
  }

  /// Room for one T or for `size` of them; nothing is constructed.
  template <typename T>
  T* allocateInstance(size_t alignment = alignof(T)) {
    return static_cast<T*>(allocate(sizeof(T), alignment));
  }
  template <typename T>
  T* allocateList(size_t size, size_t alignment = alignof(T)) {
    if (size > SIZE_MAX / sizeof(T)) {
      ET_LOG(Error, "%zu elements of %zu bytes are too many", size, sizeof(T));
      return nullptr;
    }
    return static_cast<T*>(allocate(size * sizeof(T), alignment));
  }

  /// Start and bytes of the buffer, bytes given out and bytes left.
  virtual uint8_t* base_address() const { return begin_; }
  virtual uint32_t size() const { return size_; }
  virtual size_t used_size() const {
    return static_cast<size_t>(cur_ - begin_);
  }
  virtual size_t free_size() const { return size_ - used_size(); }

  /// Takes all memory back; what was handed out must not be used any more.
  virtual void reset() { cur_ = begin_; }

  /// Would name the allocator in profiles, see platform/profiler.h.
  void enable_profiling(ET_UNUSED const char* name) {}

 protected:
  int32_t prof_id() const { return -1; }

  static constexpr bool isPowerOf2(size_t value) {
    return value != 0 && (value & (value - 1)) == 0;
  }
  /// The next aligned address; the caller makes sure that there is one.
  static uint8_t* alignPointer(void* ptr, size_t alignment) {
    return reinterpret_cast<uint8_t*>((address(ptr) + alignment - 1) &
                                      ~(alignment - 1));
  }

 private:
  static uintptr_t address(const void* ptr) {
    return reinterpret_cast<uintptr_t>(ptr);
  }

  uint8_t* const begin_;
  uint8_t* cur_;
  const uint32_t size_;
};

}  // namespace runtime
}  // namespace executorch
