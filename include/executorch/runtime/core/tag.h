// What an EValue holds.
#pragma once

#include <executorch/runtime/platform/compiler.h>

#include <cstddef>
#include <cstdint>

#if defined(__linux__)
#undef None  // X11 defines it
#endif

namespace executorch {
namespace runtime {

/// Calls `_` with each tag, in the order of their numbers.
#define EXECUTORCH_FORALL_TAGS(_) \
  _(None)                         \
  _(Tensor)                       \
  _(String)                       \
  _(Double)                       \
  _(Int)                          \
  _(Bool)                         \
  _(ListBool)                     \
  _(ListDouble)                   \
  _(ListInt)                      \
  _(ListTensor)                   \
  _(ListScalar)                   \
  _(ListOptionalTensor)

/// The kind of a value. The numbers are stable.
enum class Tag : uint32_t {
#define ET_INTERNAL_TAG(name__) name__,
  EXECUTORCH_FORALL_TAGS(ET_INTERNAL_TAG)
#undef ET_INTERNAL_TAG
};

/// Name of the tag, "Unknown" for other numbers.
ET_EXPORT const char* tag_to_string(Tag tag);

/// Copies the name into a buffer, cut to fit and zero-terminated (unless
/// buffer_size is 0). Returns the length of what was written.
ET_EXPORT size_t tag_to_string(Tag tag, char* buffer, size_t buffer_size);

/// The longest name and its zero.
constexpr size_t kTagNameBufferSize = 19;

}  // namespace runtime
}  // namespace executorch
