// Inputs and outputs: where they are, and how a caller's values become inputs.
#include "src/method/inputs.h"

#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "src/method/build.h"

namespace executorch::method {

using aten::ArrayRef;
using aten::DimOrderType;
using aten::SizesType;
using aten::StridesType;
using aten::Tensor;
using aten::TensorImpl;
using runtime::Error;
using runtime::kTensorDimensionLimit;
using runtime::Tag;

namespace {

// As an output, or by a move, which may make it one.
bool is_returned(const Plan& plan, size_t value) {
  const auto* outputs = plan.tables.outputs();
  for (size_t i = 0; i < format::length(outputs); ++i) {
    if (static_cast<size_t>(outputs->Get(i)) == value) {
      return true;
    }
  }
  return std::any_of(plan.code.begin(), plan.code.end(),
                     [&](const Instruction& instruction) {
                       return instruction.kind == Instruction::Kind::kMove &&
                              plan.index_of(instruction.args[0]) == value;
                     });
}

}  // namespace

Error make_inputs_and_outputs(Plan& plan, const Flow& flow) {
  const auto* inputs = plan.tables.inputs();
  const auto* outputs = plan.tables.outputs();
  ET_CHECK_OK_OR_RETURN_ERROR(make(plan, format::length(inputs), &plan.inputs));
  ET_CHECK_OK_OR_RETURN_ERROR(
      make(plan, format::length(outputs), &plan.outputs));
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    Input& input = plan.inputs[i];
    input.value = inputs->Get(i);
    input.stored = plan.tables.values()->Get(input.value);
    input.tensor = plan.tensors[input.value];
    input.is_set = input.tensor == nullptr;
    if (input.tensor != nullptr) {
      const fb::Tensor& stored = *input.stored->val_as_Tensor();
      ET_CHECK_OR_RETURN_ERROR(!is_constant_data(stored), InvalidProgram,
                               "input %zu has constant data", i);
      input.planned_data = input.tensor->mutable_data();
    }
    input.is_returned = is_returned(plan, input.value);
  }
  find_bindable_inputs(plan, flow);
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    Output& output = plan.outputs[i];
    output.value = outputs->Get(i);
    const TensorImpl* tensor = plan.tensors[output.value];
    const bool is_input =
        std::any_of(plan.inputs.begin(), plan.inputs.end(),
                    [&](const Input& in) { return in.tensor == tensor; });
    if (tensor != nullptr && tensor->data() == nullptr && !is_input &&
        !flow.is_rebound(output.value)) {
      output.wanted_bytes = tensor_nbytes(
          *plan.tables.values()->Get(output.value)->val_as_Tensor());
    }
  }
  return Error::Ok;
}

namespace {

// Strides of a tensor; its own if it has them.
struct Strides {
  explicit Strides(const Tensor& tensor) {
    const auto own = tensor.strides();
    const auto order = tensor.dim_order();
    int64_t stride = 1;
    for (size_t i = static_cast<size_t>(tensor.dim()); i-- > 0;) {
      const size_t dim = order.data() == nullptr ? i : order[i];
      items[dim] = own.data() == nullptr ? stride : own[dim];
      stride *= tensor.size(static_cast<ssize_t>(dim));
    }
  }
  int64_t items[kTensorDimensionLimit];
};

// Whether elements are at the same places. Dimensions of size 1 do not matter.
bool same_layout(const Tensor& a, const Strides& a_strides,
                 const Strides& b_strides) {
  for (ssize_t i = 0; i < a.dim(); ++i) {
    if (a.size(i) > 1 && a_strides.items[i] != b_strides.items[i]) {
      return false;
    }
  }
  return true;
}

// Bytes from the first to behind the last element.
size_t extent(const Tensor& tensor, const Strides& strides) {
  int64_t last = 0;
  for (ssize_t i = 0; i < tensor.dim(); ++i) {
    last += (tensor.size(i) - 1) * strides.items[i];
  }
  return static_cast<size_t>((last + 1) * tensor.element_size());
}

bool overlap(const void* a, size_t a_size, const void* b, size_t b_size) {
  const auto* x = static_cast<const char*>(a);
  const auto* y = static_cast<const char*>(b);
  return x < y + b_size && y < x + a_size;
}

// Copies `from` to `to` element by element. Sizes are equal and not 0.
void rearrange(const Tensor& from, const Strides& from_strides,
               const Tensor& to, const Strides& to_strides, void* to_data) {
  const auto item = static_cast<size_t>(to.element_size());
  const ssize_t rank = to.dim();
  const auto* source = static_cast<const char*>(from.const_data_ptr());
  auto* target = static_cast<char*>(to_data);
  SizesType at[kTensorDimensionLimit] = {};
  int64_t source_offset = 0;
  int64_t target_offset = 0;
  while (true) {
    std::memcpy(target + target_offset * item, source + source_offset * item,
                item);
    ssize_t dim = rank - 1;
    for (; dim >= 0; --dim) {
      source_offset += from_strides.items[dim];
      target_offset += to_strides.items[dim];
      if (++at[dim] < to.size(dim)) {
        break;
      }
      source_offset -= at[dim] * from_strides.items[dim];
      target_offset -= at[dim] * to_strides.items[dim];
      at[dim] = 0;
    }
    if (dim < 0) {
      return;
    }
  }
}

Error check_tag(size_t index, Tag expected, Tag got) {
  ET_CHECK_OR_RETURN_ERROR(
      expected == got, InvalidArgument, "input %zu is a %s, expected a %s",
      index, runtime::tag_to_string(got), runtime::tag_to_string(expected));
  return Error::Ok;
}

// A value that the exporter specialised the method for.
Error check_stored(const Plan& plan, const EValue& value, size_t index) {
  const fb::EValue& stored = *plan.inputs[index].stored;
  Tag tag = Tag::None;
  bool same = true;
  char expected[32] = "";
  if (const auto* number = stored.val_as_Int()) {
    tag = Tag::Int;
    same = value.isInt() && value.toInt() == number->int_val();
    std::snprintf(expected, sizeof(expected), "%lld",
                  static_cast<long long>(number->int_val()));
  } else if (const auto* real = stored.val_as_Double()) {
    tag = Tag::Double;
    const double want = real->double_val();
    same = value.isDouble() &&
           (value.toDouble() == want ||
            (value.toDouble() != value.toDouble() && want != want));
    std::snprintf(expected, sizeof(expected), "%.17g", want);
  } else if (const auto* truth = stored.val_as_Bool()) {
    tag = Tag::Bool;
    same = value.isBool() && value.toBool() == truth->bool_val();
    std::snprintf(expected, sizeof(expected), "%s",
                  truth->bool_val() ? "true" : "false");
  } else if (const auto* text = stored.val_as_String()) {
    tag = Tag::String;
    same = value.isString() &&
           value.toString() == text->string_val()->string_view();
    std::snprintf(expected, sizeof(expected), "%.31s",
                  text->string_val()->c_str());
  } else {
    ET_CHECK_OR_RETURN_ERROR(stored.val_type() == fb::KernelTypes::Null,
                             NotSupported,
                             "input %zu is a list, which cannot be set", index);
  }
  ET_CHECK_OK_OR_RETURN_ERROR(check_tag(index, tag, value.tag));
  ET_CHECK_OR_RETURN_ERROR(
      same, InvalidArgument,
      "input %zu has another value than %s, for which the model was "
      "exported",
      index, expected);
  return Error::Ok;
}

Error check_tensor(const Plan& plan, const Tensor& tensor, size_t index) {
  const Input& input = plan.inputs[index];
  const fb::Tensor& stored = *input.stored->val_as_Tensor();
  ET_CHECK_OR_RETURN_ERROR(tensor.scalar_type() == input.tensor->scalar_type(),
                           InvalidArgument,
                           "input %zu has dtype %s, expected %s", index,
                           runtime::toString(tensor.scalar_type()),
                           runtime::toString(input.tensor->scalar_type()));
  ET_CHECK_OR_RETURN_ERROR(tensor.dim() == input.tensor->dim(), NotSupported,
                           "input %zu has %zd dimensions, expected %zd", index,
                           static_cast<ssize_t>(tensor.dim()),
                           static_cast<ssize_t>(input.tensor->dim()));
  const bool is_static =
      stored.shape_dynamism() == fb::TensorShapeDynamism::STATIC;
  for (ssize_t i = 0; i < tensor.dim(); ++i) {
    const int64_t got = tensor.size(i);
    const int64_t bound = stored.sizes()->Get(static_cast<uint32_t>(i));
    ET_CHECK_OR_RETURN_ERROR(
        is_static ? got == bound : got <= bound, NotSupported,
        "input %zu has size %lld in dimension %zd, expected %s%lld", index,
        static_cast<long long>(got), i, is_static ? "" : "at most ",
        static_cast<long long>(bound));
  }
  ET_CHECK_OR_RETURN_ERROR(
      tensor.numel() == 0 || tensor.const_data_ptr() != nullptr,
      InvalidArgument, "input %zu has %zd elements, but no data", index,
      static_cast<ssize_t>(tensor.numel()));
  return Error::Ok;
}

// Gives the input the sizes of `tensor`. Without a plan, the memory is the
// caller's and only as large as that: the input may not grow beyond it.
Error resize_input(Input& input, const Tensor& tensor) {
  TensorImpl& own = *input.tensor;
  if (own.shape_dynamism() == aten::TensorShapeDynamism::STATIC) {
    return Error::Ok;
  }
  if (input.planned_data != nullptr) {
    return runtime::resize_tensor(Tensor(&own), tensor.sizes());
  }
  const size_t rank = static_cast<size_t>(own.dim());
  auto* sizes = const_cast<SizesType*>(own.sizes().data());
  auto* order = const_cast<DimOrderType*>(own.dim_order().data());
  auto* strides = const_cast<StridesType*>(own.strides().data());
  std::copy_n(tensor.sizes().data(), rank, sizes);
  StridesType stride = 1;
  for (size_t i = rank; i-- > 0;) {
    strides[order[i]] = stride;
    stride = i > 0 ? stride * std::max(sizes[order[i]], 1) : stride;
  }
  new (&own) TensorImpl(own.scalar_type(), own.dim(), sizes, nullptr, order,
                        strides, own.shape_dynamism());
  return Error::Ok;
}

// Memory for an input that has none planned, or none that outlasts a run.
Error make_own_memory(Input& input, size_t index) {
  if (input.own == nullptr) {
    const size_t nbytes = tensor_nbytes(*input.stored->val_as_Tensor());
    input.own.reset(std::malloc(nbytes));
    ET_CHECK_OR_RETURN_ERROR(
        input.own != nullptr, MemoryAllocationFailed,
        "no memory for %zu bytes of input %zu, which has to be copied", nbytes,
        index);
  }
  return Error::Ok;
}

Error set_tensor(Plan& plan, const Tensor& tensor, size_t index, bool lend) {
  Input& input = plan.inputs[index];
  ET_CHECK_OK_OR_RETURN_ERROR(check_tensor(plan, tensor, index));
  input.is_set = false;
  ET_CHECK_OK_OR_RETURN_ERROR(resize_input(input, tensor));
  const Tensor own(input.tensor);
  plan.values[input.value] = EValue(own);  // a move may have replaced it
  void* data = const_cast<void*>(tensor.const_data_ptr());
  void* target = input.planned_data;
  input.ends_with_run = false;
  if (tensor.numel() > 0) {
    const Strides from(tensor);
    const Strides to(own);
    const bool can_refer =
        same_layout(tensor, from, to) &&
        reinterpret_cast<uintptr_t>(data) % own.element_size() == 0;
    const bool may_refer = target == nullptr ? !lend || !input.is_returned
                                             : lend && input.may_bind;
    if (can_refer && may_refer) {
      target = data;
      input.ends_with_run = lend;
      input.tensor->set_data(target);
      input.is_set = true;
      return Error::Ok;
    }
    if (target == nullptr || (input.may_bind && input.is_overwritten)) {
      ET_CHECK_OK_OR_RETURN_ERROR(make_own_memory(input, index));
      target = input.own.get();
    }
    if (same_layout(tensor, from, to)) {
      if (target != data) {
        std::memmove(target, data, own.nbytes());
      }
    } else {
      ET_CHECK_OR_RETURN_ERROR(
          !overlap(target, own.nbytes(), data, extent(tensor, from)),
          InvalidArgument,
          "input %zu is in another dim order than the program's and "
          "in the memory of the input itself",
          index);
      rearrange(tensor, from, own, to, target);
    }
  }
  input.tensor->set_data(target);
  input.is_set = true;
  return Error::Ok;
}

}  // namespace

Error set_input(Plan& plan, const EValue& value, size_t index, bool lend) {
  ET_CHECK_OR_RETURN_ERROR(index < plan.inputs.size(), InvalidArgument,
                           "input %zu does not exist, there are %zu", index,
                           plan.inputs.size());
  if (plan.inputs[index].tensor == nullptr) {
    ET_CHECK_OK_OR_RETURN_ERROR(check_stored(plan, value, index));
    if (!value.isString()) {
      plan.values[plan.inputs[index].value] = value;
    }
    return Error::Ok;
  }
  ET_CHECK_OK_OR_RETURN_ERROR(check_tag(index, Tag::Tensor, value.tag));
  return set_tensor(plan, value.toTensor(), index, lend);
}

void end_loans(Plan& plan) {
  for (Input& input : plan.inputs) {
    if (input.ends_with_run) {
      input.tensor->set_data(input.planned_data);
      input.ends_with_run = false;
      input.is_set = false;
    }
  }
}

}  // namespace executorch::method
