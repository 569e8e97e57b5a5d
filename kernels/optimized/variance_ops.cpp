// Variances, alone and with means.
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <cmath>

#include "kernels/common/op.h"
#include "kernels/common/reduce.h"
#include "kernels/optimized/moments.h"

namespace executorch::kernels {
namespace {

using Dims = std::optional<ArrayRef<int64_t>>;

// out[0] gets the variances and out[1], if there is one, the means. `params` is
// the correction.
template <class T, bool kWithMean>
void write(const void* states, int64_t n, int64_t count, const void* params,
           void* const* out) {
  const double divisor = std::fmax(
      0, static_cast<double>(count) - *static_cast<const double*>(params));
  for (int64_t i = 0; i < n; ++i) {
    const auto& s = static_cast<const MomentSums*>(states)[i];
    static_cast<T*>(out[0])[i] = static_cast<T>(s.squares() / divisor);
    if (kWithMean) {
      static_cast<T*>(out[1])[i] = static_cast<T>(s.mean());
    }
  }
}

template <bool kWithMean>
Error variance(const Tensor& in, Dims dims, double correction, bool keepdim,
               Span<Tensor* const> tensors) {
  const ScalarType dtype = in.scalar_type();
  const DimSet set = ET_UNWRAP(dim_set(dims, in));
  const Shape shape = reduced_shape(in, set, keepdim);
  for (Tensor* out : tensors) {
    ET_CHECK_OK_OR_RETURN_ERROR(check_cast(dtype, *out));
    ET_CHECK_OK_OR_RETURN_ERROR(runtime::resize_tensor(*out, shape.view()));
  }
  const ScalarType as = dtype == ScalarType::Double ? dtype : ScalarType::Float;
  Error error = Error::InvalidArgument;
  visit(Types<float, double>{}, as, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Reduction r =
        reduction<Moments<T>>(dtype, write<T, kWithMean>, &correction);
    const ReduceOut outs[] = {{*tensors[0], as},
                              {*tensors[tensors.size() - 1], as}};
    error = reduce(r, in, set, keepdim, {outs, tensors.size()});
  });
  return error;
}

double or_one(const std::optional<Scalar>& correction) {
  return correction ? to_double(*correction) : 1;
}

Error var_correction(KernelRuntimeContext&, const Tensor& in, Dims dims,
                     std::optional<Scalar> correction, bool keepdim,
                     Tensor& out) {
  Tensor* const outs[] = {&out};
  return variance<false>(in, dims, or_one(correction), keepdim, {outs, 1});
}
Error var(KernelRuntimeContext&, const Tensor& in, Dims dims, bool unbiased,
          bool keepdim, Tensor& out) {
  Tensor* const outs[] = {&out};
  return variance<false>(in, dims, unbiased ? 1 : 0, keepdim, {outs, 1});
}
Error var_mean(KernelRuntimeContext&, const Tensor& in, Dims dims,
               std::optional<Scalar> correction, bool keepdim, Tensor& var,
               Tensor& mean) {
  Tensor* const outs[] = {&var, &mean};
  return variance<true>(in, dims, or_one(correction), keepdim, {outs, 2});
}

const Op kOps[] = {
    op<kFloats, var>("aten::var.out"),
    op<kFloats, var_correction>("aten::var.correction_out"),
    op<kFloats, var_mean>("aten::var_mean.correction_out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
