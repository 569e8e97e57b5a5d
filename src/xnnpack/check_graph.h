// What the verifier of flatbuffers does not know about a graph.
#pragma once

#include "src/xnnpack/payload.h"

namespace executorch::xnnpack {

// Values: ranks, sizes that do not wrap, external ids, parameters of
// quantization, constants within bounds. Nodes: their values exist and have
// been computed, the shapes that weights need, vectors of the right length.
runtime::Error check_graph(const Payload& payload);

}  // namespace executorch::xnnpack
