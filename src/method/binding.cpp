// Which inputs a run may read from the caller's memory instead of its own.
//
// The answer is no when something would show that the bytes are not in planned
// memory: an instruction writes to the input, the input is an output, or
// another tensor is a view of it. A tensor that takes the memory over later is
// none, but it ends the input: to stay set, such an input has to be kept
// elsewhere, which the same answer allows.
#include "src/method/inputs.h"
#include "src/method/memory_use.h"

namespace executorch::method {

// Comparing all tensors with all inputs shall stay cheap.
constexpr size_t kMaxInputs = 64;

void find_bindable_inputs(Plan& plan, const Flow& flow) {
  if (plan.inputs.size() == 0 || plan.inputs.size() > kMaxInputs) {
    return;
  }
  const MemoryUse use(plan);
  if (use.jumps()) {
    return;
  }
  for (Input& input : plan.inputs) {
    const fb::Tensor* tensor = input.stored->val_as_Tensor();
    if (tensor == nullptr || !is_planned(*tensor)) {
      continue;
    }
    input.may_bind = !flow.is_written(input.value) &&
                     !flow.is_rebound(input.value) &&
                     !use.is_output(input.value) &&
                     !use.has_views(input.value, /*ignore_inputs=*/false);
    input.is_overwritten = use.is_shared(input.value);
  }
}

}  // namespace executorch::method
