// Names of the element types.
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>

namespace executorch {
namespace runtime {

const char* toString(aten::ScalarType type) {
  switch (type) {
#define ET_INTERNAL_NAME_CASE(type__, name__) \
  case aten::ScalarType::name__:              \
    return #name__;
    ET_FORALL_SCALAR_TYPES(ET_INTERNAL_NAME_CASE)
#undef ET_INTERNAL_NAME_CASE
    case aten::ScalarType::Undefined:
      return "Undefined";
    default:
      return "UNKNOWN_SCALAR";
  }
}

}  // namespace runtime
}  // namespace executorch
