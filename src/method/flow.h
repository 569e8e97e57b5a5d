// What the instructions of a method do to its values, as far as that can be
// known without running them.
#pragma once

#include <executorch/runtime/core/error.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/method/plan.h"

namespace executorch::method {

// The two operators that do not follow the calling convention of all others,
// but write through a tensor which is no out argument.
constexpr char kViewOperator[] = "executorch_prim::et_view.default";
constexpr char kCopyIndexOperator[] = "executorch_prim::et_copy_index.tensor";

class Flow {
 public:
  // Refuses a method that writes to constants.
  runtime::Error build(const Plan& plan,
                       const std::vector<const registry::Op*>& ops);

  // Some instruction may change the value: a number that is computed, or the
  // elements of a tensor that is the result of a kernel.
  bool is_written(size_t value) const { return has(value, kWritten); }

  // Some instruction makes the value refer to another tensor or other memory.
  bool is_rebound(size_t value) const { return has(value, kRebound); }

  // The bytes of the tensor may be constants of the program, by itself or
  // through a move or view.
  bool may_be_constant(size_t value) const { return has(value, kConstant); }

 private:
  enum Fact : uint8_t { kWritten = 1, kRebound = 2, kConstant = 4 };
  // A tensor that becomes visible through another value.
  struct Alias {
    size_t from;
    size_t to;
  };

  bool has(size_t value, Fact fact) const {
    return (facts_[value] & fact) != 0;
  }
  void note_call(const Plan& plan, const Instruction& instruction,
                 const fb::KernelCall& call, const registry::Op* op);
  void spread_constants();

  std::vector<uint8_t> facts_;  // by value
  std::vector<Alias> aliases_;
  std::vector<size_t> results_;  // tensors that kernels write to
};

// Calls visit(context, value) for a value and, if it is a list of values, for
// each of them.
void visit_elements(const fb::ExecutionPlan& tables, size_t value,
                    void (*visit)(const void* context, size_t value),
                    const void* context);

template <class F>
void for_each_element(const fb::ExecutionPlan& tables, size_t value,
                      const F& f) {
  visit_elements(
      tables, value,
      [](const void* context, size_t element) {
        (*static_cast<const F*>(context))(element);
      },
      &f);
}

}  // namespace executorch::method
