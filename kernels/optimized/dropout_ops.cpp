// native_dropout: copies its input, or while training sets random elements to
// zero and scales the others.
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <algorithm>
#include <optional>

#include "kernels/common/random.h"
#include "kernels/optimized/map.h"

namespace executorch::kernels {
namespace {

struct Copy : Map<kAnyDtype> {
  template <class T>
  T operator()(T x) const {
    return x;
  }
};
struct Mask : Map<kFloats> {
  static constexpr bool kExactParams = true;
  template <class T>
  T operator()(T x, T mask, const T* scale) const {
    return x * mask * *scale;
  }
};

Error native_dropout(KernelRuntimeContext&, const Tensor& x, double p,
                     std::optional<bool> train, Tensor& out, Tensor& mask) {
  ET_CHECK_OR_RETURN_ERROR(p >= 0 && p <= 1, InvalidArgument,
                           "a probability of %g is not in [0, 1]", p);
  ET_CHECK_OR_RETURN_ERROR(mask.scalar_type() == ScalarType::Bool,
                           InvalidArgument,
                           "the mask has dtype %s, but must be bool",
                           runtime::toString(mask.scalar_type()));
  const bool drops = train.value_or(true);
  const ScalarType dtype = x.scalar_type();
  if (drops) {
    ET_CHECK_OK_OR_RETURN_ERROR(check_dtype(dtype, Mask::kAllowed));
  }
  ET_CHECK_OK_OR_RETURN_ERROR(check_cast(dtype, out));
  ET_CHECK_OK_OR_RETURN_ERROR(runtime::resize_tensor(out, x.sizes()));
  ET_CHECK_OK_OR_RETURN_ERROR(runtime::resize_tensor(mask, x.sizes()));

  bool* kept = mask.mutable_data_ptr<bool>();
  if (!drops) {
    std::fill_n(kept, mask.numel(), true);
    return map(kMap<Copy, 1>, dtype, {x}, out);
  }
  constexpr int kBits = 24;
  RandomStream random;
  std::generate_n(kept, mask.numel(),
                  [&] { return random.uniform(kBits) >= p; });
  const double scale = p == 1 ? 0 : 1 / (1 - p);
  return map(kMap<Mask, 2>, dtype, {x, mask}, out, {scale});
}

const Op kOps[] = {
    op<Copy::kAllowed, native_dropout>("aten::native_dropout.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
