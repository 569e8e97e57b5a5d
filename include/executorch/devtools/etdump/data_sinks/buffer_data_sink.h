// A data sink in memory of the user.
#pragma once

#include <executorch/devtools/etdump/data_sinks/data_sink_base.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstddef>
#include <cstdint>

namespace executorch {
namespace etdump {

class ET_EXPORT BufferDataSink : public DataSinkBase {
 public:
  /// @param buffer Must outlive the sink.
  /// @param alignment Of the address of each piece of data.
  /// @retval InvalidArgument The alignment is not a power of two, or a buffer
  ///     that has a size is null.
  static ::executorch::runtime::Result<BufferDataSink> create(
      ::executorch::runtime::Span<uint8_t> buffer,
      size_t alignment = 64) noexcept;
  static ::executorch::runtime::Result<BufferDataSink> create(
      void* ptr, size_t size, size_t alignment = 64) noexcept;

  /// A sink without room.
  BufferDataSink() = default;
  BufferDataSink(const BufferDataSink&) = delete;
  BufferDataSink& operator=(const BufferDataSink&) = delete;
  BufferDataSink(BufferDataSink&&) = default;
  BufferDataSink& operator=(BufferDataSink&&) = default;
  ~BufferDataSink() override = default;

  /// @retval OutOfResources There is not enough room left; nothing is written.
  ::executorch::runtime::Result<size_t> write(const void* ptr,
                                              size_t size) override;

  /// Bytes of the buffer.
  ::executorch::runtime::Result<size_t> get_storage_size() const;

  size_t get_used_bytes() const override;

 private:
  BufferDataSink(::executorch::runtime::Span<uint8_t> buffer, size_t alignment)
      : buffer_(buffer), alignment_(alignment) {}

  ::executorch::runtime::Span<uint8_t> buffer_{nullptr, size_t{0}};
  size_t used_ = 0;
  size_t alignment_ = 64;
};

}  // namespace etdump
}  // namespace executorch
