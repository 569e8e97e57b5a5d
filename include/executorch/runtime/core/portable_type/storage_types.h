// Element types that have a size but no arithmetic: quantized numbers, packed
// bits and 8 bit floats. Kernels that know what they mean unpack them.
#pragma once

#include <executorch/runtime/platform/compiler.h>

#include <cstdint>

namespace executorch {
namespace runtime {
namespace etensor {
namespace internal {

// A type of its own over an integer. `Name` only tells them apart.
template <typename Name, typename Integer>
struct alignas(sizeof(Integer)) Stored {
  using underlying = Integer;
  Integer val_;
  Stored() = default;
  explicit Stored(Integer val) : val_(val) {}
};

}  // namespace internal

/// Quantized integers: value = (val_ - zero point) * scale.
struct qint8 : internal::Stored<qint8, int8_t> {
  using Stored::Stored;
};
struct quint8 : internal::Stored<quint8, uint8_t> {
  using Stored::Stored;
};
struct qint32 : internal::Stored<qint32, int32_t> {
  using Stored::Stored;
};
/// Two numbers of 4 bits, four of 2 bits.
struct quint4x2 : internal::Stored<quint4x2, uint8_t> {
  using Stored::Stored;
};
struct quint2x4 : internal::Stored<quint2x4, uint8_t> {
  using Stored::Stored;
};

/// Uninterpreted bits: bits and elements per byte, or bits in all.
struct bits1x8 : internal::Stored<bits1x8, uint8_t> {
  using Stored::Stored;
};
struct bits2x4 : internal::Stored<bits2x4, uint8_t> {
  using Stored::Stored;
};
struct bits4x2 : internal::Stored<bits4x2, uint8_t> {
  using Stored::Stored;
};
struct bits8 : internal::Stored<bits8, uint8_t> {
  using Stored::Stored;
};
struct bits16 : internal::Stored<bits16, uint16_t> {
  using Stored::Stored;
};

/// 8 bit floats: exponent and mantissa bits; fn has no infinity, fnuz has also
/// no negative zero.
namespace unused_dtype {
struct Float8_e5m2 : internal::Stored<Float8_e5m2, uint8_t> {
  using Stored::Stored;
};
struct Float8_e4m3fn : internal::Stored<Float8_e4m3fn, uint8_t> {
  using Stored::Stored;
};
struct Float8_e5m2fnuz : internal::Stored<Float8_e5m2fnuz, uint8_t> {
  using Stored::Stored;
};
struct Float8_e4m3fnuz : internal::Stored<Float8_e4m3fnuz, uint8_t> {
  using Stored::Stored;
};
}  // namespace unused_dtype

}  // namespace etensor
}  // namespace runtime
}  // namespace executorch
