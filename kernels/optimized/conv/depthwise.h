// Convolutions whose groups have one input channel: each output channel is a
// sum of a few shifted copies of one plane, too little work for a matrix
// product.
#pragma once

#include "kernels/optimized/conv/patches.h"

namespace executorch::kernels::conv {

// The weights [output channel][tap] in T: where they are, or a copy. Null when
// there is no memory for it.
template <class T>
const T* depthwise_taps(const Shape& shape, const void* weight,
                        Scratch& memory);

// `taps` as above. `bias` has an item per output channel, `limits` are the
// lowest and the highest result of a convolution of floats; both may be null.
template <class T>
Error run_depthwise(const Shape& shape, const void* in, const T* taps,
                    const T* bias, const float* limits, void* out);

}  // namespace executorch::kernels::conv
