// The loaders that read from a file into new memory.
#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/data_loader/file_descriptor_data_loader.h>

#include <charconv>
#include <cstring>

#include "src/loader/file.h"

namespace executorch {
namespace extension {

using runtime::Error;
using runtime::FreeableBuffer;
using runtime::Result;

Result<FileDataLoader> FileDataLoader::from(const char* file_name,
                                            size_t alignment) {
  ET_CHECK_OK_OR_RETURN_ERROR(loader::check_alignment(alignment));
  ET_ASSIGN_OR_RETURN(file, loader::open_file(file_name));
  return FileDataLoader(file.fd, file.size, alignment);
}

FileDataLoader::~FileDataLoader() { loader::close_file(fd_); }

Result<FreeableBuffer> FileDataLoader::load(size_t offset, size_t size,
                                            const SegmentInfo&) const {
  return loader::load_file({fd_, size_}, offset, size, alignment_);
}

Error FileDataLoader::load_into(size_t offset, size_t size, const SegmentInfo&,
                                void* buffer) const {
  ET_CHECK_OK_OR_RETURN_ERROR(loader::check_range(offset, size, size_));
  return loader::read_file(fd_, offset, size, buffer);
}

Result<size_t> FileDataLoader::size() const { return size_; }

Result<FileDescriptorDataLoader>
FileDescriptorDataLoader::fromFileDescriptorUri(const char* file_descriptor_uri,
                                                size_t alignment) {
  constexpr char kPrefix[] = "fd:///";
  constexpr size_t kPrefixLength = sizeof(kPrefix) - 1;
  ET_CHECK_OK_OR_RETURN_ERROR(loader::check_alignment(alignment));
  const char* uri = file_descriptor_uri;
  int fd = -1;
  bool valid = uri != nullptr && std::strncmp(uri, kPrefix, kPrefixLength) == 0;
  if (valid) {
    const char* end = uri + std::strlen(uri);
    const auto parsed = std::from_chars(uri + kPrefixLength, end, fd);
    valid = parsed.ec == std::errc() && parsed.ptr == end && fd >= 0;
  }
  ET_CHECK_OR_RETURN_ERROR(valid, InvalidArgument,
                           "'%s' is not of the form fd:///<number>",
                           uri == nullptr ? "(null)" : uri);
  ET_ASSIGN_OR_RETURN(size, loader::regular_file_size(fd, uri));
  return FileDescriptorDataLoader(fd, size, alignment);
}

FileDescriptorDataLoader::~FileDescriptorDataLoader() {
  loader::close_file(fd_);
}

Result<FreeableBuffer> FileDescriptorDataLoader::load(
    size_t offset, size_t size, const SegmentInfo&) const {
  return loader::load_file({fd_, size_}, offset, size, alignment_);
}

Error FileDescriptorDataLoader::load_into(size_t offset, size_t size,
                                          const SegmentInfo&,
                                          void* buffer) const {
  ET_CHECK_OK_OR_RETURN_ERROR(loader::check_range(offset, size, size_));
  return loader::read_file(fd_, offset, size, buffer);
}

Result<size_t> FileDescriptorDataLoader::size() const { return size_; }

}  // namespace extension
}  // namespace executorch
