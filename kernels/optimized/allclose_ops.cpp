// allclose: whether two tensors agree within a tolerance.
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <algorithm>
#include <cmath>

#include "kernels/common/elementwise.h"
#include "kernels/common/op.h"
#include "kernels/common/scratch.h"

namespace executorch::kernels {
namespace {

struct IsClose {
  double rtol, atol;
  bool equal_nan;

  template <class T>
  bool operator()(T a, T b) const {
    if (a == b) {
      return true;
    }
    if (a != a || b != b) {
      return equal_nan && a != a && b != b;
    }
    // Integers that differ are compared as doubles.
    using Real = std::conditional_t<std::is_same_v<T, int64_t>, double, T>;
    const Real distance =
        std::fabs(static_cast<Real>(a) - static_cast<Real>(b));
    const Real allowed =
        Real(atol) + std::fabs(Real(rtol) * static_cast<Real>(b));
    return std::isfinite(distance) && distance <= allowed;
  }
};

Computation is_close(const IsClose& f, ScalarType dtype, ScalarType* compute) {
  Computation computation;
  computation.params = &f;
  computation.writes = computation.result = ScalarType::Bool;
  if (is_in(dtype, kInts | kBool)) {
    computation.run = Block<IsClose, bool, int64_t, int64_t>::run;
    *compute = ScalarType::Long;
  } else if (dtype == ScalarType::Double) {
    computation.run = Block<IsClose, bool, double, double>::run;
    *compute = ScalarType::Double;
  } else {
    computation.run = Block<IsClose, bool, float, float>::run;
    *compute = ScalarType::Float;
  }
  return computation;
}

Error allclose(KernelRuntimeContext&, const Tensor& self, const Tensor& other,
               double rtol, double atol, bool equal_nan, bool, Tensor& out) {
  const ScalarType dtype = self.scalar_type();
  ET_CHECK_OR_RETURN_ERROR(dtype == other.scalar_type(), InvalidArgument,
                           "tensors of dtypes %s and %s cannot be compared",
                           runtime::toString(dtype),
                           runtime::toString(other.scalar_type()));
  ET_CHECK_OR_RETURN_ERROR(rtol >= 0 && atol >= 0, InvalidArgument,
                           "the tolerances %g and %g must not be negative",
                           rtol, atol);
  ET_CHECK_OR_RETURN_ERROR(
      out.scalar_type() == ScalarType::Bool && out.numel() == 1,
      InvalidArgument, "the output must be one bool");
  Shape shape;
  ET_CHECK_OK_OR_RETURN_ERROR(shape.broadcast(self.sizes()));
  ET_CHECK_OK_OR_RETURN_ERROR(shape.broadcast(other.sizes()));

  // One bool per element, in a tensor of this call.
  aten::DimOrderType order[runtime::kTensorDimensionLimit];
  aten::StridesType strides[runtime::kTensorDimensionLimit];
  int64_t numel = 1;
  for (int d = shape.dims - 1; d >= 0; --d) {
    order[d] = static_cast<aten::DimOrderType>(d);
    strides[d] = static_cast<aten::StridesType>(numel);
    numel *= shape.sizes[d];
  }
  Scratch scratch;
  bool* close = scratch.array<bool>(numel);
  ET_CHECK_OR_RETURN_ERROR(close != nullptr, MemoryAllocationFailed,
                           "no memory for the comparison of two tensors");
  aten::TensorImpl impl(ScalarType::Bool, shape.dims, shape.sizes, close, order,
                        strides);
  Tensor result(&impl);

  const IsClose f{rtol, atol, equal_nan};
  ScalarType compute;
  const Computation computation = is_close(f, dtype, &compute);
  const Operand in[] = {{self, compute}, {other, compute}};
  ET_CHECK_OK_OR_RETURN_ERROR(elementwise(computation, {in, 2}, result));
  *out.mutable_data_ptr<bool>() =
      std::find(close, close + numel, false) == close + numel;
  return Error::Ok;
}

const Op kOps[] = {
    op<kRealBool, allclose>("aten::allclose.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
