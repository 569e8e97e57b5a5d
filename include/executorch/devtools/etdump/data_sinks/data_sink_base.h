// Where an ETDumpGen puts the bytes of logged tensors.
#pragma once

#include <executorch/runtime/core/result.h>

#include <cstddef>

namespace executorch {
namespace etdump {

/// To be implemented for other places than memory and files. Used by one thread
/// at a time.
class DataSinkBase {
 public:
  virtual ~DataSinkBase() = default;

  /// Stores `length` bytes and returns where they begin, counted from the start
  /// of the storage.
  virtual ::executorch::runtime::Result<size_t> write(const void* ptr,
                                                      size_t length) = 0;

  /// Bytes stored so far, with what lies between them.
  virtual size_t get_used_bytes() const = 0;
};

}  // namespace etdump
}  // namespace executorch
