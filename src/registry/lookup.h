// How a method that is being loaded finds its operators.
//
// Unlike the public lookup it tells what the registry knows beside the
// function, and it is silent: its caller gathers everything that is missing
// into one message.
#pragma once

#include <executorch/runtime/core/span.h>
#include <executorch/runtime/kernel/operator_registry.h>

#include "src/registry/register_op.h"

namespace executorch::registry {

struct Found {
  runtime::OpFunction fn = nullptr;  // null: there is no such operator
  const Op* op = nullptr;  // null for a kernel registered by a public function
  const char* unusable = nullptr;  // why the operator cannot run here, or null
};

// The kernel for tensors like `metas`: exact key first, then the fallback. A
// null name finds nothing.
Found find(const char* name, runtime::Span<const runtime::TensorMeta> metas);

// The same in a list that the application gave for one method.
Found find(const char* name, runtime::Span<const runtime::TensorMeta> metas,
           runtime::Span<const runtime::Kernel> kernels);

// The CMake target that brings the operator ("executorch::kernels_quantized"),
// or null when no component of the SDK has its namespace.
const char* component_of(const char* name);

// The same for an operator that is missing: null also when that component is
// there, and does not have it.
const char* component_to_link(const char* name);

}  // namespace executorch::registry
