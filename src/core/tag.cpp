// Names of the tags.
#include <executorch/runtime/core/tag.h>

#include <algorithm>
#include <cstring>

namespace executorch {
namespace runtime {

const char* tag_to_string(Tag tag) {
  switch (tag) {
#define ET_INTERNAL_TAG_CASE(name__) \
  case Tag::name__:                  \
    return #name__;
    EXECUTORCH_FORALL_TAGS(ET_INTERNAL_TAG_CASE)
#undef ET_INTERNAL_TAG_CASE
  }
  return "Unknown";
}

size_t tag_to_string(Tag tag, char* buffer, size_t buffer_size) {
  if (buffer_size == 0) {
    return 0;
  }
  const char* name = tag_to_string(tag);
  const size_t length = std::min(std::strlen(name), buffer_size - 1);
  std::memcpy(buffer, name, length);
  buffer[length] = '\0';
  return length;
}

}  // namespace runtime
}  // namespace executorch
