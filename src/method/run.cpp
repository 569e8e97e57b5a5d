// Running a plan: all of it, or one instruction.
//
// Whatever depends on the file alone was checked when the plan was built. With
// an event tracer the loop is another one, so that the common one stays short.
#include "src/method/run.h"

#include <executorch/runtime/backend/backend_execution_context.h>
#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/platform/log.h>

#include <cstdio>
#include <string>

#include "src/method/plan.h"
#include "src/platform/log_context.h"

namespace executorch::method {

using aten::ScalarType;
using aten::Tensor;
using runtime::BackendExecutionContext;
using runtime::Error;
using runtime::KernelRuntimeContext;
using runtime::Result;
namespace trace = runtime::internal;

namespace {

bool has_memory(const Tensor& tensor) {
  return tensor.const_data_ptr() != nullptr || tensor.numel() == 0;
}

bool has_memory(const EValue& value) {
  if (value.isTensor()) {
    return has_memory(value.toTensor());
  }
  bool all = true;
  if (value.isTensorList()) {
    const auto list = value.tryToTensorList();
    all = list.ok();
    for (size_t i = 0; all && i < list->size(); ++i) {
      all = has_memory((*list)[i]);
    }
  } else if (value.isListOptionalTensor()) {
    const auto list = value.tryToListOptionalTensor();
    all = list.ok();
    for (size_t i = 0; all && i < list->size(); ++i) {
      all = !(*list)[i] || has_memory(*(*list)[i]);
    }
  }
  return all;
}

// A view is its own last argument, which gets its memory in the call.
Error check_memory(const Instruction& instruction) {
  const Span<EValue*> args = instruction.arguments();
  for (size_t i = 0; i < args.size(); ++i) {
    const bool is_out = i + 1 == args.size() && instruction.makes_view;
    ET_CHECK_OR_RETURN_ERROR(is_out || has_memory(*args[i]), InvalidState,
                             "argument %zu is a view that was not made yet", i);
  }
  return Error::Ok;
}

Error run_delegate(const Plan& plan, const Instruction& instruction) {
  const Delegate& delegate = *instruction.delegate;
  BackendExecutionContext context(plan.tracer, plan.temp, plan.name());
  const Error error = delegate.backend->execute(context, delegate.handle,
                                                instruction.arguments());
  plan.temp->reset();
  return error;
}

// A number, or a tensor of bools that must all be true.
Result<bool> is_true(const EValue& condition) {
  if (condition.isBool()) {
    return condition.toBool();
  }
  if (condition.isInt()) {
    return condition.toInt() != 0;
  }
  const bool is_bools =
      condition.isTensor() &&
      condition.toTensor().scalar_type() == ScalarType::Bool &&
      has_memory(condition.toTensor());
  ET_CHECK_OR_RETURN_ERROR(is_bools, InvalidProgram,
                           "the condition of a jump is a %s, expected a bool",
                           runtime::tag_to_string(condition.tag));
  const Tensor& tensor = condition.toTensor();
  const bool* items = tensor.const_data_ptr<bool>();
  for (ssize_t i = 0; i < tensor.numel(); ++i) {
    if (!items[i]) {
      return false;
    }
  }
  return true;
}

// Runs what is no plain kernel call and moves the plan on.
Error run_other(Plan& plan, const Instruction& instruction) {
  size_t next = plan.pc + 1;
  if (instruction.check_memory) {
    ET_CHECK_OK_OR_RETURN_ERROR(check_memory(instruction));
  }
  switch (instruction.kind) {
    case Instruction::Kind::kKernel: {
      KernelRuntimeContext context(plan.tracer, plan.temp);
      context.internal_set_prepared_state(instruction.state);
      instruction.kernel(context, instruction.arguments());
      plan.temp->reset();
      ET_CHECK_OK_OR_RETURN_ERROR(context.failure_state());
      break;
    }
    case Instruction::Kind::kDelegate:
      ET_CHECK_OK_OR_RETURN_ERROR(run_delegate(plan, instruction));
      break;
    case Instruction::Kind::kMove:
      *instruction.args[1] = *instruction.args[0];
      break;
    case Instruction::Kind::kJumpFalse: {
      ET_ASSIGN_OR_RETURN(condition, is_true(*instruction.args[0]));
      next = condition ? next : instruction.target;
      break;
    }
    case Instruction::Kind::kNothing:
      break;
  }
  plan.pc = next;
  return Error::Ok;
}

Error run_untraced(Plan& plan) {
  KernelRuntimeContext context(nullptr, plan.temp);
  const Instruction* code = plan.code.data();
  const size_t end = plan.code.size();
  while (plan.pc < end) {
    const Instruction& instruction = code[plan.pc];
    if ET_LIKELY (instruction.kind == Instruction::Kind::kKernel &&
                  !instruction.check_memory) {
      context.internal_set_prepared_state(instruction.state);
      instruction.kernel(context, instruction.arguments());
      plan.temp->reset();
      ET_CHECK_OK_OR_RETURN_ERROR(context.failure_state());
      ++plan.pc;
    } else {
      ET_CHECK_OK_OR_RETURN_ERROR(run_other(plan, instruction));
    }
  }
  return Error::Ok;
}

// One instruction inside of the events that tools for traces expect.
Error run_traced(Plan& plan) {
  const CodePlace place = find_place(plan, plan.pc);
  const Instruction& instruction = plan.code[plan.pc];
  const size_t pc = plan.pc;
  trace::EventTracerProfileInstructionScope instruction_scope(
      plan.tracer, static_cast<runtime::ChainID>(place.chain),
      static_cast<runtime::DebugHandle>(place.index));
  if (instruction.kind == Instruction::Kind::kDelegate) {
    trace::EventTracerProfileOpScope scope(plan.tracer, "DELEGATE_CALL");
    return run_other(plan, instruction);
  }
  if (instruction.kind != Instruction::Kind::kKernel) {
    return run_other(plan, instruction);
  }
  const int op = place.instruction->instr_args_as_KernelCall()->op_index();
  {
    trace::EventTracerProfileOpScope scope(plan.tracer, "OPERATOR_CALL");
    trace::EventTracerProfileOpScope call_scope(plan.tracer,
                                                plan.trace_names[op].c_str());
    ET_CHECK_OK_OR_RETURN_ERROR(run_other(plan, instruction));
  }
  for (size_t i = plan.code[pc].first_result; i < instruction.num_args; ++i) {
    trace::event_tracer_log_evalue(plan.tracer, *instruction.args[i]);
  }
  return Error::Ok;
}

Error run_all_traced(Plan& plan) {
  trace::event_tracer_create_event_block(plan.tracer, "Execute");
  trace::EventTracerProfileMethodScope scope(plan.tracer, "Method::execute");
  while (!plan.at_end()) {
    ET_CHECK_OK_OR_RETURN_ERROR(run_traced(plan));
  }
  trace_outputs(plan);
  return Error::Ok;
}

// For error lines: where in the program the run is.
void describe_place(const void* what, char* text, size_t size) {
  const Plan& plan = *static_cast<const Plan*>(what);
  if (plan.at_end()) {
    return PlanLog::describe(what, text, size);
  }
  const CodePlace place = find_place(plan, plan.pc);
  std::string name = "jump or move";
  if (const auto* call = place.instruction->instr_args_as_KernelCall()) {
    name = operator_name(*plan.tables.operators()->Get(call->op_index()));
  } else if (const auto* delegate =
                 place.instruction->instr_args_as_DelegateCall()) {
    name =
        plan.tables.delegates()->Get(delegate->delegate_index())->id()->str();
  }
  std::snprintf(text, size, "method %s, instruction %zu (%s): ", plan.name(),
                place.index, name.c_str());
}

}  // namespace

Error start_run(Plan& plan) {
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    ET_CHECK_OR_RETURN_ERROR(plan.inputs[i].is_set, InvalidArgument,
                             "input %zu was not set", i);
  }
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    const Output& output = plan.outputs[i];
    ET_CHECK_OR_RETURN_ERROR(
        output.wanted_bytes == 0 || has_memory(plan.values[output.value]),
        InvalidState,
        "output %zu has no planned memory: give it %zu bytes with "
        "set_output_data_ptr()",
        i, output.wanted_bytes);
  }
  for (aten::TensorImpl* tensor : plan.late) {
    tensor->set_data(nullptr);
  }
  plan.pc = 0;
  return Error::Ok;
}

Error run_plan(Plan& plan) {
  ET_CHECK_OK_OR_RETURN_ERROR(start_run(plan));
  const platform::LogContext context(describe_place, &plan);
  const Error error =
      plan.tracer == nullptr ? run_untraced(plan) : run_all_traced(plan);
  plan.pc = 0;
  return error;
}

Error step_plan(Plan& plan) {
  const platform::LogContext context(describe_place, &plan);
  if (plan.tracer != nullptr) {
    return run_traced(plan);
  }
  return run_other(plan, plan.code[plan.pc]);
}

void trace_outputs(const Plan& plan) {
  for (const Output& output : plan.outputs) {
    trace::event_tracer_log_evalue_output(plan.tracer,
                                          plan.values[output.value]);
  }
}

}  // namespace executorch::method
