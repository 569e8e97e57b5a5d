// Compiler attributes and the few portability macros of the SDK (ET_*).
#pragma once

#if !defined(__GNUC__) && !defined(__clang__)
#error "A GCC or Clang compatible compiler is needed"
#endif
#if __cplusplus < 201703L
#error "C++17 or newer is needed (-std=c++17)"
#endif

#include <executorch/runtime/core/compat.h>
#include <sys/types.h>  // ssize_t

/// Marks what the shared libraries export; the rest of them is hidden. Stands
/// first in a declaration, or after `class`.
#define ET_EXPORT [[gnu::visibility("default")]]

#define ET_NORETURN [[noreturn]]
#define ET_NODISCARD [[nodiscard]]
#define ET_UNUSED [[maybe_unused]]
#define ET_FALLTHROUGH [[fallthrough]]
#define ET_DEPRECATED [[deprecated]]
#define ET_EXPERIMENTAL \
  [[deprecated("This API is experimental: it may change without notice")]]

#define ET_NOINLINE __attribute__((noinline))
#define ET_INLINE __attribute__((always_inline)) inline
#define ET_RESTRICT __restrict__
#define ET_UNREACHABLE() __builtin_unreachable()

/// Branch hints, parentheses included: `if ET_UNLIKELY (x < 0) { ... }`.
#define ET_LIKELY(expr) (__builtin_expect(static_cast<bool>(expr), 1))
#define ET_UNLIKELY(expr) (__builtin_expect(static_cast<bool>(expr), 0))

/// A definition that another one of the same name replaces.
#define ET_WEAK __attribute__((weak))

/// Lets the compiler check a printf format; both positions count from 1.
#define ET_PRINTFLIKE(format_position, first_argument_position) \
  __attribute__((format(printf, format_position, first_argument_position)))

/// Where the macro stands: file name without folder, line, function name.
#if defined(__FILE_NAME__)
#define ET_SHORT_FILENAME __FILE_NAME__
#else
#define ET_SHORT_FILENAME (__builtin_strrchr("/" __FILE__, '/') + 1)
#endif
#define ET_LINE __builtin_LINE()
#define ET_FUNCTION __builtin_FUNCTION()

/// printf conversions of size_t and ssize_t, without the percent sign.
#define ET_PRIsize_t "zu"
#define ET_PRIssize_t "zd"

#ifndef ET_HAVE_GNU_STATEMENT_EXPRESSIONS
#define ET_HAVE_GNU_STATEMENT_EXPRESSIONS 1
#endif

#if defined(__EXCEPTIONS)
#define ET_HAS_EXCEPTIONS 1
#else
#define ET_HAS_EXCEPTIONS 0
#endif
