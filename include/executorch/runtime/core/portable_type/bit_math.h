// Counting and finding bits, under the names of LLVM's helpers (c10::llvm).
#pragma once

#include <executorch/runtime/platform/compiler.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace executorch {
namespace runtime {
namespace etensor {
namespace llvm {

/// Zeros below the lowest set bit, or all bits of a zero.
template <typename T>
constexpr size_t countTrailingZeros(T value) {
  static_assert(std::is_unsigned<T>::value, "T has to be unsigned");
  return value == 0 ? static_cast<size_t>(std::numeric_limits<T>::digits)
                    : static_cast<size_t>(
                          __builtin_ctzll(static_cast<uint64_t>(value)));
}
/// Zeros above the highest set bit, or all bits of a zero.
template <typename T>
constexpr size_t countLeadingZeros(T value) {
  static_assert(std::is_unsigned<T>::value, "T has to be unsigned");
  return value == 0 ? static_cast<size_t>(std::numeric_limits<T>::digits)
                    : static_cast<size_t>(
                          __builtin_clzll(static_cast<uint64_t>(value)) -
                          (64 - std::numeric_limits<T>::digits));
}
template <typename T>
constexpr unsigned countPopulation(T value) {
  static_assert(std::is_unsigned<T>::value, "T has to be unsigned");
  return static_cast<unsigned>(
      __builtin_popcountll(static_cast<uint64_t>(value)));
}

constexpr bool isPowerOf2_32(uint32_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}
constexpr bool isPowerOf2_64(uint64_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}
/// Exponent of the largest power of two that is not above the value, and of the
/// smallest one that is not below; -1 and 32 or 64 for zero.
constexpr unsigned Log2_32(uint32_t value) {
  return static_cast<unsigned>(31 - countLeadingZeros(value));
}
constexpr unsigned Log2_64(uint64_t value) {
  return static_cast<unsigned>(63 - countLeadingZeros(value));
}
constexpr unsigned Log2_32_Ceil(uint32_t value) {
  return static_cast<unsigned>(32 - countLeadingZeros(value - 1));
}
constexpr unsigned Log2_64_Ceil(uint64_t value) {
  return static_cast<unsigned>(64 - countLeadingZeros(value - 1));
}
/// The next power of two above the value, and the one not below it.
constexpr uint64_t NextPowerOf2(uint64_t value) {
  return value == 0 ? 1 : uint64_t(2) << Log2_64(value);
}
constexpr uint64_t PowerOf2Ceil(uint64_t value) {
  return value == 0 ? 0 : NextPowerOf2(value - 1);
}
/// The next multiple of `align` that is not below the value.
constexpr uint64_t alignTo(uint64_t value, uint64_t align) {
  return (value + align - 1) / align * align;
}
constexpr uint64_t divideCeil(uint64_t numerator, uint64_t denominator) {
  return alignTo(numerator, denominator) / denominator;
}

}  // namespace llvm
}  // namespace etensor
}  // namespace runtime
}  // namespace executorch
