#include "test/support/op_call.h"

#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "test/support/numbers.h"

namespace executorch::test {
namespace {

using aten::Tensor;
using nlohmann::json;
using runtime::BoxedEvalueList;
using runtime::EValue;

constexpr uint8_t kCanary = 0xC3;
constexpr uint8_t kGarbage = 0x5A;

// JSON has no infinities: they are the strings "inf", "-inf" and "nan".
double real(const json& value) {
  return value.is_string()
             ? std::strtod(value.get<std::string>().c_str(), nullptr)
             : value.get<double>();
}

// A boxed list: values, pointers to them, and room for the unboxed elements.
template <class T>
class BoxedList {
 public:
  explicit BoxedList(size_t capacity)
      : room_(std::malloc((capacity + 1) * sizeof(T))) {
    values_.reserve(capacity);
    for (size_t i = 0; i < capacity; ++i) {
      new (static_cast<T*>(room_.get()) + i) T(placeholder());
    }
  }
  void push(EValue value) {
    values_.push_back(std::move(value));
    pointers_.push_back(&values_.back());
  }
  EValue box() {
    pointers_.push_back(nullptr);  // an empty list has an address too
    list_.emplace(pointers_.data(), static_cast<T*>(room_.get()),
                  static_cast<int>(values_.size()));
    return EValue(&*list_);
  }

 private:
  static T placeholder() {
    if constexpr (std::is_same_v<T, Tensor>) {
      return Tensor(nullptr);
    } else {
      return T{};
    }
  }
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  std::unique_ptr<void, Free> room_;
  std::vector<EValue> values_;
  std::vector<EValue*> pointers_;
  std::optional<BoxedEvalueList<T>> list_;
};

}  // namespace

struct OpCall::Lists {
  std::deque<std::string> strings;
  std::deque<aten::ArrayRef<char>> string_refs;
  std::deque<std::vector<double>> doubles;
  std::deque<aten::ArrayRef<double>> double_refs;
  std::deque<std::unique_ptr<bool[]>> bools;
  std::deque<aten::ArrayRef<bool>> bool_refs;
  std::deque<BoxedList<int64_t>> ints;
  std::deque<BoxedList<Tensor>> tensors;
  std::deque<BoxedList<std::optional<Tensor>>> optional_tensors;
};

void GuardedTensor::Free::operator()(uint8_t* block) const { std::free(block); }

GuardedTensor::GuardedTensor(const json& description, const Bytes* raw)
    : sizes_(description["shape"].get<std::vector<aten::SizesType>>()),
      order_(description["order"].get<std::vector<aten::DimOrderType>>()),
      strides_(sizes_.size()) {
  const DType dtype = dtype_by_name(description["dtype"]);
  aten::StridesType step = 1;
  bytes_ = dtype.size;
  for (size_t i = order_.size(); i-- > 0;) {
    strides_[order_[i]] = step;
    step *= std::max(sizes_[order_[i]], 1);
    bytes_ *= static_cast<size_t>(sizes_[order_[i]]);
  }
  room_ = (bytes_ + 63) / 64 * 64;
  block_.reset(
      static_cast<uint8_t*>(std::aligned_alloc(64, room_ + 2 * kGuard)));
  std::memset(block_.get(), kCanary, room_ + 2 * kGuard);
  if (raw == nullptr) {
    before_.assign(bytes_, kGarbage);
  } else {
    const size_t at = description["at"];
    if (description["nbytes"] != bytes_ || at + bytes_ > raw->size()) {
      throw std::runtime_error("a tensor does not fit its bytes");
    }
    before_.assign(raw->begin() + at, raw->begin() + at + bytes_);
  }
  std::copy(before_.begin(), before_.end(), data());
  const bool bounded = description.value("dyn", "static") == "bounded";
  impl_.emplace(dtype.type, static_cast<ssize_t>(sizes_.size()), sizes_.data(),
                data(), order_.data(), strides_.data(),
                bounded ? aten::TensorShapeDynamism::DYNAMIC_BOUND
                        : aten::TensorShapeDynamism::STATIC);
}

bool GuardedTensor::guards_intact() const {
  const auto intact = [&](size_t begin, size_t end) {
    return std::all_of(block_.get() + begin, block_.get() + end,
                       [](uint8_t byte) { return byte == kCanary; });
  };
  return intact(0, kGuard) && intact(kGuard + bytes_, room_ + 2 * kGuard);
}

bool GuardedTensor::unchanged() const {
  return std::equal(before_.begin(), before_.end(), data());
}

OpCall::OpCall(const json& call, const Bytes& raw)
    : call_(call), raw_(raw), lists_(new Lists) {
  EValue* out = nullptr;
  size_t outs = 0;
  for (const json& argument : call["args"]) {
    tensors_.emplace_back();
    add(argument);
    stack_.push_back(&values_.back());
    const std::string& kind = argument["kind"].get_ref<const std::string&>();
    if (kind == "out" || kind == "outs") {
      out = &values_.back();
      ++outs;
    }
  }
  // A program passes one slot more for the returned value; the value returned
  // by an operator with one out argument is that argument.
  if (!call.contains("exact_stack")) {
    stack_.push_back(outs == 1 ? out : &returned_);
  }
}

OpCall::~OpCall() = default;

EValue OpCall::tensor(const json& description, bool input, bool may_change) {
  memory_.push_back(
      {GuardedTensor(description, input ? &raw_ : nullptr), may_change});
  tensors_.back().push_back(&memory_.back().tensor);
  return EValue(Tensor(memory_.back().tensor.impl()));
}

void OpCall::add(const json& argument) {
  const std::string& kind = argument["kind"].get_ref<const std::string&>();
  Lists& keep = *lists_;
  if (kind == "none") {
    values_.emplace_back();
  } else if (kind == "int") {
    values_.emplace_back(argument["v"].get<int64_t>());
  } else if (kind == "float") {
    values_.emplace_back(real(argument["v"]));
  } else if (kind == "bool") {
    values_.emplace_back(argument["v"].get<bool>());
  } else if (kind == "str") {
    const std::string& text = keep.strings.emplace_back(argument["v"]);
    values_.emplace_back(
        &keep.string_refs.emplace_back(text.data(), text.size()));
  } else if (kind == "ints") {
    auto& list = keep.ints.emplace_back(argument["v"].size());
    for (const json& item : argument["v"]) {
      list.push(EValue(item.get<int64_t>()));
    }
    values_.push_back(list.box());
  } else if (kind == "floats") {
    auto& list = keep.doubles.emplace_back();
    for (const json& item : argument["v"]) {
      list.push_back(real(item));
    }
    values_.emplace_back(
        &keep.double_refs.emplace_back(list.data(), list.size()));
  } else if (kind == "bools") {
    const size_t count = argument["v"].size();
    auto& list = keep.bools.emplace_back(new bool[count + 1]);
    std::copy(argument["v"].begin(), argument["v"].end(), list.get());
    values_.emplace_back(&keep.bool_refs.emplace_back(list.get(), count));
  } else if (kind == "tensor" || kind == "inout" || kind == "out") {
    values_.push_back(tensor(argument, kind != "out", kind != "tensor"));
  } else if (kind == "tensors" || kind == "outs") {
    auto& list = keep.tensors.emplace_back(argument["items"].size());
    for (const json& item : argument["items"]) {
      list.push(tensor(item, kind == "tensors", kind == "outs"));
    }
    values_.push_back(list.box());
  } else if (kind == "opt_tensors") {
    auto& list = keep.optional_tensors.emplace_back(argument["items"].size());
    for (const json& item : argument["items"]) {
      list.push(item.is_null() ? EValue() : tensor(item, true, false));
    }
    values_.push_back(list.box());
  } else {
    throw std::runtime_error("unknown argument kind " + kind);
  }
}

std::string OpCall::damage(bool failed) const {
  for (const Memory& memory : memory_) {
    if (!memory.tensor.guards_intact()) {
      return "wrote outside of a tensor";
    }
    if ((failed || !memory.may_change) && !memory.tensor.unchanged()) {
      return memory.may_change ? "failed, but changed an output"
                               : "changed an input";
    }
  }
  return "";
}

std::string OpCall::run() {
  const std::string name = call_["op"];
  auto kernel = runtime::get_op_function_from_registry(name.c_str());
  if (!kernel.ok()) {
    return "no kernel is registered";
  }
  extension::MallocMemoryAllocator temp;
  runtime::KernelRuntimeContext context(nullptr, &temp);
  (*kernel)(context, {stack_.data(), stack_.size()});

  const runtime::Error error = context.failure_state();
  const std::string harm = damage(error != runtime::Error::Ok);
  if (!harm.empty()) {
    return harm;
  }
  if (call_["expect"] == "error") {
    return error == runtime::Error::Ok ? "succeeded, an error was expected"
                                       : "";
  }
  if (error != runtime::Error::Ok) {
    return std::string("failed with ") + runtime::to_string(error);
  }
  for (const json& expected : call_["outs"]) {
    const std::string fault = compare(expected);
    if (!fault.empty()) {
      return "result " + std::to_string(expected.value("arg", -1)) + ": " +
             fault;
    }
  }
  return "";
}

std::string OpCall::compare(const json& expected) {
  if (expected.contains("kind")) {  // the returned value, not a tensor
    const std::string& kind = expected["kind"].get_ref<const std::string&>();
    const json& value = expected["v"];
    const bool right =
        kind == "int" ? returned_.isInt() && returned_.toInt() == value
        : kind == "bool"
            ? returned_.isBool() && returned_.toBool() == value
            : returned_.isDouble() &&
                  close(returned_.toDouble(), real(value), {1e-12, 0});
    return right ? "" : "the returned value differs, expected " + value.dump();
  }
  const DType dtype = dtype_by_name(expected["dtype"]);
  const size_t arg = expected["arg"];
  const size_t item = expected.value("item", size_t{0});
  const aten::TensorImpl& got = *tensors_.at(arg).at(item)->impl();
  if (got.scalar_type() != dtype.type) {
    return "the dtype differs";
  }
  const auto shape = expected["shape"].get<std::vector<aten::SizesType>>();
  const std::vector<aten::SizesType> sizes(got.sizes().begin(),
                                           got.sizes().end());
  if (sizes != shape) {
    return "the shape is " + json(sizes).dump() + ", expected " +
           expected["shape"].dump();
  }
  const std::string& rule = expected["cmp"].get_ref<const std::string&>();
  if (rule == "shape") {
    return "";
  }
  const auto count = static_cast<size_t>(got.numel());
  return compare_elements(
      dtype.type, got.data(), raw_.data() + expected["at"].get<size_t>(), count,
      {expected.value("rtol", 0.0), expected.value("atol", 0.0)},
      rule == "uniform"  ? Rule::uniform
      : rule == "finite" ? Rule::finite
                         : Rule::close);
}

}  // namespace executorch::test
