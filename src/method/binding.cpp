// Which inputs a run may read from the caller's memory instead of its own.
//
// The answer is no when something would show that the bytes are not in planned
// memory: an instruction writes to the input, the input is an output, or
// another tensor stands for the same bytes (the exporter makes views that way).
// A tensor that takes the memory over later is no such view: what it reads was
// written to it first. But it ends the input: to stay set, such an input has to
// be kept elsewhere, which the same answer allows.
#include <algorithm>

#include "src/method/inputs.h"

namespace executorch::method {

namespace {

// Comparing all tensors with all inputs shall stay cheap.
constexpr size_t kMaxInputs = 64;

struct Range {
  uint32_t buffer = 0;  // 0: not planned
  uint64_t start = 0;
  uint64_t end = 0;

  bool overlaps(const Range& other) const {
    return buffer != 0 && buffer == other.buffer && start < other.end &&
           other.start < end;
  }
};

Range range_of(const fb::EValue& value) {
  const fb::Tensor* tensor = value.val_as_Tensor();
  if (tensor == nullptr || !is_planned(*tensor)) {
    return {};
  }
  const fb::AllocationDetails& place = *tensor->allocation_info();
  const uint64_t start =
      (static_cast<uint64_t>(place.memory_offset_high()) << 32) |
      place.memory_offset_low();
  return {place.memory_id(), start, start + tensor_nbytes(*tensor)};
}

// How the first instruction that has a tensor among its arguments uses it.
enum class FirstUse : uint8_t { kNone, kResult, kOther };

class Binding {
 public:
  Binding(const Plan& plan, const Flow& flow)
      : plan_(plan), flow_(flow), first_use_(plan.values.size()) {}

  void find(Span<Input> inputs) {
    if (inputs.size() == 0 || inputs.size() > kMaxInputs || jumps()) {
      return;
    }
    note_first_uses();
    for (Input& input : inputs) {
      input.may_bind = is_bindable(input.value, &input.is_overwritten);
    }
  }

 private:
  bool jumps() const {
    return std::any_of(plan_.code.begin(), plan_.code.end(),
                       [](const Instruction& instruction) {
                         return instruction.kind ==
                                Instruction::Kind::kJumpFalse;
                       });
  }

  void note_first_uses() {
    for (const Instruction& instruction : plan_.code) {
      const size_t results = instruction.num_args - instruction.first_result;
      for (size_t i = 0; i < instruction.num_args; ++i) {
        // Out arguments stand right before the results, which name them again.
        const bool is_result = instruction.kind == Instruction::Kind::kKernel &&
                               !instruction.makes_view &&
                               i + 2 * results >= instruction.num_args;
        note(static_cast<size_t>(instruction.args[i] - plan_.values.data()),
             is_result ? FirstUse::kResult : FirstUse::kOther);
      }
    }
  }

  void note(size_t value, FirstUse use) {
    for_each_element(plan_.tables, value, [&](size_t element) {
      FirstUse& first = first_use_[element];
      first = first == FirstUse::kNone ? use : first;
    });
  }

  bool is_output(size_t value) const {
    const auto* outputs = plan_.tables.outputs();
    return outputs != nullptr &&
           std::find(outputs->begin(), outputs->end(),
                     static_cast<int32_t>(value)) != outputs->end();
  }

  bool is_bindable(size_t input, bool* is_overwritten) const {
    const auto& values = *plan_.tables.values();
    const Range range = range_of(*values[input]);
    if (range.buffer == 0 || flow_.is_written(input) ||
        flow_.is_rebound(input) || is_output(input)) {
      return false;
    }
    for (size_t i = 0; i < values.size(); ++i) {
      if (i == input || !range.overlaps(range_of(*values[i]))) {
        continue;
      }
      *is_overwritten = true;
      const FirstUse use = first_use_[i];
      if (use == FirstUse::kOther || (use == FirstUse::kNone && is_output(i))) {
        return false;
      }
    }
    return true;
  }

  const Plan& plan_;
  const Flow& flow_;
  std::vector<FirstUse> first_use_;  // by value
};

}  // namespace

void find_bindable_inputs(Plan& plan, const Flow& flow) {
  Binding(plan, flow).find(plan.inputs);
}

}  // namespace executorch::method
