// What describes a tensor beside its shape and its element type.
#pragma once

#include <executorch/runtime/platform/compiler.h>

#include <cstddef>
#include <cstdint>

namespace executorch {
namespace runtime {

/// Whether the sizes of a tensor may change; its rank never does.
enum class TensorShapeDynamism : uint8_t {
  STATIC = 0,           ///< never
  DYNAMIC_BOUND = 1,    ///< up to the number of elements it was made with
  DYNAMIC_UNBOUND = 2,  ///< as before: a tensor does not allocate
};

namespace etensor {

/// Layouts that operators take as an argument.
enum class MemoryFormat : int8_t {
  Contiguous = 0,  ///< dimensions in order, the last one adjacent
  Preserve = 1,    ///< as in the input
};

/// How elements are stored: only one way is known.
enum class Layout : int8_t {
  Strided = 0,
};

/// Kind of the device that holds the elements. Not the numbers of PyTorch.
enum class DeviceType : int8_t {
  CPU = 0,
  CUDA = 1,
};

constexpr size_t kNumDeviceTypes = 2;

/// Which device of a kind.
using DeviceIndex = int8_t;

/// A device: its kind and its number among those.
struct Device final {
  using Type = DeviceType;

  /*implicit*/ constexpr Device(DeviceType type, DeviceIndex index = 0)
      : type_(type), index_(index) {}

  constexpr DeviceType type() const noexcept { return type_; }
  constexpr DeviceIndex index() const noexcept { return index_; }
  constexpr bool is_cpu() const noexcept { return type_ == DeviceType::CPU; }

  constexpr bool operator==(const Device& other) const noexcept {
    return type_ == other.type_ && index_ == other.index_;
  }
  constexpr bool operator!=(const Device& other) const noexcept {
    return !(*this == other);
  }

 private:
  DeviceType type_;
  DeviceIndex index_;
};

}  // namespace etensor
}  // namespace runtime
}  // namespace executorch
