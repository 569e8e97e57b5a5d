// for (auto i : c10::irange(n)): the integers from 0 to n - 1.
#pragma once

#include <executorch/runtime/platform/compiler.h>

#include <cstddef>
#include <iterator>
#include <type_traits>

namespace executorch {
namespace runtime {
namespace etensor {

/// The integers in [begin, end); none if end is not above begin.
template <typename I>
struct integer_range {
  struct iterator {
    using iterator_category = std::input_iterator_tag;
    using value_type = I;
    using difference_type = std::ptrdiff_t;
    using pointer = const I*;
    using reference = I;

    I value;

    constexpr I operator*() const { return value; }
    constexpr const I* operator->() const { return &value; }
    constexpr iterator& operator++() {
      ++value;
      return *this;
    }
    constexpr iterator operator++(int) {
      const iterator old = *this;
      ++value;
      return old;
    }
    constexpr bool operator==(const iterator& other) const {
      return value == other.value;
    }
    constexpr bool operator!=(const iterator& other) const {
      return value != other.value;
    }
  };

  constexpr integer_range(I begin, I end)
      : begin_{begin}, end_{end > begin ? end : begin} {}
  constexpr iterator begin() const { return begin_; }
  constexpr iterator end() const { return end_; }

 private:
  iterator begin_;
  iterator end_;
};

/// The integers in [0, end), and in [begin, end), of the type of `end`.
template <typename I, std::enable_if_t<std::is_integral<I>::value, int> = 0>
constexpr integer_range<I> irange(I end) {
  return {I(0), end};
}
template <
    typename J, typename I,
    std::enable_if_t<std::is_integral<J>::value && std::is_integral<I>::value,
                     int> = 0>
constexpr integer_range<I> irange(J begin, I end) {
  return {static_cast<I>(begin), end};
}

}  // namespace etensor
}  // namespace runtime
}  // namespace executorch
