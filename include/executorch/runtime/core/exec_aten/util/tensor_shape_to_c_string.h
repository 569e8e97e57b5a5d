// The sizes of a tensor as text, for log lines.
#pragma once

#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>
#include <executorch/runtime/core/span.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace executorch {
namespace runtime {

/// Room for the longest text: parentheses, ten digits, comma and blank per
/// dimension, and the zero.
constexpr size_t kTensorShapeStringSizeLimit =
    1 + (10 + 2) * kTensorDimensionLimit + 1;

namespace internal {
/// Larger sizes, and negative ones, are shown as ERR.
constexpr size_t kMaximumPrintableTensorShapeElement = INT32_MAX;
}  // namespace internal

/// "(2, 3, 4)", zero-terminated. Dimensions above the limit are left out.
ET_EXPORT std::array<char, kTensorShapeStringSizeLimit>
tensor_shape_to_c_string(Span<const int32_t> shape);
ET_EXPORT std::array<char, kTensorShapeStringSizeLimit>
tensor_shape_to_c_string(Span<const int64_t> shape);

}  // namespace runtime
}  // namespace executorch
