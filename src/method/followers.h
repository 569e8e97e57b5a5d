// Calls whose work an earlier call does as well: a convolution takes over the
// batch norm and the activation behind it.
#pragma once

#include <cstdint>
#include <vector>

#include "src/method/constants.h"
#include "src/method/flow.h"
#include "src/method/memory_use.h"
#include "src/method/plan.h"

namespace executorch::method {

class Followers {
 public:
  Followers(Plan& plan, const Flow& flow, const Constants& constants,
            const std::vector<const registry::Op*>& ops);

  // What follows is about the call at `pc`.
  void start(size_t pc);

  // See registry::PrepareContext.
  bool is_read(size_t value) const;
  const registry::Follower* next();
  void absorb();

  // Takes what was absorbed out of the runs. The last of it becomes a copy of
  // the result to where the plan of memory wants it.
  void finish();

 private:
  static constexpr size_t kNone = SIZE_MAX;

  size_t value_of(const Instruction& call, size_t arg) const {
    return plan_.index_of(call.args[arg]);
  }
  size_t result_of(const Instruction& call) const;
  bool can_absorb(size_t pc) const;

  Plan& plan_;
  const Flow& flow_;
  const Constants& constants_;
  const std::vector<const registry::Op*>& ops_;
  const MemoryUse use_;
  const bool enabled_;

  size_t call_ = 0;            // pc of the call that absorbs
  size_t first_ = kNone;       // its own result
  size_t last_ = kNone;        // the result of what it absorbed last
  std::vector<size_t> found_;  // pcs: the absorbed calls and what next() told
  size_t num_absorbed_ = 0;
  registry::Follower follower_{};
};

}  // namespace executorch::method
