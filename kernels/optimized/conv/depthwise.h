// Convolutions whose groups have one input channel: each output channel is a
// sum of a few shifted copies of one plane, too little work for a matrix
// product.
#pragma once

#include "kernels/optimized/conv/patches.h"

namespace executorch::kernels::conv {

// `bias` has an item per output channel, or is null.
template <class T>
Error run_depthwise(const Shape& shape, const void* in, const void* weight,
                    const T* bias, void* out);

}  // namespace executorch::kernels::conv
