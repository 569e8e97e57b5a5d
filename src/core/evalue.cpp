// The slow path of EValue.
#include <executorch/runtime/core/evalue.h>

#include <cstdio>

namespace executorch {
namespace runtime {
namespace internal {

void wrong_tag(Tag found, uint32_t expected) {
  char names[128] = "";
  size_t length = 0;
  for (uint32_t i = 0; i < 32; ++i) {
    if ((expected >> i & 1u) != 0 && length < sizeof(names)) {
      const int written = std::snprintf(names + length, sizeof(names) - length,
                                        "%s%s", length == 0 ? "" : " or ",
                                        tag_to_string(static_cast<Tag>(i)));
      length += written > 0 ? static_cast<size_t>(written) : 0;
    }
  }
  ET_CHECK_MSG(false, "the EValue is %s, not %s", tag_to_string(found), names);
  ET_UNREACHABLE();
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
