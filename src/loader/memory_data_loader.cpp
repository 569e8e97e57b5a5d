// The loaders that hand out parts of memory.
#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/data_loader/shared_ptr_data_loader.h>

#include <cstring>

#include "src/loader/file.h"

namespace executorch {
namespace extension {

using runtime::Error;
using runtime::FreeableBuffer;
using runtime::Result;

namespace {

Result<FreeableBuffer> part(const void* data, size_t available, size_t offset,
                            size_t size) {
  ET_CHECK_OK_OR_RETURN_ERROR(loader::check_range(offset, size, available));
  if (size == 0) {
    return FreeableBuffer(nullptr, 0, nullptr);
  }
  return FreeableBuffer(static_cast<const char*>(data) + offset, size, nullptr);
}

Error copy_part(const void* data, size_t available, size_t offset, size_t size,
                void* buffer) {
  ET_CHECK_OR_RETURN_ERROR(buffer != nullptr, InvalidArgument,
                           "the buffer to copy into is null");
  ET_CHECK_OK_OR_RETURN_ERROR(loader::check_range(offset, size, available));
  if (size > 0) {
    std::memcpy(buffer, static_cast<const char*>(data) + offset, size);
  }
  return Error::Ok;
}

}  // namespace

Result<FreeableBuffer> BufferDataLoader::load(size_t offset, size_t size,
                                              const SegmentInfo&) const {
  return part(data_, size_, offset, size);
}

Error BufferDataLoader::load_into(size_t offset, size_t size,
                                  const SegmentInfo&, void* buffer) const {
  return copy_part(data_, size_, offset, size, buffer);
}

Result<FreeableBuffer> SharedPtrDataLoader::load(size_t offset, size_t size,
                                                 const SegmentInfo&) const {
  return part(data_.get(), size_, offset, size);
}

Error SharedPtrDataLoader::load_into(size_t offset, size_t size,
                                     const SegmentInfo&, void* buffer) const {
  return copy_part(data_.get(), size_, offset, size, buffer);
}

}  // namespace extension
}  // namespace executorch
