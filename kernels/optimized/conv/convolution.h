// The convolution itself, for the operator and for its gradient.
#pragma once

#include "kernels/optimized/conv/patches.h"

namespace executorch::kernels::conv {

// Weights of one instruction, packed for the side of the product that they are
// on; one entry per window.
struct Prepared {
  static constexpr int64_t kMostWindows = 16;
  gemm::Side side = gemm::Side::left;
  std::shared_ptr<const gemm::Packed<float>> weights[kMostWindows];
};

// On which side of the product the weights go: the side of the patches is the
// one where results of neighbouring output points are adjacent.
gemm::Side weight_side(const Shape& shape, const Window& window);

// Whether the work is done without a matrix product: one channel per group, and
// few made from it.
bool is_depthwise(const Shape& shape);

// `shape` as checked, with the strides of these tensors; `bias` has the dtype
// of the others, its items `bias_stride` apart, or is null.
Error run(const Shape& shape, const void* in, const void* weight,
          const void* bias, int64_t bias_stride, void* out,
          const Prepared* prepared);

}  // namespace executorch::kernels::conv
