#include "src/method/followers.h"

#include <algorithm>

#include "src/method/views.h"

namespace executorch::method {

using registry::Op;

Followers::Followers(Plan& plan, const Flow& flow, const Constants& constants,
                     const std::vector<const Op*>& ops)
    : plan_(plan),
      flow_(flow),
      constants_(constants),
      ops_(ops),
      use_(plan),
      enabled_(!use_.jumps() && !plan.is_watched()) {}

void Followers::start(size_t pc) {
  const Instruction& call = plan_.code[pc];
  call_ = pc;
  found_.clear();
  num_absorbed_ = 0;
  const bool writes = !call.check_memory && !call.makes_view;
  first_ = last_ = enabled_ && writes ? result_of(call) : kNone;
}

// A tensor with a name can be asked for by it.
bool Followers::is_read(size_t value) const {
  const fb::Tensor* tensor = plan_.tables.values()->Get(value)->val_as_Tensor();
  return !enabled_ || tensor == nullptr || !is_planned(*tensor) ||
         tensor->extra_tensor_info() != nullptr || flow_.is_rebound(value) ||
         use_.num_readers(value) > 0 || use_.is_output(value) ||
         use_.has_views(value, /*ignore_inputs=*/true);
}

// The first tensor that the call gives, if nobody wants the others and it is an
// argument by itself, not in a list.
size_t Followers::result_of(const Instruction& call) const {
  if (call.num_args != call.first_result + 1) {
    return kNone;
  }
  size_t result = kNone;
  bool wants_others = false;
  for_each_element(
      plan_.tables, value_of(call, call.first_result), [&](size_t value) {
        if (plan_.tensors[value] == nullptr) {
          return;  // the list itself
        }
        wants_others = wants_others ||
                       (result != kNone &&
                        (use_.num_readers(value) > 0 || use_.is_output(value)));
        result = result == kNone ? value : result;
      });
  if (result == kNone || wants_others || flow_.is_rebound(result)) {
    return kNone;
  }
  EValue** const end = call.args + call.num_args;
  return std::find(call.args, end, &plan_.values[result]) == end ? kNone
                                                                 : result;
}

const registry::Follower* Followers::next() {
  if (last_ == kNone || use_.num_readers(last_) != 1 || use_.is_output(last_) ||
      use_.has_views(last_, /*ignore_inputs=*/true)) {
    return nullptr;
  }
  found_.resize(num_absorbed_);
  size_t pc = (found_.empty() ? call_ : found_.back()) + 1;
  while (pc < plan_.code.size() &&
         plan_.code[pc].kind == Instruction::Kind::kNothing) {
    ++pc;
  }
  if (pc == plan_.code.size() || !can_absorb(pc)) {
    return nullptr;
  }
  found_.push_back(pc);
  follower_ = {ops_[pc]->name, plan_.code[pc].arguments()};
  return &follower_;
}

bool Followers::can_absorb(size_t pc) const {
  const Instruction& call = plan_.code[pc];
  if (call.kind != Instruction::Kind::kKernel || call.check_memory ||
      call.makes_view || ops_[pc] == nullptr) {
    return false;
  }
  const size_t num_inputs = num_input_args(plan_, call);
  if (num_inputs == 0 || value_of(call, 0) != last_) {
    return false;
  }
  for (size_t i = 1; i < num_inputs; ++i) {
    if (!constants_.has(value_of(call, i))) {
      return false;
    }
  }
  const auto tensor = [this](size_t value) {
    return plan_.tables.values()->Get(value)->val_as_Tensor();
  };
  const size_t result = result_of(call);
  return result != kNone && are_alike(*tensor(last_), *tensor(result));
}

void Followers::absorb() {
  num_absorbed_ = found_.size();
  last_ = result_of(plan_.code[found_.back()]);
}

void Followers::finish() {
  if (num_absorbed_ == 0) {
    return;
  }
  for (size_t i = 0; i < num_absorbed_; ++i) {
    plan_.code[found_[i]].kind = Instruction::Kind::kNothing;
    plan_.done_by[found_[i]] = static_cast<uint32_t>(call_);
  }
  Instruction& copy = plan_.code[found_[num_absorbed_ - 1]];
  copy.kind = Instruction::Kind::kKernel;
  copy.kernel = copy_tensor;
  copy.args[0] = &plan_.values[first_];
  copy.args[1] = &plan_.values[last_];
  copy.num_args = 2;
  copy.first_result = 1;
}

}  // namespace executorch::method
