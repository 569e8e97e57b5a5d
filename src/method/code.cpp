// Instructions: operators resolved, arguments checked against what they take.
#include <executorch/runtime/core/exec_aten/exec_aten.h>

#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "src/method/build.h"
#include "src/registry/lookup.h"

namespace executorch::method {

using registry::Op;
using registry::tag_bit;
using registry::TagSet;
using runtime::Error;
using runtime::Tag;
using runtime::TensorMeta;

namespace {

using Indices = flatbuffers::Vector<int32_t>;

constexpr TagSet kScalars =
    tag_bit(Tag::Int) | tag_bit(Tag::Double) | tag_bit(Tag::Bool);

class CodeBuilder {
 public:
  CodeBuilder(Plan& plan, const BuildOptions& options,
              std::vector<const Op*>* ops)
      : plan_(plan), options_(options), ops_(*ops) {}

  Error build() {
    ET_CHECK_OK_OR_RETURN_ERROR(make_room());
    size_t pc = 0;
    for (size_t c = 0; c < plan_.chain_starts.size(); ++c) {
      plan_.chain_starts[c] = pc;
      const fb::Chain* chain = plan_.tables.chains()->Get(c);
      for (const fb::Instruction* instruction : *chain->instructions()) {
        start_ = plan_.chain_starts[c];
        ET_CHECK_OK_OR_RETURN_ERROR(add(pc, *instruction));
        ++pc;
      }
    }
    return report_missing();
  }

 private:
  Error make_room() {
    size_t count = 0;
    size_t args = 0;
    for (const fb::Chain* chain : *plan_.tables.chains()) {
      count += chain->instructions()->size();
      for (const fb::Instruction* instruction : *chain->instructions()) {
        args += num_args(*instruction);
      }
    }
    ops_.assign(count, nullptr);
    const auto* operators = plan_.tables.operators();
    for (size_t i = 0; i < format::length(operators); ++i) {
      names_.push_back(operator_name(*operators->Get(i)));
    }
    ET_CHECK_OK_OR_RETURN_ERROR(make(plan_, count, &plan_.code));
    ET_CHECK_OK_OR_RETURN_ERROR(make(plan_, count, &plan_.done_by));
    std::iota(plan_.done_by.begin(), plan_.done_by.end(), 0u);
    ET_CHECK_OK_OR_RETURN_ERROR(make(plan_, args, &args_));
    ET_CHECK_OK_OR_RETURN_ERROR(make(
        plan_, format::length(plan_.tables.delegates()), &plan_.delegates));
    return make(plan_, plan_.tables.chains()->size(), &plan_.chain_starts);
  }

  static size_t num_args(const fb::Instruction& instruction) {
    switch (instruction.instr_args_type()) {
      case fb::InstructionArguments::KernelCall:
        return format::length(instruction.instr_args_as_KernelCall()->args());
      case fb::InstructionArguments::DelegateCall:
        return format::length(instruction.instr_args_as_DelegateCall()->args());
      case fb::InstructionArguments::MoveCall:
        return 2;
      case fb::InstructionArguments::JumpFalseCall:
        return 1;
      default:
        return 0;
    }
  }

  void add_arg(Instruction& instruction, size_t value) {
    EValue** slot = args_.data() + used_args_++;
    if (instruction.num_args++ == 0) {
      instruction.args = slot;
    }
    *slot = &plan_.values[value];
  }
  void add_args(Instruction& instruction, const Indices* indices) {
    for (size_t i = 0; i < format::length(indices); ++i) {
      add_arg(instruction, indices->Get(i));
    }
  }

  Error add(size_t pc, const fb::Instruction& stored) {
    Instruction& instruction = plan_.code[pc];
    switch (stored.instr_args_type()) {
      case fb::InstructionArguments::KernelCall: {
        const auto* call = stored.instr_args_as_KernelCall();
        instruction.kind = Instruction::Kind::kKernel;
        add_args(instruction, call->args());
        return resolve(pc, names_[call->op_index()]);
      }
      case fb::InstructionArguments::DelegateCall: {
        const auto* call = stored.instr_args_as_DelegateCall();
        instruction.kind = Instruction::Kind::kDelegate;
        instruction.delegate = &plan_.delegates[call->delegate_index()];
        add_args(instruction, call->args());
        return Error::Ok;
      }
      case fb::InstructionArguments::MoveCall: {
        const auto* move = stored.instr_args_as_MoveCall();
        instruction.kind = Instruction::Kind::kMove;
        add_arg(instruction, move->move_from());
        add_arg(instruction, move->move_to());
        return Error::Ok;
      }
      case fb::InstructionArguments::JumpFalseCall: {
        const auto* jump = stored.instr_args_as_JumpFalseCall();
        instruction.kind = Instruction::Kind::kJumpFalse;
        instruction.target = start_ + jump->destination_instruction();
        add_arg(instruction, jump->cond_value_index());
        return Error::Ok;
      }
      default:
        // The plan decides where memory is used again: nothing to free.
        instruction.kind = Instruction::Kind::kNothing;
        return Error::Ok;
    }
  }

  Error resolve(size_t pc, const std::string& name) {
    Instruction& instruction = plan_.code[pc];
    metas_.clear();
    for (const EValue* value : instruction.arguments()) {
      if (value->isTensor()) {
        const auto order = value->toTensor().dim_order();
        metas_.emplace_back(
            value->toTensor().scalar_type(),
            Span<aten::DimOrderType>(
                const_cast<aten::DimOrderType*>(order.data()), order.size()));
      }
    }
    const Span<const TensorMeta> metas(metas_.data(), metas_.size());
    const registry::Found found =
        options_.kernels.size() > 0
            ? registry::find(name.c_str(), metas, options_.kernels)
            : registry::find(name.c_str(), metas);
    if (found.fn == nullptr) {
      missing_.insert(name);
      return Error::Ok;
    }
    ET_CHECK_OR_RETURN_ERROR(found.unusable == nullptr, NotSupported,
                             "instruction %zu: %s cannot run: %s", pc,
                             name.c_str(), found.unusable);
    instruction.kernel = found.fn;
    instruction.makes_view = name == kViewOperator;
    instruction.first_result =
        instruction.num_args == 0 ? 0 : instruction.num_args - 1;
    ops_[pc] = found.op;
    if (found.op == nullptr) {
      return Error::Ok;
    }
    ET_CHECK_OK_OR_RETURN_ERROR(check_args(pc, name, *found.op));
    if (found.op->num_args < instruction.num_args) {
      instruction.first_result = static_cast<uint32_t>(found.op->num_args);
    }
    return Error::Ok;
  }

  // Kinds do not change while a method runs, except that numbers are computed.
  static TagSet possible_tags(const EValue& value) {
    const TagSet tags = tag_bit(value.tag);
    return (tags & (kScalars | tag_bit(Tag::None))) != 0 ? tags | kScalars
                                                         : tags;
  }

  Error check_args(size_t pc, const std::string& name, const Op& op) {
    const Span<EValue*> args = plan_.code[pc].arguments();
    ET_CHECK_OR_RETURN_ERROR(
        args.size() >= op.num_args, InvalidProgram,
        "instruction %zu: %s is called with %zu arguments, expected "
        "%zu",
        pc, name.c_str(), args.size(), op.num_args);
    for (size_t i = 0; i < op.num_args; ++i) {
      ET_CHECK_OR_RETURN_ERROR(
          (possible_tags(*args[i]) & op.args[i]) != 0, InvalidProgram,
          "instruction %zu: %s does not take argument %zu, a %s", pc,
          name.c_str(), i, runtime::tag_to_string(args[i]->tag));
    }
    // An operator that leaves a number in its last slot must not replace a
    // tensor or list, which others may refer to.
    const bool gives_number = args.size() == op.num_args && op.num_args > 0 &&
                              (op.args[op.num_args - 1] & kScalars) == kScalars;
    ET_CHECK_OR_RETURN_ERROR(
        !gives_number ||
            (possible_tags(*args[op.num_args - 1]) & kScalars) != 0,
        InvalidProgram, "instruction %zu: %s would replace a %s by a number",
        pc, name.c_str(), runtime::tag_to_string(args[op.num_args - 1]->tag));
    return Error::Ok;
  }

  // All that is missing in one message, by the component that has it.
  Error report_missing() const {
    if (missing_.empty()) {
      return Error::Ok;
    }
    std::map<std::string, std::string> by_source;
    for (const std::string& name : missing_) {
      const char* component = registry::component_to_link(name.c_str());
      std::string& names =
          by_source[component == nullptr ? "in no component: register a kernel"
                                         : std::string("link ") + component];
      names += (names.empty() ? "" : ", ") + name;
    }
    std::string text;
    for (const auto& [source, names] : by_source) {
      text += (text.empty() ? "" : "; ") + names + " (" + source + ")";
    }
    ET_LOG(Error, "%zu operators are not registered: %s", missing_.size(),
           text.c_str());
    return Error::OperatorMissing;
  }

  Plan& plan_;
  const BuildOptions& options_;
  std::vector<const Op*>& ops_;
  std::vector<std::string> names_;  // by operator
  std::vector<TensorMeta> metas_;
  std::set<std::string> missing_;
  Span<EValue*> args_;
  size_t used_args_ = 0;
  size_t start_ = 0;  // of the chain
};

}  // namespace

Error make_code(Plan& plan, const BuildOptions& options,
                std::vector<const Op*>* ops) {
  return CodeBuilder(plan, options, ops).build();
}

}  // namespace executorch::method
