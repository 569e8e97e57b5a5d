#include "src/method/memory_use.h"

namespace executorch::method {

MemoryUse::MemoryUse(const Plan& plan)
    : plan_(plan),
      is_output_(plan.values.size()),
      is_input_(plan.values.size()),
      first_use_(plan.values.size()),
      num_readers_(plan.values.size()) {
  for (size_t i = 0; i < format::length(plan.tables.outputs()); ++i) {
    is_output_[plan.tables.outputs()->Get(i)] = true;
  }
  for (size_t i = 0; i < format::length(plan.tables.inputs()); ++i) {
    is_input_[plan.tables.inputs()->Get(i)] = true;
  }
  for (const fb::EValue* value : *plan.tables.values()) {
    ranges_.push_back(range_of(*value));
  }
  for (const Instruction& instruction : plan.code) {
    jumps_ = jumps_ || instruction.kind == Instruction::Kind::kJumpFalse;
    const bool runs = instruction.kind != Instruction::Kind::kNothing;
    const bool is_call = instruction.kind == Instruction::Kind::kKernel &&
                         !instruction.makes_view;
    // The result of a call that was folded was written before.
    const size_t num_inputs = is_call ? num_input_args(plan, instruction)
                              : runs  ? instruction.num_args
                                      : 0;
    for (size_t i = 0; i < num_inputs; ++i) {
      note(plan.index_of(instruction.args[i]), FirstUse::kOther);
    }
    for (size_t i = num_inputs; i < instruction.num_args; ++i) {
      note(plan.index_of(instruction.args[i]), FirstUse::kResult);
    }
  }
}

void MemoryUse::note(size_t value, FirstUse use) {
  for_each_element(plan_.tables, value, [&](size_t element) {
    FirstUse& first = first_use_[element];
    first = first == FirstUse::kNone ? use : first;
    num_readers_[element] += use == FirstUse::kOther ? 1 : 0;
  });
}

MemoryUse::Range MemoryUse::range_of(const fb::EValue& value) {
  const fb::Tensor* tensor = value.val_as_Tensor();
  if (tensor == nullptr || !is_planned(*tensor)) {
    return {};
  }
  const fb::AllocationDetails& place = *tensor->allocation_info();
  const uint64_t start = planned_offset(place);
  return {place.memory_id(), start, start + tensor_nbytes(*tensor)};
}

bool MemoryUse::overlap(size_t a, size_t b) const {
  const Range& x = ranges_[a];
  const Range& y = ranges_[b];
  return a != b && x.buffer != 0 && x.buffer == y.buffer && x.start < y.end &&
         y.start < x.end;
}

bool MemoryUse::is_shared(size_t value) const {
  for (size_t i = 0; i < ranges_.size(); ++i) {
    if (overlap(value, i)) {
      return true;
    }
  }
  return false;
}

bool MemoryUse::has_views(size_t value, bool ignore_inputs) const {
  for (size_t i = 0; i < ranges_.size(); ++i) {
    if (overlap(value, i) && !(ignore_inputs && is_input_[i]) &&
        (first_use_[i] == FirstUse::kOther ||
         (first_use_[i] == FirstUse::kNone && is_output_[i]))) {
      return true;
    }
  }
  return false;
}

// The stack of a call ends with its out arguments and then its results, which
// are the same tensors, or a list of them.
size_t num_input_args(const Plan& plan, const Instruction& call) {
  const auto is_result = [&](size_t value) {
    bool found = false;
    for (size_t i = call.first_result; i < call.num_args; ++i) {
      for_each_element(plan.tables, plan.index_of(call.args[i]),
                       [&](size_t result) { found |= result == value; });
    }
    return found;
  };
  size_t count = call.first_result;
  while (count > 0 && is_result(plan.index_of(call.args[count - 1]))) {
    --count;
  }
  return count;
}

}  // namespace executorch::method
