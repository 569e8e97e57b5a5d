// Checks of the values of a method: what a tensor looks like and where its
// bytes are, and what lists point to.
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/platform/log.h>

#include "src/format/segments.h"
#include "src/format/shape.h"
#include "src/format/verify.h"

namespace executorch::format {

using runtime::Error;

Error verify_shape(const char* method, size_t value, const fb::Tensor& tensor,
                   size_t* nbytes) {
  const auto* sizes = tensor.sizes();
  const auto* order = tensor.dim_order();
  const Shape shape{tensor.scalar_type(),
                    sizes == nullptr ? nullptr : sizes->data(), length(sizes),
                    order == nullptr ? nullptr : order->data(), length(order)};
  const char* fault = shape_fault(shape, nbytes);
  ET_CHECK_OR_RETURN_ERROR(fault == nullptr, InvalidProgram,
                           "method %s: tensor %zu: %s", method, value, fault);
  ET_CHECK_OR_RETURN_ERROR(
      tensor.storage_offset() == 0 &&
          tensor.shape_dynamism() <= fb::TensorShapeDynamism::MAX &&
          tensor.shape_dynamism() >= fb::TensorShapeDynamism::MIN,
      InvalidProgram,
      "method %s: tensor %zu: storage offset %d or dynamism %d is not "
      "supported",
      method, value, tensor.storage_offset(),
      static_cast<int>(tensor.shape_dynamism()));
  return Error::Ok;
}

namespace {

Error verify_planned(const PlanCheck& check, size_t value,
                     const fb::Tensor& tensor, size_t nbytes) {
  const fb::AllocationDetails& place = *tensor.allocation_info();
  const uint64_t offset =
      (static_cast<uint64_t>(place.memory_offset_high()) << 32) |
      place.memory_offset_low();
  const auto* sizes = check.plan.non_const_buffer_sizes();
  const size_t id = place.memory_id();
  ET_CHECK_OR_RETURN_ERROR(
      id > 0 && id < length(sizes), InvalidProgram,
      "method %s: tensor %zu: memory id %zu, expected 1 to %zu", check.name(),
      value, id, length(sizes) - 1);
  const auto size = static_cast<uint64_t>(sizes->Get(id));
  ET_CHECK_OR_RETURN_ERROR(
      offset <= size && nbytes <= size - offset, InvalidProgram,
      "method %s: tensor %zu: %zu bytes at offset %llu are outside of planned "
      "buffer %zu of %llu bytes",
      check.name(), value, nbytes, static_cast<unsigned long long>(offset), id,
      static_cast<unsigned long long>(size));
  const size_t item =
      runtime::elementSize(static_cast<aten::ScalarType>(tensor.scalar_type()));
  ET_CHECK_OR_RETURN_ERROR(
      offset % item == 0, InvalidProgram,
      "method %s: tensor %zu: offset %llu is not a multiple of its item size "
      "%zu",
      check.name(), value, static_cast<unsigned long long>(offset), item);
  return Error::Ok;
}

// Data of the tensor that the program itself stores.
Error verify_stored(const PlanCheck& check, size_t value,
                    const fb::Tensor& tensor, size_t nbytes) {
  const size_t index = tensor.data_buffer_idx();
  uint64_t room = 0;
  bool found = false;
  if (tensor.allocation_info() == nullptr) {
    found = constant_size(check.program, index, &room);
  } else {
    const auto* lists = check.program.mutable_data_segments();
    const auto* info = tensor.extra_tensor_info();
    const uint64_t list =
        info == nullptr ? 0 : info->mutable_data_segments_idx();
    SegmentTail tail;
    found = list < length(lists) &&
            find_tail(check.program, lists->Get(list), index, &tail);
    room = tail.size;
  }
  ET_CHECK_OR_RETURN_ERROR(
      found && nbytes <= room, InvalidProgram,
      "method %s: tensor %zu: data %zu does not exist or has %llu bytes, "
      "expected %zu",
      check.name(), value, index, static_cast<unsigned long long>(room),
      nbytes);
  return Error::Ok;
}

Error verify_tensor(const PlanCheck& check, size_t value,
                    const fb::Tensor& tensor) {
  size_t nbytes = 0;
  ET_CHECK_OK_OR_RETURN_ERROR(
      verify_shape(check.name(), value, tensor, &nbytes));
  const auto* info = tensor.extra_tensor_info();
  if (tensor.allocation_info() != nullptr) {
    ET_CHECK_OK_OR_RETURN_ERROR(verify_planned(check, value, tensor, nbytes));
  }
  if (info != nullptr && info->location() != fb::TensorDataLocation::SEGMENT) {
    ET_CHECK_OR_RETURN_ERROR(
        info->location() == fb::TensorDataLocation::EXTERNAL &&
            length(info->fully_qualified_name()) > 0,
        InvalidProgram,
        "method %s: tensor %zu: data location %d is unknown, or external data "
        "has no name",
        check.name(), value, static_cast<int>(info->location()));
    return Error::Ok;
  }
  return tensor.data_buffer_idx() == 0
             ? Error::Ok
             : verify_stored(check, value, tensor, nbytes);
}

// Lists of values: every item is the index of one, of a kind that `allowed`
// takes.
template <class Items, class Allowed>
Error verify_items(const PlanCheck& check, size_t value, const Items* items,
                   const char* expected, const Allowed& allowed) {
  ET_CHECK_OR_RETURN_ERROR(items != nullptr && check.budget.take(items->size()),
                           InvalidProgram,
                           "method %s: the list in value %zu is missing or "
                           "too long",
                           check.name(), value);
  for (size_t i = 0; i < items->size(); ++i) {
    const int64_t item = items->Get(i);
    ET_CHECK_OR_RETURN_ERROR(
        allowed(item), InvalidProgram,
        "method %s: list in value %zu: item %zu is value %lld, expected %s",
        check.name(), value, i, static_cast<long long>(item), expected);
  }
  return Error::Ok;
}

Error verify_list(const PlanCheck& check, size_t value,
                  const fb::EValue& list) {
  const auto is = [&check](int64_t item, fb::KernelTypes type) {
    return check.is_value(item) &&
           check.plan.values()->Get(item)->val_type() == type;
  };
  switch (list.val_type()) {
    case fb::KernelTypes::IntList:
      return verify_items(
          check, value, list.val_as_IntList()->items(), "an integer",
          [&](int64_t item) { return is(item, fb::KernelTypes::Int); });
    case fb::KernelTypes::TensorList:
      return verify_items(
          check, value, list.val_as_TensorList()->items(), "a tensor",
          [&](int64_t item) { return is(item, fb::KernelTypes::Tensor); });
    case fb::KernelTypes::OptionalTensorList:
      return verify_items(
          check, value, list.val_as_OptionalTensorList()->items(),
          "a tensor or none", [&](int64_t item) {
            return item == -1 || is(item, fb::KernelTypes::Tensor) ||
                   is(item, fb::KernelTypes::Null);
          });
    case fb::KernelTypes::BoolList:
      return verify_items(check, value, list.val_as_BoolList()->items(),
                          "0 or 1", [](int64_t item) { return item <= 1; });
    default:
      ET_CHECK_OR_RETURN_ERROR(
          list.val_as_DoubleList()->items() != nullptr, InvalidProgram,
          "method %s: the list in value %zu is missing", check.name(), value);
      return Error::Ok;
  }
}

Error verify_value(const PlanCheck& check, size_t index) {
  const fb::EValue* value = check.plan.values()->Get(index);
  ET_CHECK_OR_RETURN_ERROR(value->val() != nullptr, InvalidProgram,
                           "method %s: value %zu is missing", check.name(),
                           index);
  switch (value->val_type()) {
    case fb::KernelTypes::Null:
    case fb::KernelTypes::Int:
    case fb::KernelTypes::Bool:
    case fb::KernelTypes::Double:
      return Error::Ok;
    case fb::KernelTypes::String:
      ET_CHECK_OR_RETURN_ERROR(
          value->val_as_String()->string_val() != nullptr, InvalidProgram,
          "method %s: the string in value %zu is missing", check.name(), index);
      return Error::Ok;
    case fb::KernelTypes::Tensor:
      return verify_tensor(check, index, *value->val_as_Tensor());
    case fb::KernelTypes::IntList:
    case fb::KernelTypes::DoubleList:
    case fb::KernelTypes::BoolList:
    case fb::KernelTypes::TensorList:
    case fb::KernelTypes::OptionalTensorList:
      return verify_list(check, index, *value);
    default:
      ET_LOG(Error, "method %s: value %zu has the unknown kind %d",
             check.name(), index, static_cast<int>(value->val_type()));
      return Error::InvalidProgram;
  }
}

Error verify_indices(const PlanCheck& check, const char* what,
                     const flatbuffers::Vector<int32_t>* indices) {
  for (size_t i = 0; i < length(indices); ++i) {
    ET_CHECK_OR_RETURN_ERROR(check.is_value(indices->Get(i)), InvalidProgram,
                             "method %s: %s %zu is value %d of %zu",
                             check.name(), what, i, indices->Get(i),
                             check.num_values());
  }
  return Error::Ok;
}

}  // namespace

Error verify_values(const PlanCheck& check) {
  const auto* sizes = check.plan.non_const_buffer_sizes();
  for (size_t i = 0; i < length(sizes); ++i) {
    ET_CHECK_OR_RETURN_ERROR(sizes->Get(i) >= 0, InvalidProgram,
                             "method %s: planned buffer %zu has the size %lld",
                             check.name(), i,
                             static_cast<long long>(sizes->Get(i)));
  }
  ET_CHECK_OR_RETURN_ERROR(
      check.plan.values() != nullptr && check.budget.take(check.num_values()) &&
          check.budget.take(length(check.plan.inputs())) &&
          check.budget.take(length(check.plan.outputs())),
      InvalidProgram, "method %s: values are missing or too many",
      check.name());
  for (size_t i = 0; i < check.num_values(); ++i) {
    ET_CHECK_OK_OR_RETURN_ERROR(verify_value(check, i));
  }
  ET_CHECK_OK_OR_RETURN_ERROR(
      verify_indices(check, "input", check.plan.inputs()));
  return verify_indices(check, "output", check.plan.outputs());
}

}  // namespace executorch::format
