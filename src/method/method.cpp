// The public functions of a method.
#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/platform/log.h>

#include <utility>

#include "src/method/inputs.h"
#include "src/method/plan.h"
#include "src/method/run.h"

namespace executorch {
namespace runtime {

using aten::ArrayRef;
using aten::Tensor;
using method::Plan;
using method::Progress;

namespace {

constexpr char kMoved[] = "the method was moved away";

// Functions that cannot return an error demand a method that was not moved.
Plan& must_exist(Plan* plan) {
  ET_CHECK_MSG(plan != nullptr, "%s", kMoved);
  return *plan;
}

EValue& value_at(Plan* plan, const flatbuffers::Vector<int32_t>* indices,
                 size_t index, const char* what) {
  ET_CHECK_MSG(index < format::length(indices), "%s %zu of %zu does not exist",
               what, index, format::length(indices));
  return must_exist(plan).values[indices->Get(index)];
}

Error copy_values(const Plan& plan, const flatbuffers::Vector<int32_t>* indices,
                  EValue* values, size_t length) {
  const size_t count = format::length(indices);
  ET_CHECK_OR_RETURN_ERROR(
      length >= count && (values != nullptr || length == 0), InvalidArgument,
      "an array of %zu values cannot take %zu, or is null", length, count);
  for (size_t i = 0; i < length; ++i) {
    values[i] = i < count ? plan.values[indices->Get(i)] : EValue();
  }
  return Error::Ok;
}

}  // namespace

Method::Method(Method&& other) noexcept
    : plan_(std::exchange(other.plan_, nullptr)) {}

Method::~Method() {
  if (plan_ != nullptr) {
    plan_->~Plan();
  }
}

Error Method::set_input(const EValue& input_evalue, size_t input_idx) {
  ET_CHECK_OR_RETURN_ERROR(plan_ != nullptr, InvalidState, "%s", kMoved);
  Plan& plan = *plan_;
  const method::PlanLog log(plan);
  return method::set_input(plan, input_evalue, input_idx, /*lend=*/false);
}

Error Method::bind_input(const EValue& input_evalue, size_t input_idx) {
  ET_CHECK_OR_RETURN_ERROR(plan_ != nullptr, InvalidState, "%s", kMoved);
  Plan& plan = *plan_;
  const method::PlanLog log(plan);
  return method::set_input(plan, input_evalue, input_idx, /*lend=*/true);
}

Error Method::set_inputs(const ArrayRef<EValue>& input_evalues) {
  ET_CHECK_OR_RETURN_ERROR(plan_ != nullptr, InvalidState, "%s", kMoved);
  Plan& plan = *plan_;
  const method::PlanLog log(plan);
  ET_CHECK_OR_RETURN_ERROR(input_evalues.size() == plan.inputs.size(),
                           InvalidArgument,
                           "%zu inputs are taken, %zu were given",
                           plan.inputs.size(), input_evalues.size());
  for (size_t i = 0; i < input_evalues.size(); ++i) {
    ET_CHECK_OK_OR_RETURN_ERROR(
        method::set_input(plan, input_evalues[i], i, /*lend=*/false));
  }
  return Error::Ok;
}

Error Method::set_output_data_ptr(void* buffer, size_t size,
                                  size_t output_idx) {
  ET_CHECK_OR_RETURN_ERROR(plan_ != nullptr, InvalidState, "%s", kMoved);
  Plan& plan = *plan_;
  const method::PlanLog log(plan);
  ET_CHECK_OR_RETURN_ERROR(output_idx < plan.outputs.size(), InvalidArgument,
                           "output %zu does not exist, there are %zu",
                           output_idx, plan.outputs.size());
  const method::Output& output = plan.outputs[output_idx];
  aten::TensorImpl* tensor = plan.tensors[output.value];
  ET_CHECK_OR_RETURN_ERROR(tensor != nullptr, InvalidArgument,
                           "output %zu is not a tensor", output_idx);
  ET_CHECK_OR_RETURN_ERROR(
      output.wanted_bytes > 0 || tensor->numel() == 0, InvalidState,
      "the memory of output %zu is fixed by the program", output_idx);
  const bool aligned = reinterpret_cast<uintptr_t>(buffer) %
                           static_cast<size_t>(tensor->element_size()) ==
                       0;
  ET_CHECK_OR_RETURN_ERROR(
      buffer != nullptr && size >= output.wanted_bytes && aligned,
      InvalidArgument,
      "output %zu needs %zu bytes aligned to an element, got %zu at "
      "%p",
      output_idx, output.wanted_bytes, size, buffer);
  tensor->set_data(buffer);
  return Error::Ok;
}

size_t Method::unplanned_output_nbytes(size_t output_idx) const {
  return plan_ != nullptr && output_idx < plan_->outputs.size()
             ? plan_->outputs[output_idx].wanted_bytes
             : 0;
}

Error Method::get_outputs(EValue* output_evalues, size_t length) {
  ET_CHECK_OR_RETURN_ERROR(plan_ != nullptr, InvalidState, "%s", kMoved);
  Plan& plan = *plan_;
  const method::PlanLog log(plan);
  return copy_values(plan, plan.tables.outputs(), output_evalues, length);
}

Error Method::get_inputs(EValue* input_evalues, size_t length) {
  ET_CHECK_OR_RETURN_ERROR(plan_ != nullptr, InvalidState, "%s", kMoved);
  Plan& plan = *plan_;
  const method::PlanLog log(plan);
  return copy_values(plan, plan.tables.inputs(), input_evalues, length);
}

Result<Tensor> Method::get_attribute(std::string_view name) {
  ET_CHECK_OR_RETURN_ERROR(plan_ != nullptr, InvalidState, "%s", kMoved);
  Plan& plan = *plan_;
  const method::PlanLog log(plan);
  for (size_t i = 0; i < plan.tensors.size(); ++i) {
    if (plan.tensors[i] == nullptr) {
      continue;
    }
    const auto* info =
        plan.tables.values()->Get(i)->val_as_Tensor()->extra_tensor_info();
    if (info != nullptr && info->fully_qualified_name() != nullptr &&
        info->fully_qualified_name()->string_view() == name) {
      return Tensor(plan.tensors[i]);
    }
  }
  ET_LOG(Error, "there is no attribute %.*s", static_cast<int>(name.size()),
         name.data());
  return Error::NotFound;
}

Error Method::execute() {
  ET_CHECK_OR_RETURN_ERROR(plan_ != nullptr, InvalidState, "%s", kMoved);
  Plan& plan = *plan_;
  const method::PlanLog log(plan);
  ET_CHECK_OR_RETURN_ERROR(
      plan.progress == Progress::kIdle, InvalidState,
      "a run with step() is not over: go on until EndOfMethod, then call "
      "reset_execution()");
  const Error error = method::run_plan(plan);
  method::end_loans(plan);
  return error;
}

Error Method::step() {
  ET_CHECK_OR_RETURN_ERROR(plan_ != nullptr, InvalidState, "%s", kMoved);
  Plan& plan = *plan_;
  const method::PlanLog log(plan);
  if (plan.progress == Progress::kIdle) {
    ET_CHECK_OK_OR_RETURN_ERROR(method::start_run(plan));
    internal::event_tracer_create_event_block(plan.tracer, "Execute");
    plan.progress = Progress::kRunning;
  }
  if (plan.at_end()) {
    return Error::EndOfMethod;
  }
  const Error error = method::step_plan(plan);
  if (error != Error::Ok) {
    plan.progress = Progress::kIdle;
  } else if (plan.at_end()) {
    method::trace_outputs(plan);
  }
  return error;
}

Error Method::experimental_step() { return step(); }

bool Method::in_progress() const {
  return plan_ != nullptr && plan_->progress == Progress::kRunning &&
         !plan_->at_end();
}

Error Method::reset_execution() {
  ET_CHECK_OR_RETURN_ERROR(plan_ != nullptr, InvalidState, "%s", kMoved);
  Plan& plan = *plan_;
  const method::PlanLog log(plan);
  ET_CHECK_OR_RETURN_ERROR(plan.progress == Progress::kRunning && plan.at_end(),
                           InvalidState, "step() has not come to the end");
  plan.progress = Progress::kIdle;
  method::end_loans(plan);
  return Error::Ok;
}

Error Method::experimental_reset_execution() { return reset_execution(); }

MethodMeta Method::method_meta() const {
  return MethodMeta(&must_exist(plan_).tables);
}

size_t Method::inputs_size() const { return must_exist(plan_).inputs.size(); }

size_t Method::outputs_size() const { return must_exist(plan_).outputs.size(); }

const EValue& Method::get_output(size_t i) const {
  return value_at(plan_, must_exist(plan_).tables.outputs(), i, "output");
}

EventTracer* Method::get_event_tracer() { return must_exist(plan_).tracer; }

const EValue& Method::get_input(size_t i) const {
  return value_at(plan_, must_exist(plan_).tables.inputs(), i, "input");
}

EValue& Method::mutable_input(size_t i) {
  return value_at(plan_, must_exist(plan_).tables.inputs(), i, "input");
}

EValue& Method::mutable_output(size_t i) {
  return value_at(plan_, must_exist(plan_).tables.outputs(), i, "output");
}

}  // namespace runtime
}  // namespace executorch
