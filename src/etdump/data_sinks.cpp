#include <executorch/devtools/etdump/data_sinks/buffer_data_sink.h>
#include <executorch/devtools/etdump/data_sinks/file_data_sink.h>
#include <executorch/devtools/etdump/utils.h>
#include <executorch/runtime/platform/log.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace executorch::etdump {

using runtime::Error;
using runtime::Result;
using runtime::Span;

// ---- memory

Result<BufferDataSink> BufferDataSink::create(Span<uint8_t> buffer,
                                              size_t alignment) noexcept {
  ET_CHECK_OR_RETURN_ERROR(
      alignment != 0 && (alignment & (alignment - 1)) == 0, InvalidArgument,
      "alignment %zu of a data sink is not a power of two", alignment);
  ET_CHECK_OR_RETURN_ERROR(
      buffer.data() != nullptr || buffer.empty(), InvalidArgument,
      "the buffer of a data sink is null, its size %zu", buffer.size());
  return BufferDataSink(buffer, alignment);
}

Result<BufferDataSink> BufferDataSink::create(void* ptr, size_t size,
                                              size_t alignment) noexcept {
  return create(Span<uint8_t>(static_cast<uint8_t*>(ptr), size), alignment);
}

Result<size_t> BufferDataSink::write(const void* ptr, size_t size) {
  if (size == 0) {
    return used_;
  }
  ET_CHECK_OR_RETURN_ERROR(ptr != nullptr, InvalidArgument,
                           "%zu bytes at null cannot be written", size);
  const size_t left = buffer_.size() - used_;
  uint8_t* at = buffer_.data() + used_;
  const size_t past = reinterpret_cast<uintptr_t>(at) & (alignment_ - 1);
  const size_t padding = past == 0 ? 0 : alignment_ - past;
  // No log line: the caller knows what is lost, and this may happen often.
  if (padding > left || size > left - padding) {
    return Error::OutOfResources;
  }
  std::memcpy(at + padding, ptr, size);
  const size_t offset = used_ + padding;
  used_ = offset + size;
  return offset;
}

Result<size_t> BufferDataSink::get_storage_size() const {
  return buffer_.size();
}

size_t BufferDataSink::get_used_bytes() const { return used_; }

// ---- file

Result<FileDataSink> FileDataSink::create(const char* file_path) {
  ET_CHECK_OR_RETURN_ERROR(file_path != nullptr, InvalidArgument,
                           "the path of a data sink is null");
  std::FILE* file = std::fopen(file_path, "wb");
  ET_CHECK_OR_RETURN_ERROR(file != nullptr, AccessFailed,
                           "%s cannot be opened for writing: %s", file_path,
                           std::strerror(errno));
  return FileDataSink(file);
}

FileDataSink::FileDataSink(FileDataSink&& other) noexcept
    : file_(std::exchange(other.file_, nullptr)), written_(other.written_) {}

FileDataSink& FileDataSink::operator=(FileDataSink&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(written_, other.written_);
  return *this;
}

FileDataSink::~FileDataSink() { close(); }

Result<size_t> FileDataSink::write(const void* ptr, size_t size) {
  ET_CHECK_OR_RETURN_ERROR(file_ != nullptr, AccessFailed,
                           "%zu bytes for a data sink that is closed", size);
  if (size == 0) {
    return written_;
  }
  ET_CHECK_OR_RETURN_ERROR(ptr != nullptr, InvalidArgument,
                           "%zu bytes at null cannot be written", size);
  ET_CHECK_OR_RETURN_ERROR(std::fwrite(ptr, 1, size, file_) == size, Internal,
                           "%zu bytes could not be written to a data sink: %s",
                           size, std::strerror(errno));
  const size_t offset = written_;
  written_ += size;
  return offset;
}

size_t FileDataSink::get_used_bytes() const { return written_; }

void FileDataSink::close() {
  if (file_ != nullptr) {
    std::fclose(file_);
    file_ = nullptr;
  }
}

}  // namespace executorch::etdump
