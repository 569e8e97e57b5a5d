// A view of elements that somebody else owns, for reading.
#pragma once

#include <executorch/runtime/platform/assert.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace executorch {
namespace runtime {

/// Pointer and length. Cheap to copy; owns nothing, so the elements have to
/// outlive it. Span is the sibling for writing.
template <typename T>
class ArrayRef final {
 public:
  using value_type = T;
  using iterator = const T*;
  using const_iterator = const T*;
  using size_type = size_t;

  /*implicit*/ constexpr ArrayRef() = default;
  /*implicit*/ constexpr ArrayRef(const T& single)
      : data_(&single), length_(1) {}
  constexpr ArrayRef(const T* data, size_t length)
      : data_(data), length_(length) {
    ET_DCHECK(data_ != nullptr || length_ == 0);
  }
  constexpr ArrayRef(const T* begin, const T* end)
      : data_(begin), length_(static_cast<size_t>(end - begin)) {}
  template <size_t N>
  /*implicit*/ constexpr ArrayRef(const std::array<T, N>& array)
      : data_(array.data()), length_(N) {}
  template <size_t N>
  /*implicit*/ constexpr ArrayRef(const T (&array)[N])
      : data_(array), length_(N) {}

  constexpr iterator begin() const { return data_; }
  constexpr iterator end() const { return data_ + length_; }
  constexpr const_iterator cbegin() const { return begin(); }
  constexpr const_iterator cend() const { return end(); }
  constexpr const T* data() const { return data_; }
  constexpr size_t size() const { return length_; }
  constexpr bool empty() const { return length_ == 0; }

  /// Not checked.
  constexpr const T& operator[](size_t index) const { return data_[index]; }

  /// Checked: the element has to exist.
  const T& at(size_t index) const {
    ET_CHECK(index < length_);
    return data_[index];
  }
  const T& front() const { return at(0); }
  const T& back() const { return at(length_ - 1); }

  /// Whether both hold equal elements in the same order.
  bool equals(ArrayRef other) const {
    if (length_ != other.length_) {
      return false;
    }
    for (size_t i = 0; i < length_; ++i) {
      if (!(data_[i] == other.data_[i])) {
        return false;
      }
    }
    return true;
  }

  /// `length` elements from `start` on; they have to exist.
  ArrayRef<T> slice(size_t start, size_t length) const {
    ET_CHECK(start <= length_ && length <= length_ - start);
    return ArrayRef<T>(data_ + start, length);
  }
  /// All elements from `start` on.
  ArrayRef<T> slice(size_t start) const {
    ET_CHECK(start <= length_);
    return slice(start, length_ - start);
  }

 private:
  const T* data_ = nullptr;
  size_type length_ = 0;
};

/// A view without naming its type.
template <typename T>
ArrayRef<T> makeArrayRef(const T& single) {
  return single;
}
template <typename T>
ArrayRef<T> makeArrayRef(const T* data, size_t length) {
  return ArrayRef<T>(data, length);
}
template <typename T>
ArrayRef<T> makeArrayRef(const T* begin, const T* end) {
  return ArrayRef<T>(begin, end);
}
template <typename T, size_t N>
ArrayRef<T> makeArrayRef(const std::array<T, N>& array) {
  return array;
}
template <typename T, size_t N>
ArrayRef<T> makeArrayRef(const T (&array)[N]) {
  return ArrayRef<T>(array);
}
template <typename T>
ArrayRef<T> makeArrayRef(const ArrayRef<T>& other) {
  return other;
}
template <typename T>
ArrayRef<T>& makeArrayRef(ArrayRef<T>& other) {
  return other;
}

template <typename T>
bool operator==(ArrayRef<T> a, ArrayRef<T> b) {
  return a.equals(b);
}
template <typename T>
bool operator!=(ArrayRef<T> a, ArrayRef<T> b) {
  return !a.equals(b);
}

using IntArrayRef = ArrayRef<int64_t>;

}  // namespace runtime
}  // namespace executorch
