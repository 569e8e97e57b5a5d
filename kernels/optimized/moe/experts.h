// The feed-forward networks of the experts, on weights of 4 or 8 bits.
#pragma once

#include <executorch/runtime/core/error.h>

#include <cstdint>

#include "kernels/optimized/gemm/grouped_weights.h"
#include "kernels/optimized/moe/routing.h"

namespace executorch::kernels::moe {

// The weights of all experts: row e of a [experts, bytes] matrix is a blob.
struct ExpertWeights {
  const uint8_t* blobs;
  int64_t bytes;  // of one blob
  gemm::GroupedShape shape;

  // Refuses the weights if one blob is not of the format and the shape.
  runtime::Error check(const char* name, int64_t experts) const;
  const uint8_t* panels(int64_t expert) const;
};

struct Experts {
  int64_t count;
  int64_t dim;         // of a token
  int64_t hidden;      // of a network
  ExpertWeights up;    // [2 * hidden, dim]: first the columns that go through
                       // SiLU, then those that they are multiplied with
  ExpertWeights down;  // [dim, hidden]

  // out[t] = sum of weight * down(silu(up1(x[t])) * up2(x[t])) over the pairs
  // of token t, experts in ascending order. `x` and `out` are
  // [tokens, dim] and contiguous.
  runtime::Error run(const float* x, int64_t tokens, const Routing& routing,
                     float* out) const;
};

}  // namespace executorch::kernels::moe
