#include "src/module/loaded_method.h"

#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>

#include <cstring>
#include <utility>

#include "src/module/owned_memory.h"

namespace executorch::extension::internal {

using aten::Tensor;
using runtime::Error;
using runtime::EValue;
using runtime::Method;
using runtime::Result;

void LoadedMethod::adopt(Method&& loaded) {
  method_ = std::make_unique<Method>(std::move(loaded));
  inputs_.resize(method_->inputs_size());
  outputs_.resize(method_->outputs_size());
  for (size_t i = 0; i < outputs_.size(); ++i) {
    outputs_[i].unplanned_bytes = method_->unplanned_output_nbytes(i);
  }
}

Error LoadedMethod::set_input(const EValue& value, size_t index) {
  ET_CHECK_OK_OR_RETURN_ERROR(method_->set_input(value, index));
  inputs_[index] = {value};
  return Error::Ok;
}

Error LoadedMethod::lend_input(const EValue& value, size_t index) {
  if (!value.internal_owns()) {
    return set_input(value, index);
  }
  ET_CHECK_OK_OR_RETURN_ERROR(method_->bind_input(value, index));
  inputs_[index] = {value, /*is_lent=*/true, /*is_bound=*/true};
  return Error::Ok;
}

Error LoadedMethod::set_output(EValue value, size_t index) {
  ET_CHECK_OR_RETURN_ERROR(index < outputs_.size(), InvalidArgument,
                           "output %zu is to be set, the method has %zu", index,
                           outputs_.size());
  ET_CHECK_OR_RETURN_ERROR(
      value.isTensor() && method_->get_output(index).isTensor(),
      InvalidArgument, "output %zu cannot be set: a %s is given for a %s",
      index, runtime::tag_to_string(value.tag),
      runtime::tag_to_string(method_->get_output(index).tag));
  const Tensor& tensor = value.toTensor();
  const auto dtype = method_->get_output(index).toTensor().scalar_type();
  ET_CHECK_OR_RETURN_ERROR(tensor.scalar_type() == dtype, InvalidArgument,
                           "output %zu has dtype %s, the tensor given has %s",
                           index, runtime::toString(dtype),
                           runtime::toString(tensor.scalar_type()));
  ET_CHECK_OK_OR_RETURN_ERROR(method_->set_output_data_ptr(
      tensor.mutable_data_ptr(), tensor.nbytes(), index));
  outputs_[index].given = std::move(value);
  outputs_[index].memory.reset();
  return Error::Ok;
}

// An output that nobody plans is computed in memory that goes to the caller. It
// is used again only when the caller has let go of it.
Error LoadedMethod::place_outputs() {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    Output& output = outputs_[i];
    const bool is_ours = output.unplanned_bytes > 0 && output.given.isNone();
    const bool is_free =
        output.memory != nullptr &&
        (output.returned == nullptr || output.returned.use_count() == 1);
    if (!is_ours || is_free) {
      continue;
    }
    auto memory = allocate(output.unplanned_bytes);
    ET_CHECK_OK_OR_RETURN_ERROR(memory.error());
    ET_CHECK_OK_OR_RETURN_ERROR(
        method_->set_output_data_ptr(memory->get(), output.unplanned_bytes, i));
    output.memory = std::move(*memory);
    output.returned.reset();
  }
  return Error::Ok;
}

Error LoadedMethod::run() {
  ET_CHECK_OK_OR_RETURN_ERROR(place_outputs());
  for (size_t i = 0; i < inputs_.size(); ++i) {
    Input& input = inputs_[i];
    if (input.is_lent && !input.is_bound) {
      ET_CHECK_OK_OR_RETURN_ERROR(method_->bind_input(input.value, i));
    }
    input.is_bound = false;
  }
  return method_->execute();
}

// The tensor that the caller gets: on the memory that the output was computed
// in if that is the caller's or to be, else on a copy.
Result<TensorPtr> LoadedMethod::returned_tensor(const Tensor& tensor,
                                                Output& output) {
  void* data = tensor.mutable_data_ptr();
  const bool is_given = output.given.isTensor() &&
                        output.given.toTensor().const_data_ptr() == data;
  const bool is_ours = output.memory != nullptr && output.memory.get() == data;
  TensorPtr& last = output.returned;
  if (last != nullptr && last.use_count() == 1 && !is_given &&
      last->scalar_type() == tensor.scalar_type() &&
      last->sizes() == tensor.sizes() &&
      last->dim_order() == tensor.dim_order() &&
      (!is_ours || last->const_data_ptr() == data)) {
    if (!is_ours && tensor.nbytes() > 0) {
      std::memcpy(last->mutable_data_ptr(), data, tensor.nbytes());
    }
    return last;
  }
  if (!is_given && !is_ours) {
    auto copy = try_clone_tensor_ptr(tensor, tensor.scalar_type());
    if (copy.ok()) {
      last = *copy;
    }
    return copy;
  }
  std::function<void(void*)> keep_alive;
  if (is_given) {
    keep_alive = [given = output.given](void*) {};
  } else {
    keep_alive = [memory = output.memory](void*) {};
  }
  auto view = try_make_tensor_ptr(tensor, {}, {}, {}, std::move(keep_alive));
  if (view.ok()) {
    last = *view;
  }
  return view;
}

Result<EValue> LoadedMethod::output(size_t index) {
  ET_CHECK_OR_RETURN_ERROR(index < outputs_.size(), InvalidArgument,
                           "output %zu is asked for, the method has %zu", index,
                           outputs_.size());
  const EValue& value = method_->get_output(index);
  if (views_ || !value.isTensor() ||
      value.toTensor().device_type() != aten::DeviceType::CPU) {
    return EValue(value);
  }
  auto tensor = returned_tensor(value.toTensor(), outputs_[index]);
  ET_CHECK_OK_OR_RETURN_ERROR(tensor.error());
  return EValue(*tensor);
}

Result<std::vector<EValue>> LoadedMethod::outputs() {
  std::vector<EValue> values;
  values.reserve(outputs_.size());
  for (size_t i = 0; i < outputs_.size(); ++i) {
    auto value = output(i);
    ET_CHECK_OK_OR_RETURN_ERROR(value.error());
    values.push_back(std::move(*value));
  }
  return values;
}

}  // namespace executorch::extension::internal
