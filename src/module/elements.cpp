#include "src/module/elements.h"

#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>

#include <algorithm>
#include <limits>
#include <type_traits>

namespace executorch::extension::internal {

namespace {

using aten::BFloat16;
using aten::Half;
using aten::ScalarType;

// Calls f(T{}) for the C++ type of a dtype; false if it holds no numbers.
template <class F>
bool visit(ScalarType type, F&& f) {
  const auto try_types = [&](auto... value) {
    return ((runtime::CppTypeToScalarType<decltype(value)>::value == type &&
             (f(value), true)) ||
            ...);
  };
  return try_types(uint8_t(), int8_t(), int16_t(), int32_t(), int64_t(),
                   uint16_t(), uint32_t(), uint64_t(), bool(), float(),
                   double(), Half(), BFloat16());
}

template <class T>
constexpr bool kIsFloat =
    std::is_floating_point_v<T> || std::is_same_v<T, Half> ||
    std::is_same_v<T, BFloat16>;

// Holds every value of T.
template <class T>
using Wide = std::conditional_t<
    kIsFloat<T>, double,
    std::conditional_t<std::is_same_v<T, uint64_t>, uint64_t, int64_t>>;

int64_t saturate(double value) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (value != value) {
    return 0;
  }
  return value >= kLimit    ? std::numeric_limits<int64_t>::max()
         : value <= -kLimit ? std::numeric_limits<int64_t>::min()
                            : static_cast<int64_t>(value);
}

template <class To, class From>
To cast(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != 0;
  } else if constexpr (std::is_same_v<To, Half> ||
                       std::is_same_v<To, BFloat16>) {
    return To(static_cast<float>(value));
  } else if constexpr (std::is_integral_v<To> && std::is_same_v<From, double>) {
    return static_cast<To>(saturate(value));
  } else {
    return static_cast<To>(value);
  }
}

template <class From>
void store_as(ScalarType to, void* target, const From* values, size_t count) {
  visit(to, [&](auto t) {
    using To = decltype(t);
    std::transform(values, values + count, static_cast<To*>(target),
                   [](From v) { return cast<To>(v); });
  });
}

}  // namespace

bool holds_numbers(ScalarType type) {
  return visit(type, [](auto) {});
}

void store(ScalarType to, void* target, const int64_t* values, size_t count) {
  store_as(to, target, values, count);
}

void store(ScalarType to, void* target, const double* values, size_t count) {
  store_as(to, target, values, count);
}

// By way of blocks of the widest type of the kind, so that there is a loop per
// dtype and not one per pair of them.
void convert(ScalarType from, const void* source, ScalarType to, void* target,
             size_t count) {
  const size_t target_size = runtime::elementSize(to);
  visit(from, [&](auto f) {
    using From = decltype(f);
    constexpr size_t kBlock = 256;
    Wide<From> block[kBlock];
    const auto* in = static_cast<const From*>(source);
    auto* out = static_cast<unsigned char*>(target);
    for (size_t at = 0; at < count; at += kBlock) {
      const size_t n = std::min(kBlock, count - at);
      std::transform(in + at, in + at + n, block, [](From v) {
        if constexpr (std::is_same_v<From, Half> ||
                      std::is_same_v<From, BFloat16>) {
          return static_cast<double>(static_cast<float>(v));
        } else {
          return static_cast<Wide<From>>(v);
        }
      });
      store_as(to, out + at * target_size, block, n);
    }
  });
}

}  // namespace executorch::extension::internal
