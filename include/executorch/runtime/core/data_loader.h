// Where the bytes of a program come from.
#pragma once

#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstddef>

namespace executorch {
namespace runtime {

/// Reads parts of one file or one piece of memory. An implementation has to be
/// usable from several threads at a time.
class DataLoader {
 public:
  /// What the bytes are for; a loader may use it to choose where they go.
  struct SegmentInfo {
    enum class Type {
      Program,   ///< the program itself
      Constant,  ///< weights
      Backend,   ///< data of a delegate
      Mutable,   ///< first values of state
      External,  ///< named data in a file of its own
    };

    Type segment_type = Type::Program;
    size_t segment_index = 0;          ///< among those of the file
    const char* descriptor = nullptr;  ///< name of the delegate, or null

    SegmentInfo() = default;
    explicit SegmentInfo(Type segment_type_, size_t segment_index_ = 0,
                         const char* descriptor_ = nullptr)
        : segment_type(segment_type_),
          segment_index(segment_index_),
          descriptor(descriptor_) {}
  };

  virtual ~DataLoader() = default;

  /// `size` bytes from `offset` on, in memory that the result owns.
  ET_NODISCARD virtual Result<FreeableBuffer> load(
      size_t offset, size_t size, const SegmentInfo& segment_info) const = 0;

  /// The same into memory of the caller, which has room for `size` bytes.
  ET_NODISCARD virtual Error load_into(size_t offset, size_t size,
                                       const SegmentInfo& segment_info,
                                       void* buffer) const {
    (void)offset;
    (void)size;
    (void)segment_info;
    (void)buffer;
    ET_LOG(Error, "this data loader has no load_into()");
    return Error::NotImplemented;
  }

  /// Bytes in all.
  ET_NODISCARD virtual Result<size_t> size() const = 0;
};

}  // namespace runtime
}  // namespace executorch
