// What is the same in every run of a method.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "src/method/flow.h"
#include "src/method/plan.h"

namespace executorch::method {

// A tensor that was computed when the method was loaded.
struct Folded {
  std::string identity;  // names the computation and the constants it is from
  size_t nbytes = 0;
  const Instruction* call = nullptr;
  std::shared_ptr<const void> memory;  // null before it is needed
};

class Constants {
 public:
  // Numbers and lists that nothing changes, and tensors with constant data.
  Constants(const Plan& plan, const Flow& flow);

  bool has(size_t value) const { return by_value_[value]; }

  // A view of constants of the program.
  void add(size_t value) { by_value_[value] = true; }

  void add(size_t value, Folded folded) {
    add(value);
    folded_[value] = std::move(folded);
  }

  std::map<size_t, Folded>& folded() { return folded_; }

  // The name of a computation that has made these bytes, or "".
  std::string identity_of(const void* data) const;

 private:
  std::vector<bool> by_value_;
  std::map<size_t, Folded> folded_;
};

// What the application wishes for kernels; see Program::kKernelOptions.
struct KernelOptions {
  bool prepare = true;
  size_t fold_limit = size_t{512} << 20;  // bytes
};

// Computes what depends on constants alone, once: such a kernel call becomes an
// instruction that does nothing, its result a constant.
runtime::Error fold_constants(Plan& plan, const Flow& flow,
                              const KernelOptions& options,
                              const std::vector<const registry::Op*>& ops,
                              Constants* constants);

}  // namespace executorch::method
