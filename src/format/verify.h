// What the steps of verify_program() share.
#pragma once

#include <executorch/runtime/core/error.h>

#include <cstddef>
#include <cstdint>

#include "src/format/program_file.h"

namespace executorch::format {

// Many tables of a flatbuffer may share one vector, so that a small file could
// stand for a huge program. Real files share little: the sum of the lengths
// that are read may be a few times the size of the file.
class Budget {
 public:
  explicit Budget(size_t file_size) : left_(4 * file_size + 4096) {}
  bool take(size_t amount) {
    if (amount > left_) {
      return false;
    }
    left_ -= amount;
    return true;
  }

 private:
  size_t left_;
};

// One method while it is checked.
struct PlanCheck {
  const fb::Program& program;
  const fb::ExecutionPlan& plan;
  Budget& budget;

  const char* name() const { return plan.name()->c_str(); }
  size_t num_values() const { return length(plan.values()); }
  // Whether a number from the file is the index of a value.
  bool is_value(int64_t index) const {
    return index >= 0 && static_cast<uint64_t>(index) < num_values();
  }
};

// Values, inputs and outputs of the method.
runtime::Error verify_values(const PlanCheck& check);

// Operators, delegates and instructions of the method.
runtime::Error verify_code(const PlanCheck& check);

// Type, shape and, within the file, place of one tensor. `place` names it in
// the log.
runtime::Error verify_shape(const char* method, size_t value,
                            const fb::Tensor& tensor, size_t* nbytes);

}  // namespace executorch::format
