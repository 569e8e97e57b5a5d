// Argument checks of the quantized operators. Each logs one line and returns an
// error; all run before anything is written.
#pragma once

#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include "kernels/common/op.h"
#include "kernels/quantized/affine.h"

namespace executorch::kernels {

// The dtypes of quantized values, of what most operators quantize, and of zero
// points.
inline constexpr DtypeSet kQuantized = dtype_set(QuantizedTypes{});
inline constexpr DtypeSet kNarrowFloats =
    kFloats & ~dtype_bit(ScalarType::Double);
inline constexpr DtypeSet kNumbers = dtype_set(RealTypes{});

// Checks that `out` is of type `type` and takes one element for each of `x`, in
// the same order; then gives it the shape of `x`.
Error resize_like(const Tensor& x, ScalarType type, Tensor& out);

Error check_type(const Tensor& t, ScalarType expected, const char* what);

Error check_type(const Tensor& t, DtypeSet allowed, const char* what);

// Checks that quantized values from `min` to `max` fit the quantized `type`.
Error check_range(int64_t min, int64_t max, ScalarType type);

// Checks that scales are of a floating type; zero points may be of any real
// type.
Error check_params(const Tensor& scales, const Tensor* zero_points);

// The value of a tensor with one element.
Result<double> number(const Tensor& t, const char* what);

// How many elements along each dimension share their parameters.
struct Blocks {
  int64_t size[kMaxDims];
};

// The number of blocks along dimension d.
inline int64_t block_count(const Tensor& x, const Blocks& blocks, int64_t d) {
  return x.size(d) / blocks.size[d];
}

// The following check that a tensor of parameters fits `x` and set the steps of
// `param`; `what` is the tensor's name in errors.

// One for each index of `axis`, which may be negative, or a single one.
Error lay_per_channel(const Tensor& x, int64_t axis, const Tensor& t,
                      const char* what, Param& param);

// As broadcasting to the shape of `x` gives; if it does not broadcast, one for
// each row of the last dimension.
Error lay_per_token(const Tensor& x, const Tensor& t, const char* what,
                    Param& param);

// One for each block, in row-major order.
Error lay_per_block(const Tensor& x, const Blocks& blocks, const Tensor& t,
                    const char* what, Param& param);

// Checks that blocks of these sizes divide `x`; -1 is the size of the
// dimension.
Result<Blocks> blocks_of(const Tensor& x, ArrayRef<int64_t> sizes);

// Blocks of `group_size` elements in the rows of a matrix. As in PyTorch a
// group that is longer than the row is the row.
Result<Blocks> groups_of(const Tensor& x, int64_t group_size,
                         const Tensor& scales);

}  // namespace executorch::kernels
