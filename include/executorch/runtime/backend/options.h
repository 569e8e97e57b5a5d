// Options of a backend: short named values that an application gives to it.
#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/span.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <variant>

namespace executorch {
namespace runtime {

/// Sizes of the arrays that hold keys and string values, final NUL included.
static constexpr size_t kMaxOptionKeyLength = 64;
static constexpr size_t kMaxOptionValueLength = 256;

/// A value; strings are held by value, NUL-terminated.
using OptionValue =
    std::variant<bool, int, std::array<char, kMaxOptionValueLength>>;

struct BackendOption {
  char key[kMaxOptionKeyLength]{};
  OptionValue value;
};

namespace internal {

/// Reads the option `key` of the list as a T: bool, int or const char*. A
/// string read this way lives in the option.
///
/// @retval NotFound The list has no such key.
/// @retval InvalidArgument The value is of another type, or `key` is null.
template <typename T>
Error read_option(Span<const BackendOption> options, const char* key, T& out) {
  static_assert(std::is_same_v<T, bool> || std::is_same_v<T, int> ||
                    std::is_same_v<T, const char*>,
                "an option is a bool, an int or a const char*");
  using Stored = std::conditional_t<std::is_same_v<T, const char*>,
                                    std::array<char, kMaxOptionValueLength>, T>;
  if (key == nullptr) {
    return Error::InvalidArgument;
  }
  for (const BackendOption& option : options) {
    if (std::strncmp(option.key, key, kMaxOptionKeyLength) != 0) {
      continue;
    }
    const Stored* value = std::get_if<Stored>(&option.value);
    if (value == nullptr) {
      return Error::InvalidArgument;
    }
    if constexpr (std::is_same_v<T, const char*>) {
      out = value->data();
    } else {
      out = *value;
    }
    return Error::Ok;
  }
  return Error::NotFound;
}

}  // namespace internal

/// A list of at most `MaxCapacity` options that needs no allocation. Copies are
/// independent. Not thread safe.
template <size_t MaxCapacity>
class BackendOptions {
 public:
  /// The options set so far. The span refers to this object.
  Span<BackendOption> view() { return Span<BackendOption>(options_, size_); }

  /// Sets the option `key`, or changes it.
  ///
  /// @retval InvalidArgument There are MaxCapacity other options already, or
  ///     the string is null.
  template <size_t N>
  Error set_option(const char (&key)[N], bool value) noexcept {
    return set<N>(key, value);
  }
  template <size_t N>
  Error set_option(const char (&key)[N], int value) noexcept {
    return set<N>(key, value);
  }
  /// The string is copied, and cut to kMaxOptionValueLength - 1 characters.
  template <size_t N>
  Error set_option(const char (&key)[N], const char* value) noexcept {
    if (value == nullptr) {
      return Error::InvalidArgument;
    }
    std::array<char, kMaxOptionValueLength> text{};
    for (size_t i = 0; i + 1 < text.size() && value[i] != '\0'; ++i) {
      text[i] = value[i];
    }
    return set<N>(key, text);
  }

  /// Reads the option `key` as a T: bool, int or const char*. A string lives
  /// as long as this object and the option stay as they are.
  ///
  /// @retval NotFound There is no such option.
  /// @retval InvalidArgument It is of another type.
  template <typename T, size_t KeyLen>
  Error get_option(const char (&key)[KeyLen], T& out) const {
    static_assert(KeyLen <= kMaxOptionKeyLength, "the key is too long");
    return internal::read_option(Span<const BackendOption>(options_, size_),
                                 key, out);
  }

 private:
  template <size_t N, typename T>
  Error set(const char* key, const T& value) {
    static_assert(N <= kMaxOptionKeyLength, "the key is too long");
    size_t i = 0;
    while (i < size_ && std::strcmp(options_[i].key, key) != 0) {
      ++i;
    }
    if (i == MaxCapacity) {
      return Error::InvalidArgument;
    }
    if (i == size_) {
      std::strncpy(options_[i].key, key, kMaxOptionKeyLength - 1);
      ++size_;
    }
    options_[i].value = value;
    return Error::Ok;
  }

  BackendOption options_[MaxCapacity]{};
  size_t size_ = 0;
};

}  // namespace runtime
}  // namespace executorch
