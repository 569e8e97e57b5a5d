// The convolution itself, for the operator and for its gradient.
#pragma once

#include <vector>

#include "kernels/optimized/conv/patches.h"
#include "kernels/optimized/fused.h"

namespace executorch::kernels::conv {

// What is made once for an instruction whose weight is constant.
struct Prepared {
  static constexpr int64_t kMostWindows = 16;
  // Weights, packed for the side of the product that they are on; one entry per
  // window.
  gemm::Side side = gemm::Side::left;
  std::shared_ptr<const gemm::Packed<float>> weights[kMostWindows];

  // Of a depthwise convolution: the weights [channel][tap], unless empty.
  std::vector<float> taps;

  // Taken over from later calls. `bias` replaces the one that is given.
  Fused fused;
  std::vector<float> bias;
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
