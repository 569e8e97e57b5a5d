#include <executorch/runtime/executor/program_validation.h>
#include <executorch/runtime/platform/log.h>

#include <limits>

#include "src/format/verify.h"

namespace executorch {
namespace runtime {

Error validate_tensor(const executorch_flatbuffer::Tensor* tensor) {
  ET_CHECK_OR_RETURN_ERROR(tensor != nullptr, InvalidProgram,
                           "the tensor is null");
  size_t nbytes = 0;
  return format::verify_shape("(none)", 0, *tensor, &nbytes);
}

Error validate_program(const executorch_flatbuffer::Program* program) {
  ET_CHECK_OR_RETURN_ERROR(
      program != nullptr && program->execution_plan() != nullptr,
      InvalidProgram, "the program is null or has no methods");
  format::Budget budget(std::numeric_limits<uint32_t>::max());
  for (const auto* plan : *program->execution_plan()) {
    ET_CHECK_OR_RETURN_ERROR(plan->name() != nullptr, InvalidProgram,
                             "a method has no name");
    ET_CHECK_OK_OR_RETURN_ERROR(
        format::verify_values(format::PlanCheck{*program, *plan, budget}));
  }
  return Error::Ok;
}

}  // namespace runtime
}  // namespace executorch
