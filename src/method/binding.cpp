// Which inputs a run may read from the caller's memory instead of its own.
//
// The answer is no when something would show that the bytes are not in planned
// memory: an instruction writes to the input, the input is an output, or
// another tensor is a view of it.
#include "src/method/inputs.h"
#include "src/method/memory_use.h"

namespace executorch::method {

// Comparing all tensors with all inputs shall stay cheap.
constexpr size_t kMaxInputs = 64;

std::vector<bool> find_bindable_inputs(const Plan& plan, const Flow& flow) {
  const auto* inputs = plan.tables.inputs();
  std::vector<bool> bindable(format::length(inputs), false);
  if (bindable.empty() || bindable.size() > kMaxInputs) {
    return bindable;
  }
  const MemoryUse use(plan);
  for (size_t i = 0; i < bindable.size() && !use.jumps(); ++i) {
    const auto input = static_cast<size_t>(inputs->Get(i));
    const fb::Tensor* tensor =
        plan.tables.values()->Get(inputs->Get(i))->val_as_Tensor();
    bindable[i] = tensor != nullptr && is_planned(*tensor) &&
                  !flow.is_written(input) && !flow.is_rebound(input) &&
                  !use.is_output(input) &&
                  !use.has_views(input, /*ignore_inputs=*/false);
  }
  return bindable;
}

}  // namespace executorch::method
