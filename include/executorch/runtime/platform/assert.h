// Checks of what the C++ caller has promised: a failed one ends the process.
// Faults in files, arguments and the environment are errors instead, see
// core/error.h.
#pragma once

#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace runtime {
namespace internal {

/// Writes a fatal line that names the condition, then ends the process.
ET_EXPORT ET_NORETURN ET_PRINTFLIKE(5, 6) void check_failed(
    const char* filename, const char* function, size_t line,
    const char* condition, const char* format, ...);

}  // namespace internal
}  // namespace runtime
}  // namespace executorch

/// Writes the fatal line of a failed check, and goes on.
#define ET_ASSERT_MESSAGE_EMIT(...) ET_LOG(Fatal, "assert failed" __VA_ARGS__)

/// Ends the process unless the condition holds; the rest is a printf text.
#define ET_CHECK_MSG(condition__, ...)                                         \
  do {                                                                         \
    if ET_UNLIKELY (!(condition__)) {                                          \
      ::executorch::runtime::internal::check_failed(                           \
          ET_SHORT_FILENAME, ET_FUNCTION, ET_LINE, #condition__, __VA_ARGS__); \
    }                                                                          \
  } while (0)

/// Ends the process unless the condition holds.
#define ET_CHECK(condition__) ET_CHECK_MSG(condition__, "%s", "")

#ifdef NDEBUG
#define ET_DCHECK_MSG(condition__, ...) ((void)0)
#define ET_DCHECK(condition__) ((void)0)
#define ET_DEBUG_ONLY [[maybe_unused]]
#else
/// As ET_CHECK_MSG, in debug builds only.
#define ET_DCHECK_MSG(condition__, ...) ET_CHECK_MSG(condition__, __VA_ARGS__)
/// As ET_CHECK, in debug builds only.
#define ET_DCHECK(condition__) ET_CHECK(condition__)
/// Marks what only those checks use.
#define ET_DEBUG_ONLY
#endif

/// Marks a place that cannot be reached; ends the process when it is.
#define ET_ASSERT_UNREACHABLE_MSG(...)            \
  (::executorch::runtime::internal::check_failed( \
      ET_SHORT_FILENAME, ET_FUNCTION, ET_LINE, "unreachable", __VA_ARGS__))
#define ET_ASSERT_UNREACHABLE() ET_ASSERT_UNREACHABLE_MSG("%s", "")
