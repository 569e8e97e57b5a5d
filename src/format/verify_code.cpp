// Checks of what a method does: operators, delegates and instructions. Whether
// an operator takes the arguments of a call is checked when the method is
// loaded, as only the registry knows it.
#include <executorch/runtime/platform/log.h>

#include <algorithm>

#include "src/format/verify.h"

namespace executorch::format {

using runtime::Error;

namespace {

using Code = flatbuffers::Vector<flatbuffers::Offset<fb::Instruction>>;
using Indices = flatbuffers::Vector<int32_t>;

// The chain that an instruction is in, and its number there.
struct Place {
  const PlanCheck& check;
  const Code& code;
  size_t chain;
  size_t index;
};

Error verify_operators(const PlanCheck& check) {
  const auto* operators = check.plan.operators();
  for (size_t i = 0; i < length(operators); ++i) {
    ET_CHECK_OR_RETURN_ERROR(
        operators->Get(i)->name() != nullptr, InvalidProgram,
        "method %s: operator %zu has no name", check.name(), i);
  }
  return Error::Ok;
}

bool is_delegate_data(const fb::Program& program,
                      const fb::BackendDelegateDataReference* data) {
  if (data == nullptr) {
    return false;
  }
  switch (data->location()) {
    case fb::DataLocation::INLINE:
      return data->index() < length(program.backend_delegate_data());
    case fb::DataLocation::SEGMENT:
      return data->index() < length(program.segments());
  }
  return false;
}

// Far more than there are; keeps comparing all with each other cheap.
constexpr size_t kMaxDelegates = 10000;

Error verify_delegates(const PlanCheck& check) {
  const auto* delegates = check.plan.delegates();
  ET_CHECK_OR_RETURN_ERROR(length(delegates) <= kMaxDelegates, InvalidProgram,
                           "method %s has %zu delegates, the limit is %zu",
                           check.name(), length(delegates), kMaxDelegates);
  for (size_t i = 0; i < length(delegates); ++i) {
    const fb::BackendDelegate* delegate = delegates->Get(i);
    ET_CHECK_OR_RETURN_ERROR(
        delegate->id() != nullptr &&
            is_delegate_data(check.program, delegate->processed()),
        InvalidProgram,
        "method %s: delegate %zu has no backend name or no data", check.name(),
        i);
    const auto* specs = delegate->compile_specs();
    ET_CHECK_OR_RETURN_ERROR(check.budget.take(length(specs)), InvalidProgram,
                             "method %s: delegate %zu has too many compile "
                             "specs",
                             check.name(), i);
    for (size_t k = 0; k < length(specs); ++k) {
      ET_CHECK_OR_RETURN_ERROR(
          specs->Get(k)->key() != nullptr, InvalidProgram,
          "method %s: delegate %zu: compile spec %zu has no key", check.name(),
          i, k);
    }
  }
  return Error::Ok;
}

Error verify_index(const Place& at, const char* what, int64_t index,
                   size_t count) {
  ET_CHECK_OR_RETURN_ERROR(
      index >= 0 && static_cast<uint64_t>(index) < count, InvalidProgram,
      "method %s: instruction %zu of chain %zu: %s %lld of %zu does not exist",
      at.check.name(), at.index, at.chain, what, static_cast<long long>(index),
      count);
  return Error::Ok;
}

// Items that are read together with the value.
size_t amount_of_items(const fb::EValue& value) {
  switch (value.val_type()) {
    case fb::KernelTypes::IntList:
      return length(value.val_as_IntList()->items());
    case fb::KernelTypes::TensorList:
      return length(value.val_as_TensorList()->items());
    case fb::KernelTypes::OptionalTensorList:
      return length(value.val_as_OptionalTensorList()->items());
    default:
      return 0;
  }
}

Error verify_args(const Place& at, const Indices* args) {
  const PlanCheck& check = at.check;
  for (size_t i = 0; i < length(args); ++i) {
    ET_CHECK_OK_OR_RETURN_ERROR(verify_index(at, "the value of an argument,",
                                             args->Get(i), check.num_values()));
    const fb::EValue& value = *check.plan.values()->Get(args->Get(i));
    ET_CHECK_OR_RETURN_ERROR(
        check.budget.take(1 + amount_of_items(value)), InvalidProgram,
        "method %s: the arguments up to instruction %zu of chain %zu have more "
        "items than a program of this size can have",
        check.name(), at.index, at.chain);
  }
  return Error::Ok;
}

bool contains(const Indices* indices, int32_t value) {
  return indices != nullptr &&
         std::find(indices->begin(), indices->end(), value) != indices->end();
}

// Whether the instruction may change a value.
bool may_write(const fb::Instruction& instruction, int32_t value) {
  switch (instruction.instr_args_type()) {
    case fb::InstructionArguments::KernelCall:
      return contains(instruction.instr_args_as_KernelCall()->args(), value);
    case fb::InstructionArguments::DelegateCall:
      return contains(instruction.instr_args_as_DelegateCall()->args(), value);
    case fb::InstructionArguments::MoveCall:
      return instruction.instr_args_as_MoveCall()->move_to() == value;
    default:
      return false;
  }
}

size_t amount_of_args(const fb::Instruction& instruction) {
  const auto* kernel = instruction.instr_args_as_KernelCall();
  return kernel == nullptr ? 1 : 1 + length(kernel->args());
}

// A jump back must be able to end: something in the loop changes its condition
// or leaves the loop.
Error verify_loop(const Place& at, const fb::JumpFalseCall& jump) {
  for (size_t i = jump.destination_instruction(); i < at.index; ++i) {
    const fb::Instruction* instruction = at.code.Get(i);
    const auto* other = instruction->instr_args_as_JumpFalseCall();
    const bool leaves = other != nullptr && other->destination_instruction() >
                                                static_cast<int64_t>(at.index);
    if (leaves || may_write(*instruction, jump.cond_value_index())) {
      return Error::Ok;
    }
    if (!at.check.budget.take(amount_of_args(*instruction))) {
      break;
    }
  }
  ET_LOG(Error,
         "method %s: instruction %zu of chain %zu: the loop back to %d never "
         "ends, as nothing in it changes value %d",
         at.check.name(), at.index, at.chain, jump.destination_instruction(),
         jump.cond_value_index());
  return Error::InvalidProgram;
}

Error verify_jump(const Place& at, const fb::JumpFalseCall& jump) {
  ET_CHECK_OK_OR_RETURN_ERROR(verify_index(at, "the condition, value",
                                           jump.cond_value_index(),
                                           at.check.num_values()));
  const auto kind =
      at.check.plan.values()->Get(jump.cond_value_index())->val_type();
  ET_CHECK_OR_RETURN_ERROR(
      kind == fb::KernelTypes::Bool || kind == fb::KernelTypes::Int ||
          kind == fb::KernelTypes::Tensor,
      InvalidProgram,
      "method %s: instruction %zu of chain %zu: value %d cannot be a condition",
      at.check.name(), at.index, at.chain, jump.cond_value_index());
  // One behind the last instruction ends the chain.
  ET_CHECK_OK_OR_RETURN_ERROR(verify_index(at, "the jump target",
                                           jump.destination_instruction(),
                                           at.code.size() + 1));
  const bool back =
      static_cast<size_t>(jump.destination_instruction()) <= at.index;
  return back ? verify_loop(at, jump) : Error::Ok;
}

Error verify_move(const Place& at, const fb::MoveCall& move) {
  const size_t count = at.check.num_values();
  ET_CHECK_OK_OR_RETURN_ERROR(
      verify_index(at, "the source of a move,", move.move_from(), count));
  ET_CHECK_OK_OR_RETURN_ERROR(
      verify_index(at, "the target of a move,", move.move_to(), count));
  const auto* values = at.check.plan.values();
  ET_CHECK_OR_RETURN_ERROR(
      values->Get(move.move_from())->val_type() ==
          values->Get(move.move_to())->val_type(),
      InvalidProgram,
      "method %s: instruction %zu of chain %zu moves value %d to value %d of "
      "another kind",
      at.check.name(), at.index, at.chain, move.move_from(), move.move_to());
  return Error::Ok;
}

Error verify_free(const Place& at, const fb::FreeCall& free) {
  ET_CHECK_OK_OR_RETURN_ERROR(verify_index(
      at, "the value to free,", free.value_index(), at.check.num_values()));
  ET_CHECK_OR_RETURN_ERROR(
      at.check.plan.values()->Get(free.value_index())->val_type() ==
          fb::KernelTypes::Tensor,
      InvalidProgram,
      "method %s: instruction %zu of chain %zu frees value %d, not a tensor",
      at.check.name(), at.index, at.chain, free.value_index());
  return Error::Ok;
}

Error verify_instruction(const Place& at) {
  const fb::Instruction* instruction = at.code.Get(at.index);
  ET_CHECK_OR_RETURN_ERROR(instruction->instr_args() != nullptr, InvalidProgram,
                           "method %s: instruction %zu of chain %zu is missing",
                           at.check.name(), at.index, at.chain);
  switch (instruction->instr_args_type()) {
    case fb::InstructionArguments::KernelCall: {
      const auto* call = instruction->instr_args_as_KernelCall();
      ET_CHECK_OK_OR_RETURN_ERROR(verify_index(
          at, "operator", call->op_index(), length(at.check.plan.operators())));
      return verify_args(at, call->args());
    }
    case fb::InstructionArguments::DelegateCall: {
      const auto* call = instruction->instr_args_as_DelegateCall();
      ET_CHECK_OK_OR_RETURN_ERROR(
          verify_index(at, "delegate", call->delegate_index(),
                       length(at.check.plan.delegates())));
      return verify_args(at, call->args());
    }
    case fb::InstructionArguments::MoveCall:
      return verify_move(at, *instruction->instr_args_as_MoveCall());
    case fb::InstructionArguments::JumpFalseCall:
      return verify_jump(at, *instruction->instr_args_as_JumpFalseCall());
    case fb::InstructionArguments::FreeCall:
      return verify_free(at, *instruction->instr_args_as_FreeCall());
    default:
      ET_LOG(Error,
             "method %s: instruction %zu of chain %zu has the unknown kind %d",
             at.check.name(), at.index, at.chain,
             static_cast<int>(instruction->instr_args_type()));
      return Error::InvalidProgram;
  }
}

}  // namespace

Error verify_code(const PlanCheck& check) {
  ET_CHECK_OK_OR_RETURN_ERROR(verify_operators(check));
  ET_CHECK_OK_OR_RETURN_ERROR(verify_delegates(check));
  const auto* chains = check.plan.chains();
  ET_CHECK_OR_RETURN_ERROR(chains != nullptr, InvalidProgram,
                           "method %s has no chain of instructions",
                           check.name());
  for (size_t c = 0; c < chains->size(); ++c) {
    const Code* code = chains->Get(c)->instructions();
    ET_CHECK_OR_RETURN_ERROR(
        code != nullptr && check.budget.take(code->size()), InvalidProgram,
        "method %s: instructions of chain %zu are missing or too many",
        check.name(), c);
    for (size_t i = 0; i < code->size(); ++i) {
      ET_CHECK_OK_OR_RETURN_ERROR(verify_instruction({check, *code, c, i}));
    }
  }
  return Error::Ok;
}

}  // namespace executorch::format
