// The values of a graph, defined in a subgraph of XNNPACK.
#pragma once

#include <memory>

#include "src/xnnpack/constants.h"
#include "src/xnnpack/nodes.h"
#include "src/xnnpack/weight_cache.h"

namespace executorch::xnnpack {

// Defines all values and gives XNNPACK's id of each. `cache` may be null.
runtime::Error define_values(const Payload& payload, xnn_subgraph_t subgraph,
                             Constants& constants, CacheSession* cache,
                             uint32_t* ids);

}  // namespace executorch::xnnpack
