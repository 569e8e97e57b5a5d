// The largest rank of a tensor.
#pragma once

#include <executorch/runtime/platform/compiler.h>

#include <cstddef>

namespace executorch {
namespace runtime {

/// Programs with tensors of more dimensions do not load.
constexpr size_t kTensorDimensionLimit = 16;

}  // namespace runtime
}  // namespace executorch
