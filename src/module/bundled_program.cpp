#include <executorch/devtools/bundled_program/bundled_program.h>
#include <executorch/extension/tensor/tensor_ptr.h>
#include <executorch/runtime/core/event_tracer_hooks.h>

#include <algorithm>
#include <cmath>

#include "src/format/bundled_program_file.h"
#include "src/module/bundled_test.h"
#include "src/module/elements.h"

namespace executorch::bundled_program {

namespace bp = ::bundled_program_flatbuffer;
using format::find_test;
using runtime::Error;
using runtime::EValue;
using runtime::Method;
using runtime::Result;

namespace {

// A value of a test; a tensor refers to the file.
Result<EValue> to_evalue(const bp::Value* value, size_t index) {
  ET_CHECK_OK_OR_RETURN_ERROR(format::check_value(value, index));
  switch (value->val_type()) {
    case bp::ValueUnion::Int:
      return EValue(value->val_as_Int()->int_val());
    case bp::ValueUnion::Bool:
      return EValue(value->val_as_Bool()->bool_val());
    case bp::ValueUnion::Double:
      return EValue(value->val_as_Double()->double_val());
    default:
      break;
  }
  const bp::Tensor& tensor = *value->val_as_Tensor();
  std::vector<aten::SizesType> sizes;
  std::vector<aten::DimOrderType> order;
  if (tensor.sizes() != nullptr) {
    sizes.assign(tensor.sizes()->begin(), tensor.sizes()->end());
  }
  if (tensor.dim_order() != nullptr) {
    order.assign(tensor.dim_order()->begin(), tensor.dim_order()->end());
  }
  // Methods do not write to inputs they did not copy.
  void* data = tensor.data() == nullptr
                   ? nullptr
                   : const_cast<uint8_t*>(tensor.data()->data());
  ET_ASSIGN_OR_RETURN(made,
                      extension::try_make_tensor_ptr(
                          std::move(sizes), data, std::move(order), {},
                          static_cast<aten::ScalarType>(tensor.scalar_type())));
  return EValue(made);
}

Result<std::vector<EValue>> to_evalues(
    const flatbuffers::Vector<flatbuffers::Offset<bp::Value>>* values) {
  std::vector<EValue> result;
  for (size_t i = 0; values != nullptr && i < values->size(); ++i) {
    ET_ASSIGN_OR_RETURN(value,
                        to_evalue(values->Get(static_cast<uint32_t>(i)), i));
    result.push_back(std::move(value));
  }
  return result;
}

// What is learned from comparing elements.
struct Differences {
  double rtol = 0;
  double atol = 0;
  bool close = true;
  size_t count = 0;
  double sum_absolute = 0, max_absolute = 0;
  double sum_relative = 0, max_relative = 0;

  void add(double output, double expected) {
    ++count;
    if (output == expected || (std::isnan(output) && std::isnan(expected))) {
      return;
    }
    const double absolute = std::abs(output - expected);
    const double scale = std::abs(expected);
    const double relative = scale == 0 ? absolute : absolute / scale;
    close = close && absolute <= atol + rtol * scale;
    sum_absolute += absolute;
    sum_relative += relative;
    max_absolute = std::max(max_absolute, absolute);
    max_relative = std::max(max_relative, relative);
  }
};

double element(const aten::Tensor& tensor, size_t index) {
  size_t offset = 0;
  for (size_t d = static_cast<size_t>(tensor.dim()); d-- > 0;) {
    const auto size = static_cast<size_t>(tensor.size(d));
    offset += index % size * static_cast<size_t>(tensor.strides()[d]);
    index /= size;
  }
  double value = 0;
  extension::internal::convert(
      tensor.scalar_type(),
      static_cast<const char*>(tensor.const_data_ptr()) +
          offset * static_cast<size_t>(tensor.element_size()),
      aten::ScalarType::Double, &value, 1);
  return value;
}

Error compare_tensors(const aten::Tensor& output, const aten::Tensor& expected,
                      size_t index, Differences& differences) {
  ET_CHECK_OR_RETURN_ERROR(output.scalar_type() == expected.scalar_type() &&
                               output.sizes() == expected.sizes(),
                           InvalidArgument,
                           "output %zu has another dtype or shape than the "
                           "test expects",
                           index);
  ET_CHECK_OR_RETURN_ERROR(
      extension::internal::holds_numbers(output.scalar_type()), NotSupported,
      "output %zu has dtype %s, which cannot be compared", index,
      runtime::toString(output.scalar_type()));
  const auto count = static_cast<size_t>(output.numel());
  ET_CHECK_OR_RETURN_ERROR(count == 0 || output.const_data_ptr() != nullptr,
                           InvalidState, "output %zu has no data: run first",
                           index);
  for (size_t i = 0; i < count; ++i) {
    differences.add(element(output, i), element(expected, i));
  }
  return Error::Ok;
}

double number(const EValue& value) {
  return value.isInt()    ? static_cast<double>(value.toInt())
         : value.isBool() ? static_cast<double>(value.toBool())
                          : value.toDouble();
}

Error compare(const std::vector<EValue>& outputs,
              const bp::BundledMethodTestCase& test, Differences& differences) {
  ET_ASSIGN_OR_RETURN(expected, to_evalues(test.expected_outputs()));
  ET_CHECK_OR_RETURN_ERROR(!expected.empty(), NotSupported,
                           "the test has no expected outputs");
  ET_CHECK_OR_RETURN_ERROR(expected.size() == outputs.size(), InvalidArgument,
                           "the test has %zu outputs, the method %zu",
                           expected.size(), outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    ET_CHECK_OR_RETURN_ERROR(outputs[i].tag == expected[i].tag, InvalidArgument,
                             "output %zu is of another kind than the test "
                             "expects",
                             i);
    if (outputs[i].isTensor()) {
      ET_CHECK_OK_OR_RETURN_ERROR(compare_tensors(
          outputs[i].toTensor(), expected[i].toTensor(), i, differences));
    } else {
      differences.add(number(outputs[i]), number(expected[i]));
    }
  }
  return Error::Ok;
}

Result<std::vector<EValue>> outputs_of(Method& method) {
  std::vector<EValue> outputs(method.outputs_size());
  ET_CHECK_OK_OR_RETURN_ERROR(
      method.get_outputs(outputs.data(), outputs.size()));
  return outputs;
}

Result<Differences> stats(Method& method, SerializedBundledProgram* bundle,
                          size_t index) {
  ET_ASSIGN_OR_RETURN(test,
                      find_test(bundle, method.method_meta().name(), index));
  ET_ASSIGN_OR_RETURN(outputs, outputs_of(method));
  Differences differences;
  ET_CHECK_OK_OR_RETURN_ERROR(compare(outputs, *test, differences));
  return differences;
}

}  // namespace

bool is_bundled_program(void* file_data, size_t file_data_len) {
  return file_data != nullptr &&
         format::is_bundled_program(
             {static_cast<const uint8_t*>(file_data), file_data_len});
}

Error get_program_data(void* file_data, size_t file_data_len,
                       const void** out_program_data,
                       size_t* out_program_data_len) {
  ET_CHECK_OR_RETURN_ERROR(file_data != nullptr &&
                               out_program_data != nullptr &&
                               out_program_data_len != nullptr,
                           InvalidArgument, "a pointer is null");
  ET_ASSIGN_OR_RETURN(
      bundle, format::verify_bundled_program(
                  {static_cast<const uint8_t*>(file_data), file_data_len}));
  *out_program_data = bundle->program()->data();
  *out_program_data_len = bundle->program()->size();
  return Error::Ok;
}

Result<std::vector<EValue>> bundled_inputs(SerializedBundledProgram* bundle,
                                           const char* method, size_t index) {
  ET_ASSIGN_OR_RETURN(test, find_test(bundle, method, index));
  return to_evalues(test->inputs());
}

Error load_bundled_input(Method& method,
                         SerializedBundledProgram* bundled_program_ptr,
                         size_t testset_idx) {
  ET_ASSIGN_OR_RETURN(
      inputs, bundled_inputs(bundled_program_ptr, method.method_meta().name(),
                             testset_idx));
  ET_CHECK_OK_OR_RETURN_ERROR(
      method.set_inputs({inputs.data(), inputs.size()}));
  runtime::internal::event_tracer_set_bundled_input_index(
      method.get_event_tracer(), static_cast<int>(testset_idx));
  return Error::Ok;
}

ErrorStats compute_method_output_error_stats(
    Method& method, SerializedBundledProgram* bundled_program_ptr,
    size_t testset_idx) {
  const auto found = stats(method, bundled_program_ptr, testset_idx);
  if (!found.ok()) {
    return {found.error(), 0, 0, 0, 0};
  }
  const double count = static_cast<double>(std::max<size_t>(found->count, 1));
  return {Error::Ok, found->sum_absolute / count, found->max_absolute,
          found->sum_relative / count, found->max_relative};
}

Error verify_outputs(const std::vector<EValue>& outputs,
                     SerializedBundledProgram* bundle, const char* method,
                     size_t index, double rtol, double atol) {
  ET_ASSIGN_OR_RETURN(test, find_test(bundle, method, index));
  Differences differences;
  differences.rtol = rtol;
  differences.atol = atol;
  ET_CHECK_OK_OR_RETURN_ERROR(compare(outputs, *test, differences));
  ET_CHECK_OR_RETURN_ERROR(
      differences.close, NotFound,
      "outputs of method %s differ from test %zu by up to %g (relative %g), "
      "allowed are %g and %g",
      method, index, differences.max_absolute, differences.max_relative, atol,
      rtol);
  return Error::Ok;
}

Error verify_method_outputs(Method& method,
                            SerializedBundledProgram* bundled_program_ptr,
                            size_t testset_idx, double rtol, double atol) {
  ET_ASSIGN_OR_RETURN(outputs, outputs_of(method));
  return verify_outputs(outputs, bundled_program_ptr,
                        method.method_meta().name(), testset_idx, rtol, atol);
}

}  // namespace executorch::bundled_program
