// Program::load_method(): builds the plan of a method.
#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/executor/program.h>

#include <cstdio>
#include <new>

#include "src/method/build.h"

namespace executorch {
namespace method {

using runtime::Error;

Plan::Plan(const program::ProgramData& program_,
           const fb::ExecutionPlan& tables_, runtime::MemoryManager& memory_,
           runtime::EventTracer* tracer_)
    : program(program_),
      tables(tables_),
      memory(memory_),
      tracer(tracer_),
      temp(memory_.temp_allocator() != nullptr ? memory_.temp_allocator()
                                               : &own_temp) {}

Plan::~Plan() {
  const auto destroy = [](auto items) {
    using Item = std::remove_reference_t<decltype(items[0])>;
    for (Item& item : items) {
      item.~Item();
    }
  };
  for (Delegate& delegate : delegates) {
    if (delegate.started) {
      delegate.backend->destroy(delegate.handle);
    }
  }
  destroy(states);
  destroy(folded);
  destroy(delegates);
  destroy(values);
  destroy(trace_names);
  destroy(inputs);
  destroy(variables);
  destroy(external);
}

namespace {

// Names under which the kernels appear in a trace.
Error make_trace_names(Plan& plan) {
  if (plan.tracer == nullptr) {
    return Error::Ok;
  }
  const auto* operators = plan.tables.operators();
  ET_CHECK_OK_OR_RETURN_ERROR(
      make(plan, format::length(operators), &plan.trace_names));
  for (size_t i = 0; i < plan.trace_names.size(); ++i) {
    const std::string name = operator_name(*operators->Get(i));
    const size_t colons = name.find("::");
    plan.trace_names[i] =
        "native_call_" +
        (colons == std::string::npos ? name : name.substr(colons + 2));
  }
  return Error::Ok;
}

}  // namespace

void PlanLog::describe(const void* plan, char* text, size_t size) {
  std::snprintf(text, size,
                "method %s: ", static_cast<const Plan*>(plan)->name());
}

Error build_plan(Plan& plan, const BuildOptions& options) {
  const PlanLog log(plan);
  std::vector<const registry::Op*> ops;
  Flow flow;
  ET_CHECK_OK_OR_RETURN_ERROR(make_values(plan));
  ET_CHECK_OK_OR_RETURN_ERROR(check_backends(plan));
  ET_CHECK_OK_OR_RETURN_ERROR(make_code(plan, options, &ops));
  ET_CHECK_OK_OR_RETURN_ERROR(flow.build(plan, ops));
  ET_CHECK_OK_OR_RETURN_ERROR(make_trace_names(plan));
  ET_CHECK_OK_OR_RETURN_ERROR(place_tensors(plan, options));
  ET_CHECK_OK_OR_RETURN_ERROR(find_late_tensors(plan, flow));
  ET_CHECK_OK_OR_RETURN_ERROR(make_inputs_and_outputs(plan, flow));
  ET_CHECK_OK_OR_RETURN_ERROR(start_delegates(plan, options));
  return prepare_kernels(plan, flow, options, ops);
}

CodePlace find_place(const Plan& plan, size_t pc) {
  size_t chain = plan.chain_starts.size() - 1;
  while (plan.chain_starts[chain] > pc) {
    --chain;
  }
  const size_t index = pc - plan.chain_starts[chain];
  return {chain, index,
          plan.tables.chains()->Get(chain)->instructions()->Get(index)};
}

std::string operator_name(const fb::Operator& op) {
  std::string name = op.name()->str();
  if (format::length(op.overload()) > 0) {
    name += "." + op.overload()->str();
  }
  return name;
}

}  // namespace method

namespace runtime {

Result<Method> Program::load_method(
    const char* method_name, MemoryManager* memory_manager,
    EventTracer* event_tracer, const NamedDataMap* named_data_map,
    const LoadBackendOptionsMap* backend_options,
    Span<const Kernel> kernel_registry) const {
  internal::event_tracer_create_event_block(event_tracer, "Default");
  internal::EventTracerProfileMethodScope load_scope(event_tracer,
                                                     "Program::load_method");
  const auto* tables = data_->find_method(method_name);
  if (tables == nullptr) {
    return Error::InvalidArgument;
  }
  ET_CHECK_OR_RETURN_ERROR(
      memory_manager != nullptr &&
          memory_manager->method_allocator() != nullptr,
      InvalidArgument,
      "method %s: the memory manager or its method allocator is null",
      method_name);
  internal::EventTracerProfileMethodScope init_scope(event_tracer,
                                                     "Method::init");
  method::Plan* memory =
      memory_manager->method_allocator()->allocateInstance<method::Plan>();
  ET_CHECK_OR_RETURN_ERROR(memory != nullptr, MemoryAllocationFailed,
                           "method %s: the method allocator has no memory for "
                           "%zu bytes",
                           method_name, sizeof(method::Plan));
  Method method(new (memory) method::Plan(*data_, *tables, *memory_manager,
                                          event_tracer));
  ET_CHECK_OK_OR_RETURN_ERROR(method::build_plan(
      *method.plan_, {named_data_map, backend_options, kernel_registry}));
  return method;
}

}  // namespace runtime
}  // namespace executorch
