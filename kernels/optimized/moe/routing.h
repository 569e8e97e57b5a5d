// Which experts a token goes to, and with what weights.
#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>

#include <cstdint>

#include "kernels/common/scratch.h"

namespace executorch::kernels::moe {

struct Router {
  int64_t experts;
  int64_t activated;  // experts per token
  bool sigmoid;       // else softmax over the scores of the chosen experts
  double scale;       // of the weights; only for sigmoid
  const float* bias;  // added to the sigmoid scores that choose; may be null
};

struct Pair {
  int64_t token;
  float weight;
};

// The pairs of a token and one of its experts, by expert and then by token.
class Routing {
 public:
  // `x` is [tokens, dim], `gate` [experts, dim], both float32 and contiguous.
  runtime::Error route(const Router& router, const aten::Tensor& x,
                       const aten::Tensor& gate);

  int64_t size() const { return size_; }
  const Pair* pairs() const { return pairs_; }
  // The pairs of expert e are those from first(e) to first(e + 1).
  int64_t first(int64_t expert) const { return offsets_[expert]; }

 private:
  Scratch pair_memory_, offset_memory_;
  Pair* pairs_ = nullptr;
  int64_t* offsets_ = nullptr;
  int64_t size_ = 0;
};

}  // namespace executorch::kernels::moe
