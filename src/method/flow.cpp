#include "src/method/flow.h"

#include <executorch/runtime/platform/log.h>

#include <cstring>

namespace executorch::method {

using runtime::Error;

void visit_elements(const fb::ExecutionPlan& tables, size_t value,
                    void (*visit)(const void* context, size_t value),
                    const void* context) {
  visit(context, value);
  const fb::EValue& stored = *tables.values()->Get(value);
  const auto all = [=](const auto* items) {
    for (const auto item : *items) {
      if (item >= 0) {
        visit(context, static_cast<size_t>(item));
      }
    }
  };
  switch (stored.val_type()) {
    case fb::KernelTypes::IntList:
      return all(stored.val_as_IntList()->items());
    case fb::KernelTypes::TensorList:
      return all(stored.val_as_TensorList()->items());
    case fb::KernelTypes::OptionalTensorList:
      return all(stored.val_as_OptionalTensorList()->items());
    default:
      return;
  }
}

Error Flow::build(const Plan& plan,
                  const std::vector<const registry::Op*>& ops) {
  facts_.assign(plan.values.size(), 0);
  for (size_t i = 0; i < facts_.size(); ++i) {
    const fb::Tensor* tensor = plan.tables.values()->Get(i)->val_as_Tensor();
    if (tensor != nullptr && is_constant_data(*tensor)) {
      facts_[i] |= kConstant;
    }
  }
  size_t pc = 0;
  for (const fb::Chain* chain : *plan.tables.chains()) {
    for (const fb::Instruction* instruction : *chain->instructions()) {
      if (const auto* call = instruction->instr_args_as_KernelCall()) {
        note_call(plan, plan.code[pc], *call, ops[pc]);
      } else if (const auto* move = instruction->instr_args_as_MoveCall()) {
        facts_[move->move_to()] |= kWritten | kRebound;
        aliases_.push_back({static_cast<size_t>(move->move_from()),
                            static_cast<size_t>(move->move_to())});
      } else if (const auto* delegate =
                     instruction->instr_args_as_DelegateCall()) {
        // Which arguments are outputs only the backend knows; the last is one.
        for (size_t i = 0; i < format::length(delegate->args()); ++i) {
          facts_[delegate->args()->Get(i)] |= kWritten;
        }
        if (format::length(delegate->args()) > 0) {
          results_.push_back(
              delegate->args()->Get(delegate->args()->size() - 1));
        }
      }
      ++pc;
    }
  }
  spread_constants();
  for (const size_t value : results_) {
    ET_CHECK_OR_RETURN_ERROR(
        !may_be_constant(value), InvalidProgram,
        "an instruction writes to tensor %zu, which is constant", value);
  }
  return Error::Ok;
}

// The stack of a call: arguments of the schema, then the results. Results are
// out arguments once more, or numbers.
void Flow::note_call(const Plan& plan, const Instruction& instruction,
                     const fb::KernelCall& call, const registry::Op* op) {
  const size_t count = format::length(call.args());
  if (count == 0) {
    return;
  }
  const auto arg = [&call](size_t i) {
    return static_cast<size_t>(call.args()->Get(i));
  };
  if (instruction.makes_view) {
    facts_[arg(count - 1)] |= kRebound;
    aliases_.push_back({arg(0), arg(count - 1)});
    return;
  }
  const auto note_result = [&](size_t value) {
    facts_[value] |= kWritten;
    if (plan.tensors[value] != nullptr) {
      results_.push_back(value);
    }
  };
  if (op != nullptr && std::strcmp(op->name, kCopyIndexOperator) == 0) {
    note_result(arg(0));
    return;
  }
  for (size_t i = instruction.first_result; i < count; ++i) {
    for_each_element(plan.tables, arg(i), note_result);
  }
}

// A few rounds reach what real programs have: a move out of each branch. With
// more, every target counts as constant.
void Flow::spread_constants() {
  constexpr int kRounds = 8;
  bool changed = true;
  for (int round = 0; changed && round < kRounds; ++round) {
    changed = false;
    for (const Alias& alias : aliases_) {
      if (may_be_constant(alias.from) && !may_be_constant(alias.to)) {
        facts_[alias.to] |= kConstant;
        changed = true;
      }
    }
  }
  for (const Alias& alias : aliases_) {
    if (changed) {
      facts_[alias.to] |= kConstant;
    }
  }
}

}  // namespace executorch::method
