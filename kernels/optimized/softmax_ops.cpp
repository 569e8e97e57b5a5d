// Softmax and its logarithm along one dimension.
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <cmath>
#include <limits>

#include "kernels/common/lines.h"
#include "kernels/common/op.h"
#include "kernels/common/reduce.h"

namespace executorch::kernels {
namespace {

// The largest element; NaN if there is one.
template <class T>
T largest(const T* x, int64_t n) {
  T max = -std::numeric_limits<T>::infinity();
  for (int64_t i = 0; i < n; ++i) {
    max = x[i] > max || x[i] != x[i] ? x[i] : max;
  }
  return max;
}

struct Softmax {
  template <class T>
  static void line(const T* x, T* y, int64_t n) {
    const T max = largest(x, n);
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      y[i] = std::exp(x[i] - max);
      sum += static_cast<double>(y[i]);
    }
    const auto factor = static_cast<T>(1 / sum);
    for (int64_t i = 0; i < n; ++i) {
      y[i] *= factor;
    }
  }
};

struct LogSoftmax {
  template <class T>
  static void line(const T* x, T* y, int64_t n) {
    const T max = largest(x, n);
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      sum += static_cast<double>(std::exp(x[i] - max));
    }
    const auto log = static_cast<T>(std::log(sum));
    for (int64_t i = 0; i < n; ++i) {
      y[i] = x[i] - max - log;
    }
  }
};

template <class F>
Error softmax(KernelRuntimeContext&, const Tensor& in, int64_t dim,
              bool half_to_float, Tensor& out) {
  const int64_t axis = ET_UNWRAP(wrap_dim(dim, in.dim()));
  const ScalarType dtype = in.scalar_type();
  ET_CHECK_OK_OR_RETURN_ERROR(check_dtype(dtype, kFloats));
  ET_CHECK_OR_RETURN_ERROR(!half_to_float, InvalidArgument,
                           "half_to_float is not supported on the CPU");
  ET_CHECK_OK_OR_RETURN_ERROR(check_cast(dtype, out));
  ET_CHECK_OK_OR_RETURN_ERROR(runtime::resize_tensor(out, in.sizes()));
  const ScalarType as = accumulation_dtype(dtype);
  Error error = Error::InvalidArgument;
  visit(Types<float, double>{}, as, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const ConstView x = move_to_end(view(in), axis);
    const View y = move_to_end(mutable_view(out), axis);
    error = for_each_line<T>(LinesIn(x, x.dims - 1, dtype, as),
                             LinesOut(y, y.dims - 1, out.scalar_type(), as),
                             [&](int64_t, const T* from, T* to) {
                               F::line(from, to, x.sizes[x.dims - 1]);
                             });
  });
  return error;
}

const Op kOps[] = {
    op<softmax<Softmax>>("aten::_softmax.out"),
    op<softmax<LogSoftmax>>("aten::_log_softmax.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
