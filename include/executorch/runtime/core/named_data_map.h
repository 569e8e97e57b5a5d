// Data outside of the program, by name.
#pragma once

#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/tensor_layout.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace executorch {
namespace runtime {

/// A read-only map from keys to bytes. An implementation has to be usable from
/// several threads at a time.
class NamedDataMap {
 public:
  virtual ~NamedDataMap() = default;

  /// Shape and element type of a tensor. NotFound: no such key.
  ET_NODISCARD virtual Result<const TensorLayout> get_tensor_layout(
      std::string_view key) const = 0;

  /// The bytes, in memory that the result owns. NotFound: no such key.
  ET_NODISCARD virtual Result<FreeableBuffer> get_data(
      std::string_view key) const = 0;

  /// The first `size` bytes into memory of the caller.
  ET_NODISCARD virtual Error load_data_into(std::string_view key, void* buffer,
                                            size_t size) const = 0;

  /// How many keys there are, and the key of a number below that; it is
  /// zero-terminated and lives as long as the map.
  ET_NODISCARD virtual Result<uint32_t> get_num_keys() const = 0;
  ET_NODISCARD virtual Result<const char*> get_key(uint32_t index) const = 0;
};

}  // namespace runtime
}  // namespace executorch
