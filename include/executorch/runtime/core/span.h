// A view of elements that somebody else owns and that can be written.
#pragma once

#include <executorch/runtime/platform/assert.h>

#include <cstddef>
#include <type_traits>

namespace executorch {
namespace runtime {

/// Pointer and length. Cheap to copy; owns nothing, so the elements have to
/// outlive it. ArrayRef is the read-only sibling.
template <typename T>
class Span final {
 public:
  using value_type = T;
  using iterator = T*;
  using size_type = size_t;

  /*implicit*/ constexpr Span() noexcept = default;
  constexpr Span(T* data, size_t length) : data_(data), length_(length) {
    ET_DCHECK(data_ != nullptr || length_ == 0);
  }
  constexpr Span(T* begin, T* end)
      : data_(begin), length_(static_cast<size_t>(end - begin)) {}
  template <size_t N>
  /*implicit*/ constexpr Span(T (&array)[N]) : data_(array), length_(N) {}
  /*implicit*/ constexpr Span(T& single) : data_(&single), length_(1) {}

  /// From elements that may be written to ones that may not.
  template <typename U,
            typename = std::enable_if_t<std::is_same<T, const U>::value>>
  /*implicit*/ constexpr Span(Span<U> other)
      : data_(other.data()), length_(other.size()) {}

  constexpr iterator begin() const noexcept { return data_; }
  constexpr iterator end() const noexcept { return data_ + length_; }
  constexpr T* data() const noexcept { return data_; }
  constexpr size_t size() const noexcept { return length_; }
  constexpr bool empty() const noexcept { return length_ == 0; }

  /// Not checked.
  constexpr T& operator[](size_t index) const { return data_[index]; }

 private:
  T* data_ = nullptr;
  size_type length_ = 0;
};

}  // namespace runtime
}  // namespace executorch
