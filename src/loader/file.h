// Open files, and reading from them: what the loaders on files share.
#pragma once

#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/result.h>

#include <cstddef>

namespace executorch::loader {

struct File {
  int fd;
  size_t size;
};

// Opens a regular file for reading.
runtime::Result<File> open_file(const char* name);

// Its size, if the descriptor is that of a regular file.
runtime::Result<size_t> regular_file_size(int fd, const char* name);

// InvalidArgument unless `alignment` is a power of two.
runtime::Error check_alignment(size_t alignment);

// InvalidArgument unless the range is inside of `available` bytes.
runtime::Error check_range(size_t offset, size_t size, size_t available);

// Reads all of a range that was checked.
runtime::Error read_file(int fd, size_t offset, size_t size, void* buffer);

// The same into new memory.
runtime::Result<runtime::FreeableBuffer> load_file(File file, size_t offset,
                                                   size_t size,
                                                   size_t alignment);

// Closes a descriptor unless it is -1, which a moved-from loader has.
void close_file(int fd);

}  // namespace executorch::loader
