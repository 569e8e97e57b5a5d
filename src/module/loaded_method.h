// A method that a Module has loaded, with everything that must live as long.
#pragma once

#include <executorch/extension/tensor/tensor_ptr.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/executor/memory_manager.h>
#include <executorch/runtime/executor/method.h>

#include <memory>
#include <optional>
#include <vector>

#include "src/module/planned_memory.h"

namespace executorch::extension::internal {

class LoadedMethod {
 public:
  // What the method is loaded with. The Module fills it in, then sets `method`.
  std::unique_ptr<runtime::MemoryAllocator> own_allocator;
  std::unique_ptr<PlannedMemory> planned_memory;
  std::vector<runtime::Kernel> kernels;
  std::optional<runtime::MemoryManager> memory_manager;

  // Adopts the method, and finds the outputs that need memory.
  void adopt(runtime::Method&& loaded);
  runtime::Method& method() { return *method_; }

  runtime::Error set_input(const runtime::EValue& value, size_t index);
  // The same, but a tensor that the value owns is read where it is, in this run
  // and later ones.
  runtime::Error lend_input(const runtime::EValue& value, size_t index);
  runtime::Error set_output(runtime::EValue value, size_t index);
  void set_views(bool views) { views_ = views; }

  // Gives outputs memory that nobody else sees, and runs.
  runtime::Error run();

  // Output `index` of the last run.
  runtime::Result<runtime::EValue> output(size_t index);
  runtime::Result<std::vector<runtime::EValue>> outputs();

 private:
  struct Output {
    // The bytes to allocate when the program does not plan them, else 0.
    size_t unplanned_bytes = 0;
    // Where the output is computed: the tensor of the application, or memory of
    // ours. Neither if it is planned.
    runtime::EValue given;
    std::shared_ptr<void> memory;
    // What was returned last. Used again when nobody else holds it.
    TensorPtr returned;
  };
  runtime::Error place_outputs();
  runtime::Result<TensorPtr> returned_tensor(const aten::Tensor& tensor,
                                             Output& output);

  struct Input {
    runtime::EValue value;  // kept, so that a tensor it owns lives
    bool is_lent = false;
    bool is_bound = false;  // for the next run
  };

  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  bool views_ = false;
  std::unique_ptr<runtime::Method> method_;  // last: destroyed first
};

}  // namespace executorch::extension::internal
