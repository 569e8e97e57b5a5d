#include <executorch/runtime/executor/method_meta.h>
#include <executorch/runtime/platform/log.h>

#include <cstring>

#include "src/format/program_file.h"

namespace executorch {
namespace runtime {

namespace fb = ::executorch_flatbuffer;
using format::length;

namespace {

// Memory id 0 stands for none and has no buffer.
constexpr size_t kFirstMemoryId = 1;

Error check_index(size_t index, size_t count, const char* what) {
  ET_CHECK_OR_RETURN_ERROR(index < count, InvalidArgument,
                           "%s %zu of %zu does not exist", what, index, count);
  return Error::Ok;
}

Result<Tag> tag_of(const fb::EValue& value) {
  switch (value.val_type()) {
    case fb::KernelTypes::Null:
      return Tag::None;
    case fb::KernelTypes::Int:
      return Tag::Int;
    case fb::KernelTypes::Bool:
      return Tag::Bool;
    case fb::KernelTypes::Double:
      return Tag::Double;
    case fb::KernelTypes::Tensor:
      return Tag::Tensor;
    case fb::KernelTypes::String:
      return Tag::String;
    case fb::KernelTypes::IntList:
      return Tag::ListInt;
    case fb::KernelTypes::DoubleList:
      return Tag::ListDouble;
    case fb::KernelTypes::BoolList:
      return Tag::ListBool;
    case fb::KernelTypes::TensorList:
      return Tag::ListTensor;
    case fb::KernelTypes::OptionalTensorList:
      return Tag::ListOptionalTensor;
    default:
      return Error::InvalidProgram;
  }
}

// The value that entry `index` of the inputs or outputs names.
Result<const fb::EValue*> value_at(const fb::ExecutionPlan& plan,
                                   const flatbuffers::Vector<int32_t>* indices,
                                   size_t index, const char* what) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_index(index, length(indices), what));
  return plan.values()->Get(indices->Get(index));
}

Result<const fb::Tensor*> tensor_at(const fb::ExecutionPlan& plan,
                                    const flatbuffers::Vector<int32_t>* indices,
                                    size_t index, const char* what) {
  ET_ASSIGN_OR_RETURN(value, value_at(plan, indices, index, what));
  const fb::Tensor* tensor = value->val_as_Tensor();
  ET_CHECK_OR_RETURN_ERROR(tensor != nullptr, InvalidArgument,
                           "%s %zu is not a tensor", what, index);
  return tensor;
}

bool has_name(const fb::Tensor& tensor) {
  return tensor.extra_tensor_info() != nullptr &&
         length(tensor.extra_tensor_info()->fully_qualified_name()) > 0;
}

// Attribute `index`, or null and in `count` how many there are.
const fb::Tensor* find_attribute(const fb::ExecutionPlan& plan, size_t index,
                                 size_t* count) {
  *count = 0;
  for (const fb::EValue* value : *plan.values()) {
    const fb::Tensor* tensor = value->val_as_Tensor();
    if (tensor != nullptr && has_name(*tensor) && (*count)++ == index) {
      return tensor;
    }
  }
  return nullptr;
}

// Backend `index` among the distinct ones, or null and how many there are.
const char* find_backend(const fb::ExecutionPlan& plan, size_t index,
                         size_t* count) {
  *count = 0;
  for (size_t i = 0; i < length(plan.delegates()); ++i) {
    const char* name = plan.delegates()->Get(i)->id()->c_str();
    bool seen = false;
    for (size_t k = 0; k < i && !seen; ++k) {
      seen = std::strcmp(plan.delegates()->Get(k)->id()->c_str(), name) == 0;
    }
    if (!seen && (*count)++ == index) {
      return name;
    }
  }
  return nullptr;
}

}  // namespace

Span<const int32_t> TensorInfo::sizes() const {
  return {tensor_->sizes()->data(), tensor_->sizes()->size()};
}

Span<const uint8_t> TensorInfo::dim_order() const {
  return {tensor_->dim_order()->data(), tensor_->dim_order()->size()};
}

aten::ScalarType TensorInfo::scalar_type() const {
  return static_cast<aten::ScalarType>(tensor_->scalar_type());
}

bool TensorInfo::is_memory_planned() const {
  return tensor_->allocation_info() != nullptr ||
         tensor_->data_buffer_idx() != 0;
}

std::string_view TensorInfo::name() const {
  return has_name(*tensor_)
             ? tensor_->extra_tensor_info()->fully_qualified_name()->c_str()
             : std::string_view();
}

const char* MethodMeta::name() const { return plan_->name()->c_str(); }

size_t MethodMeta::num_inputs() const { return length(plan_->inputs()); }

Result<Tag> MethodMeta::input_tag(size_t index) const {
  ET_ASSIGN_OR_RETURN(value, value_at(*plan_, plan_->inputs(), index, "input"));
  return tag_of(*value);
}

Result<TensorInfo> MethodMeta::input_tensor_meta(size_t index) const {
  ET_ASSIGN_OR_RETURN(tensor,
                      tensor_at(*plan_, plan_->inputs(), index, "input"));
  return TensorInfo(tensor, format::tensor_nbytes(*tensor));
}

size_t MethodMeta::num_outputs() const { return length(plan_->outputs()); }

Result<Tag> MethodMeta::output_tag(size_t index) const {
  ET_ASSIGN_OR_RETURN(value,
                      value_at(*plan_, plan_->outputs(), index, "output"));
  return tag_of(*value);
}

Result<TensorInfo> MethodMeta::output_tensor_meta(size_t index) const {
  ET_ASSIGN_OR_RETURN(tensor,
                      tensor_at(*plan_, plan_->outputs(), index, "output"));
  return TensorInfo(tensor, format::tensor_nbytes(*tensor));
}

size_t MethodMeta::num_attributes() const {
  size_t count = 0;
  find_attribute(*plan_, SIZE_MAX, &count);
  return count;
}

Result<TensorInfo> MethodMeta::attribute_tensor_meta(size_t index) const {
  size_t count = 0;
  const fb::Tensor* tensor = find_attribute(*plan_, index, &count);
  ET_CHECK_OR_RETURN_ERROR(tensor != nullptr, InvalidArgument,
                           "attribute %zu of %zu does not exist", index, count);
  return TensorInfo(tensor, format::tensor_nbytes(*tensor));
}

size_t MethodMeta::num_memory_planned_buffers() const {
  const size_t sizes = length(plan_->non_const_buffer_sizes());
  return sizes < kFirstMemoryId ? 0 : sizes - kFirstMemoryId;
}

Result<int64_t> MethodMeta::memory_planned_buffer_size(size_t index) const {
  ET_CHECK_OK_OR_RETURN_ERROR(
      check_index(index, num_memory_planned_buffers(), "planned buffer"));
  return plan_->non_const_buffer_sizes()->Get(index + kFirstMemoryId);
}

Result<etensor::Device> MethodMeta::memory_planned_buffer_device(
    size_t index) const {
  ET_CHECK_OK_OR_RETURN_ERROR(
      check_index(index, num_memory_planned_buffers(), "planned buffer"));
  const auto* devices = plan_->non_const_buffer_device();
  for (size_t i = 0; i < length(devices); ++i) {
    const fb::NonConstBufferDevice* device = devices->Get(i);
    if (static_cast<int64_t>(index + kFirstMemoryId) == device->buffer_idx()) {
      return etensor::Device(
          static_cast<etensor::DeviceType>(device->device_type()),
          device->device_index());
    }
  }
  return etensor::Device(etensor::DeviceType::CPU, 0);
}

bool MethodMeta::uses_backend(const char* backend_name) const {
  const auto* delegates = plan_->delegates();
  for (size_t i = 0; backend_name != nullptr && i < length(delegates); ++i) {
    if (std::strcmp(delegates->Get(i)->id()->c_str(), backend_name) == 0) {
      return true;
    }
  }
  return false;
}

size_t MethodMeta::num_backends() const {
  size_t count = 0;
  find_backend(*plan_, SIZE_MAX, &count);
  return count;
}

Result<const char*> MethodMeta::get_backend_name(size_t index) const {
  size_t count = 0;
  const char* name = find_backend(*plan_, index, &count);
  ET_CHECK_OR_RETURN_ERROR(name != nullptr, InvalidArgument,
                           "backend %zu of %zu does not exist", index, count);
  return name;
}

size_t MethodMeta::num_instructions() const {
  size_t count = 0;
  for (const fb::Chain* chain : *plan_->chains()) {
    count += chain->instructions()->size();
  }
  return count;
}

}  // namespace runtime
}  // namespace executorch
