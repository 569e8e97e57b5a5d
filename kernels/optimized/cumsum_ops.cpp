// Cumulative sums.
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include "kernels/common/lines.h"
#include "kernels/common/op.h"
#include "kernels/common/reduce.h"

namespace executorch::kernels {
namespace {

// Floats are summed in double, integers wrap.
template <class T>
void cumulate(const T* x, T* y, int64_t n) {
  std::conditional_t<std::is_integral_v<T>, uint64_t, double> sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    sum += static_cast<decltype(sum)>(x[i]);
    y[i] = static_cast<T>(sum);
  }
}

Error cumsum(KernelRuntimeContext&, const Tensor& in, int64_t dim,
             std::optional<ScalarType> dtype, Tensor& out) {
  const int64_t axis = ET_UNWRAP(wrap_dim(dim, in.dim()));
  const ScalarType result =
      dtype.value_or(is_in(in.scalar_type(), kInts | kBool) ? ScalarType::Long
                                                            : in.scalar_type());
  ET_CHECK_OK_OR_RETURN_ERROR(check_dtype(result, kRealBool));
  ET_CHECK_OK_OR_RETURN_ERROR(check_cast(result, out));
  ET_CHECK_OK_OR_RETURN_ERROR(runtime::resize_tensor(out, in.sizes()));
  const ScalarType as = accumulation_dtype(result);
  Error error = Error::InvalidArgument;
  visit(AccumulationTypes{}, as, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const ConstView x = move_to_end(view(in), axis);
    const View y = move_to_end(mutable_view(out), axis);
    error = for_each_line<T>(LinesIn(x, x.dims - 1, in.scalar_type(), as),
                             LinesOut(y, y.dims - 1, out.scalar_type(), as),
                             [&](int64_t, const T* from, T* to) {
                               cumulate(from, to, x.sizes[x.dims - 1]);
                             });
  });
  return error;
}

const Op kOps[] = {op<kRealBool, cumsum>("aten::cumsum.out")};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
