#include "src/loader/file.h"

#include <executorch/runtime/platform/log.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace executorch::loader {

using runtime::Error;
using runtime::FreeableBuffer;
using runtime::Result;

namespace {

// Linux reads at most about 2 GiB at once.
constexpr size_t kMaxRead = size_t{1} << 30;

void free_memory(void* /*context*/, void* data, size_t /*size*/) {
  std::free(data);
}

}  // namespace

Result<File> open_file(const char* name) {
  ET_CHECK_OR_RETURN_ERROR(name != nullptr, InvalidArgument,
                           "the file name is null");
  const int fd = ::open(name, O_RDONLY | O_CLOEXEC);
  ET_CHECK_OR_RETURN_ERROR(fd >= 0, AccessFailed, "cannot open %s: %s", name,
                           std::strerror(errno));
  const Result<size_t> size = regular_file_size(fd, name);
  if (!size.ok()) {
    close_file(fd);
    return size.error();
  }
  return File{fd, *size};
}

Result<size_t> regular_file_size(int fd, const char* name) {
  struct stat info;
  ET_CHECK_OR_RETURN_ERROR(::fstat(fd, &info) == 0, AccessFailed,
                           "cannot get the size of %s: %s", name,
                           std::strerror(errno));
  ET_CHECK_OR_RETURN_ERROR(S_ISREG(info.st_mode), AccessFailed,
                           "%s is not a regular file", name);
  return static_cast<size_t>(info.st_size);
}

Error check_alignment(size_t alignment) {
  ET_CHECK_OR_RETURN_ERROR(alignment != 0 && (alignment & (alignment - 1)) == 0,
                           InvalidArgument,
                           "alignment %zu is not a power of two", alignment);
  return Error::Ok;
}

Error check_range(size_t offset, size_t size, size_t available) {
  ET_CHECK_OR_RETURN_ERROR(
      offset <= available && size <= available - offset, InvalidArgument,
      "%zu bytes at %zu are outside of the %zu bytes there are", size, offset,
      available);
  return Error::Ok;
}

Error read_file(int fd, size_t offset, size_t size, void* buffer) {
  ET_CHECK_OR_RETURN_ERROR(buffer != nullptr || size == 0, InvalidArgument,
                           "the buffer to read into is null");
  auto* target = static_cast<char*>(buffer);
  while (size > 0) {
    const ssize_t got = ::pread(fd, target, std::min(size, kMaxRead),
                                static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    ET_CHECK_OR_RETURN_ERROR(
        got > 0, AccessFailed, "cannot read %zu bytes at %zu of the file: %s",
        size, offset,
        got == 0 ? "it has become shorter" : std::strerror(errno));
    target += got;
    offset += static_cast<size_t>(got);
    size -= static_cast<size_t>(got);
  }
  return Error::Ok;
}

Result<FreeableBuffer> load_file(File file, size_t offset, size_t size,
                                 size_t alignment) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_range(offset, size, file.size));
  if (size == 0) {
    return FreeableBuffer(nullptr, 0, nullptr);
  }
  void* data = nullptr;
  const int failed =
      ::posix_memalign(&data, std::max(alignment, sizeof(void*)), size);
  ET_CHECK_OR_RETURN_ERROR(failed == 0, MemoryAllocationFailed,
                           "no memory for %zu bytes of a file", size);
  const Error error = read_file(file.fd, offset, size, data);
  if (error != Error::Ok) {
    std::free(data);
    return error;
  }
  return FreeableBuffer(data, size, free_memory);
}

void close_file(int fd) {
  if (fd >= 0) {
    ::close(fd);
  }
}

}  // namespace executorch::loader
