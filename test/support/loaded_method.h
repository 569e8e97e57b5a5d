// A method of a program made by a test, with the memory it lives in.
#pragma once

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/runtime/executor/program.h>

#include <memory>
#include <optional>
#include <vector>

#include "test/support/method_memory.h"
#include "test/support/program_model.h"

namespace executorch::test {

// How to load it, besides the program.
struct LoadOptions {
  runtime::EventTracer* tracer = nullptr;
  const runtime::NamedDataMap* data_map = nullptr;
  std::vector<runtime::Kernel> kernels;
};

class LoadedMethod {
 public:
  LoadedMethod(const ProgramModel& model, const LoadOptions& options)
      : file_(write_program(model)),
        loader_(file_.data(), file_.size()),
        program_(runtime::Program::load(&loader_)) {
    if (!program_.ok()) {
      error_ = program_.error();
      return;
    }
    memory_.emplace(program_->method_meta("forward").get());
    auto method = program_->load_method(
        "forward", memory_->manager(), options.tracer, options.data_map,
        nullptr, {options.kernels.data(), options.kernels.size()});
    error_ = method.error();
    if (method.ok()) {
      method_.emplace(std::move(*method));
    }
  }

  runtime::Error error() const { return error_; }
  runtime::Method& method() { return *method_; }
  runtime::Method* operator->() { return &*method_; }
  MethodMemory& memory() { return *memory_; }
  const runtime::Program& program() const { return *program_; }

 private:
  FileBytes file_;
  extension::BufferDataLoader loader_;
  runtime::Result<runtime::Program> program_;
  std::optional<MethodMemory> memory_;
  std::optional<runtime::Method> method_;
  runtime::Error error_ = runtime::Error::Ok;
};

// A float tensor with memory of its own.
class OwnedTensor {
 public:
  OwnedTensor(std::vector<int32_t> sizes, std::vector<float> data,
              std::vector<uint8_t> order = {})
      : sizes_(std::move(sizes)),
        order_(std::move(order)),
        strides_(sizes_.size()),
        data_(std::move(data)),
        impl_(aten::ScalarType::Float, static_cast<ssize_t>(sizes_.size()),
              sizes_.data(), data_.data(), make_order(), make_strides()) {}
  OwnedTensor(const OwnedTensor&) = delete;
  OwnedTensor& operator=(const OwnedTensor&) = delete;

  aten::Tensor tensor() { return aten::Tensor(&impl_); }
  operator runtime::EValue() { return runtime::EValue(tensor()); }
  std::vector<float>& data() { return data_; }
  aten::TensorImpl& impl() { return impl_; }

 private:
  uint8_t* make_order() {
    for (size_t i = order_.size(); i < sizes_.size(); ++i) {
      order_.push_back(static_cast<uint8_t>(i));
    }
    return order_.data();
  }
  int32_t* make_strides() {
    make_order();
    int32_t stride = 1;
    for (size_t i = sizes_.size(); i-- > 0;) {
      strides_[order_[i]] = stride;
      stride *= sizes_[order_[i]];
    }
    return strides_.data();
  }

  std::vector<int32_t> sizes_;
  std::vector<uint8_t> order_;
  std::vector<int32_t> strides_;
  std::vector<float> data_;
  aten::TensorImpl impl_;
};

// The elements of a float tensor in memory order.
inline std::vector<float> floats(const runtime::EValue& value) {
  const aten::Tensor& tensor = value.toTensor();
  const float* first = tensor.const_data_ptr<float>();
  return {first, first + tensor.numel()};
}

}  // namespace executorch::test
