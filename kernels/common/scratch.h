// Memory that a kernel needs only while it runs.
//
// Blocks are kept by the thread that used them, so a kernel that is called
// again with the same shapes allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace executorch::kernels {

class Scratch {
 public:
  static constexpr size_t kAlignment = 64;

  Scratch() = default;
  explicit Scratch(size_t bytes) { reserve(bytes); }
  ~Scratch() { release(); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // False when there is no such memory; what was held before is gone. Must be
  // called and destroyed on one thread.
  bool reserve(size_t bytes);

  // The same for an array; a size that wraps is memory that is not to be had.
  template <class T>
  T* array(int64_t count) {
    size_t bytes;
    const bool wraps =
        count < 0 ||
        __builtin_mul_overflow(static_cast<size_t>(count), sizeof(T), &bytes);
    return !wraps && reserve(bytes) ? static_cast<T*>(data_) : nullptr;
  }

  void* data() const { return data_; }

 private:
  void release();

  void* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace executorch::kernels
