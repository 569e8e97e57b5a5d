// State that operators make once for an instruction from what never changes.
#include <utility>

#include "src/method/build.h"

namespace executorch::method {

using registry::Op;
using registry::PreparedState;
using runtime::Error;

namespace {

// By value: whether it is the same in every run.
std::vector<bool> find_constants(const Plan& plan, const Flow& flow) {
  std::vector<bool> constant(plan.values.size());
  const auto& stored = *plan.tables.values();
  for (size_t i = 0; i < constant.size(); ++i) {
    const fb::Tensor* tensor = stored[i]->val_as_Tensor();
    constant[i] = tensor != nullptr
                      ? is_constant_data(*tensor) && !flow.is_rebound(i)
                      : !flow.is_written(i) && !flow.is_rebound(i);
  }
  for (size_t i = 0; i < constant.size(); ++i) {
    bool all = true;
    for_each_element(plan.tables, i,
                     [&](size_t element) { all = all && constant[element]; });
    constant[i] = all;
  }
  return constant;
}

class Context final : public registry::PrepareContext {
 public:
  Context(const Plan& plan, const Flow& flow)
      : plan_(plan), flow_(flow), constant_(find_constants(plan, flow)) {}

  void set_instruction(const Instruction& instruction) {
    instruction_ = &instruction;
  }

  bool is_constant(size_t index) const override {
    return constant_[value_of(index)];
  }

  bool has_fixed_shape(size_t index) const override {
    const size_t value = value_of(index);
    const fb::Tensor* tensor =
        plan_.tables.values()->Get(value)->val_as_Tensor();
    return tensor == nullptr
               ? constant_[value]
               : tensor->shape_dynamism() == fb::TensorShapeDynamism::STATIC &&
                     !flow_.is_rebound(value);
  }

  PreparedState share(const void* source, const char* recipe,
                      const std::function<PreparedState()>& make) override {
    return plan_.program.shared_states().get(source, recipe, make);
  }

 private:
  size_t value_of(size_t index) const {
    return static_cast<size_t>(instruction_->args[index] - plan_.values.data());
  }

  const Plan& plan_;
  const Flow& flow_;
  const std::vector<bool> constant_;
  const Instruction* instruction_ = nullptr;
};

}  // namespace

Error prepare_kernels(Plan& plan, const Flow& flow,
                      const std::vector<const Op*>& ops) {
  size_t count = 0;
  for (const Op* op : ops) {
    count += op != nullptr && op->prepare != nullptr ? 1 : 0;
  }
  if (count == 0) {
    return Error::Ok;
  }
  ET_CHECK_OK_OR_RETURN_ERROR(make(plan, count, &plan.states));
  Context context(plan, flow);
  size_t used = 0;
  for (size_t pc = 0; pc < ops.size(); ++pc) {
    if (ops[pc] != nullptr && ops[pc]->prepare != nullptr) {
      Instruction& instruction = plan.code[pc];
      context.set_instruction(instruction);
      PreparedState& state = plan.states[used++];
      state = ops[pc]->prepare(context, instruction.arguments());
      instruction.state = state.get();
    }
  }
  return Error::Ok;
}

}  // namespace executorch::method
