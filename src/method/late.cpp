// Tensors that have no memory when a method is loaded: inputs and outputs get
// it from the caller, views from another tensor while the method runs. Any
// other has none ever, and a method that uses one is refused.
#include "src/method/build.h"

namespace executorch::method {

using runtime::Error;

namespace {

enum class Memory : uint8_t { kThere, kFromCaller, kLate, kNever };

class LateTensors {
 public:
  LateTensors(Plan& plan, const Flow& flow)
      : plan_(plan), flow_(flow), memory_(plan.values.size()) {}

  Error find() {
    size_t late = 0;
    for (size_t i = 0; i < memory_.size(); ++i) {
      memory_[i] = memory_of(i);
      late += memory_[i] == Memory::kLate ? 1 : 0;
    }
    for (const auto* indices :
         {plan_.tables.inputs(), plan_.tables.outputs()}) {
      for (size_t i = 0; i < format::length(indices); ++i) {
        Memory& memory = memory_[indices->Get(i)];
        memory = memory == Memory::kNever ? Memory::kFromCaller : memory;
      }
    }
    ET_CHECK_OK_OR_RETURN_ERROR(make(plan_, late, &plan_.late));
    for (size_t i = 0; i < memory_.size(); ++i) {
      if (memory_[i] == Memory::kLate) {
        plan_.late[--late] = plan_.tensors[i];
      }
    }
    for (size_t pc = 0; pc < plan_.code.size(); ++pc) {
      ET_CHECK_OK_OR_RETURN_ERROR(mark(pc));
    }
    return Error::Ok;
  }

 private:
  Memory memory_of(size_t value) const {
    const aten::TensorImpl* tensor = plan_.tensors[value];
    if (tensor == nullptr || tensor->data() != nullptr ||
        tensor->numel() == 0) {
      return Memory::kThere;
    }
    return flow_.is_rebound(value) ? Memory::kLate : Memory::kNever;
  }

  Error mark(size_t pc) {
    Instruction& instruction = plan_.code[pc];
    if (instruction.kind == Instruction::Kind::kMove) {
      return Error::Ok;  // moves the handle, not the data
    }
    for (const EValue* arg : instruction.arguments()) {
      const auto value = plan_.index_of(arg);
      bool never = false;
      for_each_element(plan_.tables, value, [&](size_t element) {
        never = never || memory_[element] == Memory::kNever;
        instruction.check_memory =
            instruction.check_memory || memory_[element] == Memory::kLate;
      });
      ET_CHECK_OR_RETURN_ERROR(
          !never, InvalidProgram,
          "instruction %zu uses tensor %zu, which never gets memory", pc,
          value);
    }
    return Error::Ok;
  }

  Plan& plan_;
  const Flow& flow_;
  std::vector<Memory> memory_;  // by value
};

}  // namespace

Error find_late_tensors(Plan& plan, const Flow& flow) {
  return LateTensors(plan, flow).find();
}

}  // namespace executorch::method
