// The memory mapping functions of POSIX, on Windows too, and the places where
// systems differ.
#pragma once

#include <executorch/runtime/platform/compiler.h>
#include <sys/stat.h>

#include <cstddef>
#include <cstdint>

#ifdef _WIN32

#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <executorch/extension/data_loader/mman_windows.h>
#include <io.h>
#include <windows.h>

/// What offsets of mappings must be a multiple of.
ET_INLINE size_t get_os_page_size() {
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return info.dwAllocationGranularity;
}

/// Size of an open file; negative on failure.
ET_INLINE int get_file_stat(int fd, size_t* out_size) {
  struct _stat64 info;
  const int result = ::_fstat64(fd, &info);
  if (result >= 0) {
    *out_size = static_cast<size_t>(info.st_size);
  }
  return result;
}

/// An offset in the type that mmap() takes.
ET_INLINE uint64_t get_mmap_offset(size_t offset) { return offset; }

/// Does nothing here.
ET_INLINE void madvise_pages_willneed_sequential(void*, size_t) {}

#else

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/// What offsets of mappings must be a multiple of.
ET_INLINE size_t get_os_page_size() {
  return static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

/// Size of an open file; negative on failure.
ET_INLINE int get_file_stat(int fd, size_t* out_size) {
  struct stat info;
  const int result = ::fstat(fd, &info);
  if (result >= 0) {
    *out_size = static_cast<size_t>(info.st_size);
  }
  return result;
}

/// An offset in the type that mmap() takes.
ET_INLINE off_t get_mmap_offset(size_t offset) {
  return static_cast<off_t>(offset);
}

/// Tells the system that mapped pages will be read soon and in order.
ET_INLINE void madvise_pages_willneed_sequential(void* addr, size_t len) {
#ifdef MADV_WILLNEED
  (void)::madvise(addr, len, MADV_WILLNEED);
#endif
#ifdef MADV_SEQUENTIAL
  (void)::madvise(addr, len, MADV_SEQUENTIAL);
#endif
}

#endif

/// Starts to read a file ahead; does something on Apple systems only.
ET_INLINE void fcntl_rdadvise_apple(int fd, size_t file_size) {
#if defined(__APPLE__)
  struct radvisory advice;
  advice.ra_offset = 0;
  advice.ra_count = static_cast<int>(file_size);
  (void)::fcntl(fd, F_RDADVISE, &advice);
#else
  (void)fd;
  (void)file_size;
#endif
}
