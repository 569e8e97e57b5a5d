// The slow path of EValue.
#include <executorch/runtime/core/evalue.h>

namespace executorch {
namespace runtime {
namespace internal {

void wrong_tag(Tag found, const char* expected) {
  ET_CHECK_MSG(false, "the EValue is %s, not %s", tag_to_string(found),
               expected);
  ET_UNREACHABLE();
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
