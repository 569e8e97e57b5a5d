// Declarations of the POSIX memory mapping functions for Windows; an
// application for that system brings the definitions. Include mman.h instead.
#pragma once

#ifdef _WIN32

#include <cstddef>
#include <cstdint>

constexpr int PROT_NONE = 0;
constexpr int PROT_READ = 1;
constexpr int PROT_WRITE = 2;
constexpr int PROT_EXEC = 4;

constexpr int MAP_FILE = 0;
constexpr int MAP_SHARED = 1;
constexpr int MAP_PRIVATE = 2;
constexpr int MAP_FIXED = 0x10;
constexpr int MAP_ANONYMOUS = 0x20;
constexpr int MAP_ANON = MAP_ANONYMOUS;
#define MAP_FAILED (reinterpret_cast<void*>(-1))

constexpr int MS_ASYNC = 1;
constexpr int MS_SYNC = 2;
constexpr int MS_INVALIDATE = 4;

extern "C" {
void* mmap(void* addr, size_t len, int prot, int flags, int fildes,
           uint64_t off);
int munmap(void* addr, size_t len);
int mprotect(void* addr, size_t len, int prot);
int msync(void* addr, size_t len, int flags);
int mlock(const void* addr, size_t len);
int munlock(const void* addr, size_t len);
}

#endif  // _WIN32
