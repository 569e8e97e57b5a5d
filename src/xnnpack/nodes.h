// The nodes of a graph, defined in a subgraph of XNNPACK.
#pragma once

#include <xnnpack.h>

#include "src/xnnpack/payload.h"

namespace executorch::xnnpack {

// A subgraph while it is built.
struct Graph {
  const Payload& payload;
  xnn_subgraph_t subgraph;
  const uint32_t* ids;  // XNNPACK's id of each value

  uint32_t id(uint32_t value) const {
    return value == kNoValue ? XNN_INVALID_VALUE_ID : ids[value];
  }
  bool is_bfloat16(uint32_t value) const {
    return payload.tensor(value).datatype() == fb::XNNDatatype::bf16;
  }
  // Defines an internal float32 value of the shape of `value`.
  xnn_status define_float_twin(uint32_t value, uint32_t* id) const;
};

xnn_status define_node(const Graph& graph, const fb::XNode& node);

}  // namespace executorch::xnnpack
