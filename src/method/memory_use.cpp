#include "src/method/memory_use.h"

#include <algorithm>

namespace executorch::method {

Place place_of(const fb::EValue& value) {
  const fb::Tensor* tensor = value.val_as_Tensor();
  if (tensor == nullptr || !is_planned(*tensor)) {
    return {};
  }
  const fb::AllocationDetails& place = *tensor->allocation_info();
  const uint64_t start = planned_offset(place);
  return {place.memory_id(), start, start + tensor_nbytes(*tensor)};
}

MemoryUse::MemoryUse(const Plan& plan)
    : plan_(plan),
      is_output_(plan.values.size()),
      is_input_(plan.values.size()),
      first_use_(plan.values.size()),
      first_pc_(plan.values.size(), plan.code.size()),
      num_readers_(plan.values.size()) {
  for (size_t i = 0; i < format::length(plan.tables.outputs()); ++i) {
    is_output_[plan.tables.outputs()->Get(i)] = true;
  }
  for (size_t i = 0; i < format::length(plan.tables.inputs()); ++i) {
    is_input_[plan.tables.inputs()->Get(i)] = true;
  }
  for (const fb::EValue* value : *plan.tables.values()) {
    places_.push_back(place_of(*value));
  }
  for (size_t pc = 0; pc < plan.code.size(); ++pc) {
    const Instruction& instruction = plan.code[pc];
    jumps_ = jumps_ || instruction.kind == Instruction::Kind::kJumpFalse;
    const bool runs = instruction.kind != Instruction::Kind::kNothing;
    const bool is_call = instruction.kind == Instruction::Kind::kKernel &&
                         !instruction.makes_view;
    // The result of a call that was folded was written before.
    const size_t num_inputs = is_call ? num_input_args(plan, instruction)
                              : runs  ? instruction.num_args
                                      : 0;
    for (size_t i = 0; i < num_inputs; ++i) {
      note(plan.index_of(instruction.args[i]), FirstUse::kOther, pc);
    }
    for (size_t i = num_inputs; i < instruction.num_args; ++i) {
      note(plan.index_of(instruction.args[i]), FirstUse::kResult, pc);
    }
  }
}

void MemoryUse::note(size_t value, FirstUse use, size_t pc) {
  for_each_element(plan_.tables, value, [&](size_t element) {
    if (first_use_[element] == FirstUse::kNone) {
      first_use_[element] = use;
      first_pc_[element] = pc;
    }
    if (use == FirstUse::kResult) {
      writes_.push_back({pc, element});
    } else {
      ++num_readers_[element];
    }
  });
}

bool MemoryUse::is_shared(size_t value) const {
  for (size_t i = 0; i < places_.size(); ++i) {
    if (overlap(value, i)) {
      return true;
    }
  }
  return false;
}

bool MemoryUse::has_views(size_t value, bool ignore_inputs) const {
  for (size_t i = 0; i < places_.size(); ++i) {
    if (overlap(value, i) && !(ignore_inputs && is_input_[i]) &&
        (first_use_[i] == FirstUse::kOther ||
         (first_use_[i] == FirstUse::kNone && is_output_[i])) &&
        may_be_view(i, value)) {
      return true;
    }
  }
  return false;
}

// Goes back from the first use of `view` to the instruction that wrote what it
// has in common with `value`.
bool MemoryUse::may_be_view(size_t view, size_t value) const {
  const uint64_t start = std::max(places_[view].start, places_[value].start);
  const uint64_t end = std::min(places_[view].end, places_[value].end);
  auto write =
      std::lower_bound(writes_.begin(), writes_.end(), first_pc_[view],
                       [](const Write& w, size_t pc) { return w.pc < pc; });
  while (write != writes_.begin()) {
    --write;
    const Place& range = places_[write->value];
    if (write->value == value) {
      return true;
    }
    if (range.buffer == places_[value].buffer && range.start <= start &&
        end <= range.end) {
      return false;
    }
  }
  // The bytes were there before the run, or came from something else than a
  // kernel.
  return is_input_[value] || first_use_[value] != FirstUse::kResult;
}

// The stack of a call ends with its out arguments and then its results, which
// are the same tensors, one by one or in lists.
size_t num_input_args(const Plan& plan, const Instruction& call) {
  const auto tensors_of = [&](size_t arg) {
    std::vector<size_t> tensors;
    for_each_element(plan.tables, plan.index_of(call.args[arg]),
                     [&](size_t value) {
                       if (plan.tensors[value] != nullptr) {
                         tensors.push_back(value);
                       }
                     });
    return tensors;
  };
  std::vector<size_t> results;
  for (size_t i = call.first_result; i < call.num_args; ++i) {
    const auto tensors = tensors_of(i);
    results.insert(results.end(), tensors.begin(), tensors.end());
  }
  size_t count = call.first_result;
  while (count > 0) {
    const auto tensors = tensors_of(count - 1);
    const auto is_result = [&](size_t tensor) {
      return std::find(results.begin(), results.end(), tensor) != results.end();
    };
    if (tensors.empty() ||
        !std::all_of(tensors.begin(), tensors.end(), is_result)) {
      break;
    }
    --count;
  }
  return count;
}

}  // namespace executorch::method
