// Packs the expert weights of llama::quantized_moe_ffn.
//
// The operator reads one blob per expert in the "universal" linear format of
// torchao: weights of 4 or 8 bits, one scale per group along k, no zero points.
// packed_w13 holds the rows of w1 and then those of w3 (n = 2 * hidden_dim,
// k = dim); packed_w2 has n = dim, k = hidden_dim.
//
//     std::vector<uint8_t> blob(*packed_linear_size(shape));
//     pack_linear(shape, {weights, n * k}, {blob.data(), blob.size()});
#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstddef>
#include <cstdint>

namespace executorch {
namespace extension {
namespace llm {

/// The matrix of one linear layer: `n` rows (outputs) of `k` weights.
struct PackedLinearShape {
  int64_t n = 0;
  int64_t k = 0;
  /// Weights that share a scale; a multiple of 16 that divides `k`.
  int64_t group_size = 32;
  /// Bits of a weight: 4 or 8.
  int weight_nbit = 4;
};

/// Bytes of a blob of this shape.
///
/// @retval InvalidArgument There is no such blob; the log line says why.
ET_EXPORT runtime::Result<size_t> packed_linear_size(
    const PackedLinearShape& shape);

/// Packs weights that are quantized.
///
/// @param weights Row-major, n x k; with 4 bits from -8 to 7.
/// @param scales Row-major, n x (k / group_size), finite: a weight is
///        scale * value.
/// @param blob Receives packed_linear_size(shape) bytes.
/// @retval InvalidArgument The shape, the length of an array or a value is not
///     as said above; `blob` is then unchanged.
ET_EXPORT ET_NODISCARD runtime::Error pack_linear(
    const PackedLinearShape& shape, runtime::Span<const int8_t> weights,
    runtime::Span<const float> scales, runtime::Span<uint8_t> blob);

/// Quantizes weights symmetrically per group, and packs them. The scale of a
/// group is its largest magnitude over half of the range of the integers.
///
/// @param weights Row-major, n x k, finite.
/// @retval MemoryAllocationFailed There is no memory for the integers.
/// Or as above.
ET_EXPORT ET_NODISCARD runtime::Error pack_linear(
    const PackedLinearShape& shape, runtime::Span<const float> weights,
    runtime::Span<uint8_t> blob);

}  // namespace llm
}  // namespace extension
}  // namespace executorch
