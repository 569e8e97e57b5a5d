// Dot-product kernels of q8.h for aarch64.
//
// Compiled with -DET_ISA=<name>; includes nothing with inline functions but
// intrinsics.
#include "kernels/optimized/gemm/q8_arm.h"

namespace executorch::kernels::gemm {

extern const Q8Kernels ET_PASTE(q8_, ET_ISA);
const Q8Kernels ET_PASTE(q8_, ET_ISA) = {cpu::Isa::ET_ISA,
                                         {kDotRows, dot_panels<4>},
                                         {kDotRows, dot_panels<8>},
                                         quantize};

}  // namespace executorch::kernels::gemm
