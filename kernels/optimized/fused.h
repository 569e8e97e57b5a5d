// What a float32 kernel does to its results on behalf of the calls behind it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/common/op.h"

namespace executorch::kernels {

struct Fused {
  // result * scale[c] + shift[c] in channel c; both empty for no such step.
  std::vector<float> scale;
  std::vector<float> shift;
  std::string identity;  // names the constants that these come from

  // Afterwards: the lowest and highest result.
  bool is_limited = false;
  float limits[2] = {};

  bool any() const { return is_limited || !scale.empty(); }
};

// Takes over a batch norm of `channels` channels (0: none is wanted) and then
// an activation that limits values, as far as they follow.
Fused absorb_followers(PrepareContext& context, int64_t channels);

}  // namespace executorch::kernels
