// Questions to the operating system.
#pragma once

#include <executorch/runtime/platform/compiler.h>

/// Answers of et_pal_get_shared_library_name() that are not a path.
constexpr const char* DYNAMIC_LIBRARY_NOT_SUPPORTED = "NOT_SUPPORTED";
constexpr const char* DYNAMIC_LIBRARY_NOT_FOUND = "NOT_FOUND";

extern "C" {

/// Path of the library or program that holds `addr`, or one of the two strings
/// above. Valid until that library is unloaded. Thread safe.
ET_EXPORT const char* et_pal_get_shared_library_name(const void* addr);

}  // extern "C"
