// One call of a boxed operator as the operator corpus describes it (see
// test/data/ops/FORMAT.md): builds the arguments in guarded memory, calls, and
// says what is wrong with the outcome.
#pragma once

#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/kernel/operator_registry.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace executorch::test {

using Bytes = std::vector<uint8_t>;

// A tensor whose memory has a guard on both sides.
class GuardedTensor {
 public:
  // With `raw` the bytes come from there, else the tensor holds garbage.
  GuardedTensor(const nlohmann::json& description, const Bytes* raw);

  aten::TensorImpl* impl() { return &*impl_; }
  bool guards_intact() const;
  bool unchanged() const;

 private:
  uint8_t* data() { return block_.get() + kGuard; }
  const uint8_t* data() const { return block_.get() + kGuard; }

  static constexpr size_t kGuard = 64;
  struct Free {
    void operator()(uint8_t* block) const;
  };
  std::vector<aten::SizesType> sizes_;
  std::vector<aten::DimOrderType> order_;
  std::vector<aten::StridesType> strides_;
  size_t bytes_ = 0;
  size_t room_ = 0;
  std::unique_ptr<uint8_t, Free> block_;
  Bytes before_;
  std::optional<aten::TensorImpl> impl_;
};

class OpCall {
 public:
  OpCall(const nlohmann::json& call, const Bytes& raw);
  ~OpCall();

  // Calls the operator; an empty string, or what is wrong.
  std::string run();

  // The arguments as a kernel takes them.
  runtime::Span<runtime::EValue*> stack() {
    return {stack_.data(), stack_.size()};
  }

 private:
  struct Lists;

  void add(const nlohmann::json& argument);
  runtime::EValue tensor(const nlohmann::json& description, bool input,
                         bool may_change);
  std::string damage(bool failed) const;
  std::string compare(const nlohmann::json& expected);

  const nlohmann::json& call_;
  const Bytes& raw_;
  struct Memory {
    GuardedTensor tensor;
    bool may_change;
  };
  std::deque<Memory> memory_;
  std::vector<std::vector<GuardedTensor*>> tensors_;  // of each argument
  std::deque<runtime::EValue> values_;
  std::vector<runtime::EValue*> stack_;
  runtime::EValue returned_;
  std::unique_ptr<Lists> lists_;
};

}  // namespace executorch::test
