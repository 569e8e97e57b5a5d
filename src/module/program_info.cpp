#include <dlfcn.h>
#include <executorch/extension/inspect/program_info.h>
#include <executorch/runtime/backend/interface.h>

#include <cstdio>
#include <utility>

#include "src/method/plan.h"
#include "src/program/program_data.h"
#include "src/registry/lookup.h"

namespace executorch::extension::inspect {

namespace fb = ::executorch_flatbuffer;
using format::length;
using runtime::Error;
using runtime::Result;
using runtime::Tag;

namespace {

std::string library_at(runtime::OpFunction function) {
  Dl_info info;
  const bool known =
      dladdr(reinterpret_cast<const void*>(function), &info) != 0 &&
      info.dli_fname != nullptr;
  return known ? info.dli_fname : "";
}

template <class Items, class Text>
std::string joined(const Items& items, Text text) {
  std::string all = "[";
  for (const auto item : items) {
    all += (all.size() > 1 ? ", " : "") + text(item);
  }
  return all + "]";
}

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.17g", value);
  return text;
}

std::string bool_text(bool value) { return value ? "true" : "false"; }

ValueInfo tensor_info(const fb::Tensor& tensor) {
  ValueInfo info;
  info.tag = Tag::Tensor;
  info.dtype = static_cast<aten::ScalarType>(tensor.scalar_type());
  info.sizes.assign(tensor.sizes()->begin(), tensor.sizes()->end());
  info.dim_order.assign(tensor.dim_order()->begin(), tensor.dim_order()->end());
  info.dynamism =
      static_cast<aten::TensorShapeDynamism>(tensor.shape_dynamism());
  info.nbytes = format::tensor_nbytes(tensor);
  const auto* extra = tensor.extra_tensor_info();
  if (extra != nullptr && extra->fully_qualified_name() != nullptr) {
    info.name = extra->fully_qualified_name()->str();
  }
  if (method::is_planned(tensor)) {
    info.storage = ValueInfo::Storage::Planned;
    info.buffer = tensor.allocation_info()->memory_id() - 1;
  } else if (method::is_constant_data(tensor)) {
    info.storage = tensor.data_buffer_idx() != 0 ? ValueInfo::Storage::Constant
                                                 : ValueInfo::Storage::External;
  }
  return info;
}

template <class List>
ValueInfo list_info(Tag tag, const List& list) {
  ValueInfo info;
  info.tag = tag;
  info.items.assign(list.items()->begin(), list.items()->end());
  return info;
}

ValueInfo plain_info(Tag tag, std::string text) {
  ValueInfo info;
  info.tag = tag;
  info.text = std::move(text);
  return info;
}

ValueInfo value_info(const fb::EValue& value) {
  switch (value.val_type()) {
    case fb::KernelTypes::Int:
      return plain_info(Tag::Int,
                        std::to_string(value.val_as_Int()->int_val()));
    case fb::KernelTypes::Bool:
      return plain_info(Tag::Bool, bool_text(value.val_as_Bool()->bool_val()));
    case fb::KernelTypes::Double:
      return plain_info(Tag::Double,
                        number_text(value.val_as_Double()->double_val()));
    case fb::KernelTypes::String:
      return plain_info(Tag::String,
                        value.val_as_String()->string_val()->str());
    case fb::KernelTypes::DoubleList:
      return plain_info(
          Tag::ListDouble,
          joined(*value.val_as_DoubleList()->items(), number_text));
    case fb::KernelTypes::BoolList:
      return plain_info(Tag::ListBool,
                        joined(*value.val_as_BoolList()->items(), bool_text));
    case fb::KernelTypes::Tensor:
      return tensor_info(*value.val_as_Tensor());
    case fb::KernelTypes::IntList:
      return list_info(Tag::ListInt, *value.val_as_IntList());
    case fb::KernelTypes::TensorList:
      return list_info(Tag::ListTensor, *value.val_as_TensorList());
    case fb::KernelTypes::OptionalTensorList:
      return list_info(Tag::ListOptionalTensor,
                       *value.val_as_OptionalTensorList());
    default:
      return {};
  }
}

OperatorInfo operator_info(const fb::Operator& op) {
  OperatorInfo info;
  info.name = method::operator_name(op);
  if (const auto found = registry::find(info.name.c_str(), {}); found.fn) {
    info.library = library_at(found.fn);
  }
  if (const char* component = registry::component_of(info.name.c_str())) {
    info.component = component;
  }
  return info;
}

DelegateInfo delegate_info(const fb::Program& tables,
                           const fb::BackendDelegate& delegate) {
  DelegateInfo info;
  info.backend = delegate.id()->str();
  const auto* place = delegate.processed();
  info.nbytes =
      place->location() == fb::DataLocation::SEGMENT
          ? tables.segments()->Get(place->index())->size()
          : length(tables.backend_delegate_data()->Get(place->index())->data());
  const auto* backend = runtime::get_backend_class(info.backend.c_str());
  info.available = backend != nullptr && backend->is_available();
  return info;
}

// One instruction; counts the call.
InstructionInfo instruction_info(const fb::Instruction& instruction,
                                 MethodInfo& method) {
  InstructionInfo info;
  const auto take = [&](const flatbuffers::Vector<int32_t>* args) {
    for (size_t i = 0; i < length(args); ++i) {
      info.args.push_back(static_cast<size_t>(args->Get(i)));
    }
  };
  if (const auto* call = instruction.instr_args_as_KernelCall()) {
    info.index = static_cast<size_t>(call->op_index());
    ++method.operators[info.index].calls;
    take(call->args());
  } else if (const auto* delegate = instruction.instr_args_as_DelegateCall()) {
    info.kind = InstructionInfo::Kind::Delegate;
    info.index = static_cast<size_t>(delegate->delegate_index());
    ++method.delegates[info.index].calls;
    take(delegate->args());
  } else if (const auto* move = instruction.instr_args_as_MoveCall()) {
    info.kind = InstructionInfo::Kind::Move;
    info.args = {static_cast<size_t>(move->move_from()),
                 static_cast<size_t>(move->move_to())};
  } else if (const auto* jump = instruction.instr_args_as_JumpFalseCall()) {
    info.kind = InstructionInfo::Kind::JumpFalse;
    info.index = static_cast<size_t>(jump->destination_instruction());
    info.args = {static_cast<size_t>(jump->cond_value_index())};
  } else if (const auto* gone = instruction.instr_args_as_FreeCall()) {
    info.kind = InstructionInfo::Kind::Free;
    info.args = {static_cast<size_t>(gone->value_index())};
  }
  return info;
}

MethodInfo method_info(const fb::Program& tables,
                       const fb::ExecutionPlan& plan) {
  MethodInfo method;
  method.name = plan.name()->str();
  for (const auto* value : *plan.values()) {
    method.values.push_back(value_info(*value));
  }
  for (size_t i = 0; i < length(plan.inputs()); ++i) {
    method.inputs.push_back(static_cast<size_t>(plan.inputs()->Get(i)));
  }
  for (size_t i = 0; i < length(plan.outputs()); ++i) {
    method.outputs.push_back(static_cast<size_t>(plan.outputs()->Get(i)));
  }
  for (size_t i = 0; i < length(plan.operators()); ++i) {
    method.operators.push_back(operator_info(*plan.operators()->Get(i)));
  }
  for (size_t i = 0; i < length(plan.delegates()); ++i) {
    method.delegates.push_back(
        delegate_info(tables, *plan.delegates()->Get(i)));
  }
  for (size_t chain = 0; chain < length(plan.chains()); ++chain) {
    const auto* code = plan.chains()->Get(chain)->instructions();
    for (size_t i = 0; i < length(code); ++i) {
      method.instructions.push_back(instruction_info(*code->Get(i), method));
      method.instructions.back().chain = chain;
      method.instructions.back().done_by = method.instructions.size() - 1;
    }
  }
  return method;
}

}  // namespace

// The only code outside of Program that sees its tables.
class ProgramReader {
 public:
  static const program::ProgramData& data(const runtime::Program& program) {
    return *program.data_;
  }
};

Result<MethodInfo> describe_method(const runtime::Program& program,
                                   const char* method_name) {
  const auto& data = ProgramReader::data(program);
  const fb::ExecutionPlan* plan = data.find_method(method_name);
  if (plan == nullptr) {
    return runtime::Error::InvalidArgument;
  }
  return method_info(data.tables(), *plan);
}

Error describe_plan(const runtime::Method& method, MethodInfo& info) {
  const method::Plan& plan = method.internal_plan();
  ET_CHECK_OR_RETURN_ERROR(
      info.name == plan.name() && info.instructions.size() == plan.code.size(),
      InvalidArgument,
      "the description of %s with %zu instructions is not that of %s, which "
      "has %zu",
      info.name.c_str(), info.instructions.size(), plan.name(),
      plan.code.size());
  for (size_t i = 0; i < plan.done_by.size(); ++i) {
    const uint32_t by = plan.done_by[i];
    info.instructions[i].done_by =
        by == method::Plan::kAtLoad ? InstructionInfo::kAtLoad : by;
  }
  return Error::Ok;
}

std::string library_of(const runtime::Kernel& kernel) {
  return library_at(kernel.op_);
}

std::vector<aten::ScalarType> dtypes_of(const runtime::Kernel& kernel) {
  const registry::Found found = registry::find(kernel.name_, {});
  std::vector<aten::ScalarType> dtypes;
  if (found.op != nullptr && found.fn == kernel.op_) {
    for (int i = 0; i < static_cast<int>(aten::ScalarType::Undefined); ++i) {
      const auto dtype = static_cast<aten::ScalarType>(i);
      if ((found.op->dtypes & registry::dtype_bit(dtype)) != 0) {
        dtypes.push_back(dtype);
      }
    }
  }
  return dtypes;
}

}  // namespace executorch::extension::inspect
