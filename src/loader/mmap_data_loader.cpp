#include <executorch/extension/data_loader/mman.h>
#include <executorch/extension/data_loader/mmap_data_loader.h>
#include <executorch/runtime/platform/log.h>

#include <cerrno>
#include <cstring>

#include "src/loader/file.h"

namespace executorch {
namespace extension {

using runtime::Error;
using runtime::FreeableBuffer;
using runtime::Result;

namespace {

// The whole pages around a range of addresses or offsets.
struct Pages {
  size_t start;
  size_t size;
};

Pages pages_around(size_t start, size_t size) {
  const size_t first = start & ~(get_os_page_size() - 1);
  return {first, start - first + size};
}

void unmap(void* /*context*/, void* data, size_t size) {
  const Pages pages = pages_around(reinterpret_cast<uintptr_t>(data), size);
  if (::munmap(reinterpret_cast<void*>(pages.start), pages.size) != 0) {
    ET_LOG(Error, "cannot unmap %zu bytes at %p: %s", size, data,
           std::strerror(errno));
  }
}

// Does what the configuration says with mapped pages; false on failure.
bool prepare_pages(void* address, size_t size,
                   MmapDataLoader::MlockConfig config) {
  switch (config) {
    case MmapDataLoader::MlockConfig::NoMlock:
      return true;
    case MmapDataLoader::MlockConfig::UseMlock:
      return ::mlock(address, size) == 0;
    case MmapDataLoader::MlockConfig::UseMlockIgnoreErrors:
      (void)::mlock(address, size);
      return true;
    case MmapDataLoader::MlockConfig::UseMadvise:
      madvise_pages_willneed_sequential(address, size);
      return true;
  }
  return true;
}

}  // namespace

Result<MmapDataLoader> MmapDataLoader::from(const char* file_name,
                                            MlockConfig mlock_config) {
  ET_ASSIGN_OR_RETURN(file, loader::open_file(file_name));
  if (mlock_config == MlockConfig::UseMadvise) {
    fcntl_rdadvise_apple(file.fd, file.size);
  }
  return MmapDataLoader(file.fd, file.size, mlock_config);
}

MmapDataLoader::~MmapDataLoader() { loader::close_file(fd_); }

Result<FreeableBuffer> MmapDataLoader::load(size_t offset, size_t size,
                                            const SegmentInfo&) const {
  ET_CHECK_OK_OR_RETURN_ERROR(loader::check_range(offset, size, size_));
  if (size == 0) {
    return FreeableBuffer(nullptr, 0, nullptr);
  }
  const Pages pages = pages_around(offset, size);
  void* address = ::mmap(nullptr, pages.size, PROT_READ, MAP_PRIVATE, fd_,
                         get_mmap_offset(pages.start));
  ET_CHECK_OR_RETURN_ERROR(address != MAP_FAILED, AccessFailed,
                           "cannot map %zu bytes at %zu of the file: %s", size,
                           offset, std::strerror(errno));
  if (!prepare_pages(address, pages.size, mlock_config_)) {
    ET_LOG(Error,
           "cannot lock %zu bytes in memory: %s; raise `ulimit -l`, or use "
           "another MlockConfig",
           pages.size, std::strerror(errno));
    (void)::munmap(address, pages.size);
    return Error::NotSupported;
  }
  return FreeableBuffer(static_cast<char*>(address) + (offset - pages.start),
                        size, unmap);
}

Error MmapDataLoader::load_into(size_t offset, size_t size, const SegmentInfo&,
                                void* buffer) const {
  ET_CHECK_OK_OR_RETURN_ERROR(loader::check_range(offset, size, size_));
  return loader::read_file(fd_, offset, size, buffer);
}

Result<size_t> MmapDataLoader::size() const { return size_; }

}  // namespace extension
}  // namespace executorch
