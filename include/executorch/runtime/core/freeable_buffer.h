// Memory together with the way to give it back.
#pragma once

#include <executorch/runtime/core/result.h>

#include <cstddef>
#include <cstdint>

namespace executorch {
namespace runtime {

/// Bytes that somebody else has made, or a 64 bit number that stands for them
/// (an address in another process or device). Frees them once: on Free() or in
/// its destructor. Can be moved, not copied or assigned. Not thread safe.
class FreeableBuffer final {
 public:
  using FreeFn = void (*)(void* context, void* data, size_t size);
  using FreeUInt64Fn = void (*)(void* context, uint64_t data_uint64,
                                size_t size);

  /// Empty.
  FreeableBuffer() : pointer_{nullptr, nullptr} {}

  /// @param free_fn Called with the context, data and size; null if the memory
  ///     belongs to somebody else.
  FreeableBuffer(const void* data, size_t size, FreeFn free_fn,
                 void* free_fn_context = nullptr)
      : pointer_{data, free_fn}, context_(free_fn_context), size_(size) {}
  explicit FreeableBuffer(uint64_t data_uint64, size_t size,
                          FreeUInt64Fn free_fn, void* free_fn_context = nullptr)
      : number_{data_uint64, free_fn},
        is_number_(true),
        context_(free_fn_context),
        size_(size) {}

  /// The other buffer is empty then.
  FreeableBuffer(FreeableBuffer&& other) noexcept
      : is_number_(other.is_number_),
        context_(other.context_),
        size_(other.size_) {
    if (is_number_) {
      number_ = other.number_;
    } else {
      pointer_ = other.pointer_;
    }
    other.clear();
  }
  FreeableBuffer(const FreeableBuffer&) = delete;
  FreeableBuffer& operator=(const FreeableBuffer&) = delete;
  FreeableBuffer& operator=(FreeableBuffer&&) = delete;

  ~FreeableBuffer() { Free(); }

  /// Frees the memory now; the buffer is empty then. Again has no effect.
  void Free() {
    if (is_number_) {
      if (number_.value != 0 && number_.free_fn != nullptr) {
        number_.free_fn(context_, number_.value, size_);
      }
    } else if (pointer_.data != nullptr && pointer_.free_fn != nullptr) {
      pointer_.free_fn(context_, const_cast<void*>(pointer_.data), size_);
    }
    clear();
  }

  /// Bytes.
  size_t size() const { return size_; }

  /// The memory; valid until it is freed. The buffer must not be a number.
  const void* data() const {
    ET_CHECK_MSG(!is_number_, "the buffer is a number, not a pointer");
    return pointer_.data;
  }

  /// The memory, or InvalidType if the buffer is a number.
  Result<const void*> data_safe() const {
    ET_CHECK_OR_RETURN_ERROR(!is_number_, InvalidType,
                             "the buffer is a number, not a pointer");
    return pointer_.data;
  }

  /// The number, or InvalidType if the buffer is memory.
  Result<uint64_t> data_uint64_type() const {
    ET_CHECK_OR_RETURN_ERROR(is_number_, InvalidType,
                             "the buffer is a pointer, not a number");
    return number_.value;
  }

 private:
  struct Pointer {
    const void* data;
    FreeFn free_fn;
  };
  struct Number {
    uint64_t value;
    FreeUInt64Fn free_fn;
  };

  void clear() {
    if (is_number_) {
      number_ = {0, nullptr};
    } else {
      pointer_ = {nullptr, nullptr};
    }
    context_ = nullptr;
    size_ = 0;
  }

  union {
    Pointer pointer_;
    Number number_;
  };
  bool is_number_ = false;
  void* context_ = nullptr;
  size_t size_ = 0;
};

}  // namespace runtime
}  // namespace executorch
