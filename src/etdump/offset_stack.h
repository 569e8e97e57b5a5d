// Offsets of tables in a flatbuffer that is being built.
#pragma once

#include <executorch/runtime/core/span.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "flatbuffers/flatbuffers.h"

namespace executorch::etdump::internal {

// In memory of the user, or on the heap if that is null.
class OffsetStack {
 public:
  using Offset = flatbuffers::Offset<void>;

  explicit OffsetStack(runtime::Span<uint8_t> fixed)
      : fixed_(fixed.data() != nullptr) {
    if (fixed_) {
      capacity_ = fixed.size() / sizeof(Offset);
      data_ = new (fixed.data()) Offset[capacity_];
    }
  }
  OffsetStack(const OffsetStack&) = delete;
  OffsetStack& operator=(const OffsetStack&) = delete;
  ~OffsetStack() {
    if (!fixed_) {
      std::free(data_);
    }
  }

  size_t size() const { return size_; }
  void shrink(size_t size) { size_ = size; }
  const Offset* from(size_t index) const { return data_ + index; }

  // False: there is no memory.
  bool push(uint32_t offset) {
    if (size_ == capacity_ && !grow()) {
      return false;
    }
    data_[size_++] = Offset(offset);
    return true;
  }

 private:
  bool grow() {
    if (fixed_) {
      return false;
    }
    const size_t capacity = capacity_ == 0 ? 256 : 2 * capacity_;
    void* data =
        std::realloc(static_cast<void*>(data_), capacity * sizeof(Offset));
    if (data == nullptr) {
      return false;
    }
    data_ = static_cast<Offset*>(data);
    capacity_ = capacity;
    return true;
  }

  Offset* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
  bool fixed_;
};

}  // namespace executorch::etdump::internal
