// The header at the start of a .ptd file.
#pragma once

#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstddef>
#include <cstdint>

namespace executorch {
namespace extension {

/// Where the parts of a .ptd file are. In the file it stands at kHeaderOffset:
/// magic, length of the header (4 bytes), then the fields of this struct in
/// order (8 bytes each), all little-endian.
struct ET_EXPORT FlatTensorHeader {
  /// Bytes from the start of the file that Parse() wants to see.
  static constexpr size_t kNumHeadBytes = 64;

  /// Where the header begins.
  static constexpr size_t kHeaderOffset = 8;

  static constexpr size_t kMagicSize = 4;
  static constexpr char kMagic[kMagicSize] = {'F', 'H', '0', '1'};

  /// Length of a header with all fields. A longer one is accepted: its further
  /// fields are not looked at.
  static constexpr uint32_t kHeaderExpectedLength = kMagicSize + 4 + 4 * 8;

  /// Finds the header.
  ///
  /// @param data The start of the file.
  /// @param size Bytes in `data`, at least kNumHeadBytes.
  /// @retval InvalidArgument `data` is null or too short.
  /// @retval NotFound There is no header.
  /// @retval InvalidExternalData The header is too short or contradicts itself.
  static runtime::Result<FlatTensorHeader> Parse(const void* data, size_t size);

  /// Where this header ends and the tables of the flatbuffer begin, from the
  /// start of the file. The flatbuffer as a whole begins with the file.
  uint64_t flatbuffer_offset;

  /// Bytes in the flatbuffer from there on.
  uint64_t flatbuffer_size;

  /// Where the segments begin, from the start of the file.
  uint64_t segment_base_offset;

  /// Bytes in all segments.
  uint64_t segment_data_size;
};

}  // namespace extension
}  // namespace executorch
