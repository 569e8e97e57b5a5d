// Macros of PyTorch's base library that kernel code uses.
#pragma once

#include <executorch/runtime/platform/compiler.h>

#ifndef C10_MACROS_MACROS_H_
#define C10_MACROS_MACROS_H_

#define C10_HOST
#define C10_DEVICE
#define C10_HOST_DEVICE
#define C10_API
#define C10_EXPORT
#define C10_IMPORT
#define C10_HIDDEN __attribute__((visibility("hidden")))
#define C10_ALWAYS_INLINE __attribute__((always_inline)) inline
#define C10_ALWAYS_INLINE_ATTRIBUTE __attribute__((always_inline))
#define C10_NOINLINE __attribute__((noinline))
#define C10_RESTRICT __restrict__
#define C10_NODISCARD [[nodiscard]]
#define C10_UNUSED [[maybe_unused]]
#define C10_USED __attribute__((used))
#define C10_LIKELY(expr) (__builtin_expect(static_cast<bool>(expr), 1))
#define C10_UNLIKELY(expr) (__builtin_expect(static_cast<bool>(expr), 0))

#define C10_CONCATENATE_IMPL(a, b) a##b
#define C10_CONCATENATE(a, b) C10_CONCATENATE_IMPL(a, b)
#define C10_STRINGIZE_IMPL(x) #x
#define C10_STRINGIZE(x) C10_STRINGIZE_IMPL(x)
#define C10_MACRO_EXPAND(args) args
#define C10_UID __COUNTER__
#define C10_ANONYMOUS_VARIABLE(str) C10_CONCATENATE(str, __COUNTER__)

#define C10_DISABLE_COPY_AND_ASSIGN(classname) \
  classname(const classname&) = delete;        \
  classname& operator=(const classname&) = delete

// Compilers ignore warnings that they do not know.
#define C10_PRAGMA_(text) _Pragma(#text)
#define C10_DIAGNOSTIC_PUSH_AND_IGNORED_IF_DEFINED(warning) \
  C10_PRAGMA_(GCC diagnostic push)                          \
  C10_PRAGMA_(GCC diagnostic ignored "-Wpragmas")           \
  C10_PRAGMA_(GCC diagnostic ignored warning)
#define C10_DIAGNOSTIC_POP() C10_PRAGMA_(GCC diagnostic pop)

#if defined(__clang__)
#define C10_CLANG_DIAGNOSTIC_PUSH() C10_PRAGMA_(clang diagnostic push)
#define C10_CLANG_DIAGNOSTIC_POP() C10_PRAGMA_(clang diagnostic pop)
#define C10_CLANG_DIAGNOSTIC_IGNORE(flag) \
  C10_PRAGMA_(clang diagnostic ignored flag)
#define C10_CLANG_HAS_WARNING(flag) __has_warning(flag)
#else
#define C10_CLANG_DIAGNOSTIC_PUSH()
#define C10_CLANG_DIAGNOSTIC_POP()
#define C10_CLANG_DIAGNOSTIC_IGNORE(flag)
#define C10_CLANG_HAS_WARNING(flag) 0
#endif

#endif  // C10_MACROS_MACROS_H_
