// Softmax and its logarithm along one dimension.
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <cmath>
#include <limits>

#include "kernels/common/lines.h"
#include "kernels/common/op.h"
#include "kernels/common/reduce.h"
#include "kernels/optimized/affine.h"
#include "kernels/optimized/vec/reduce.h"
#include "kernels/optimized/vec/softmax.h"

namespace executorch::kernels {
namespace {

// The largest element; NaN if there is one.
template <class T>
T largest(const T* x, int64_t n) {
  if constexpr (std::is_same_v<T, float>) {
    return vec::reduce().max(-std::numeric_limits<T>::infinity(), x, n);
  } else {
    T max = -std::numeric_limits<T>::infinity();
    for (int64_t i = 0; i < n; ++i) {
      max = x[i] > max || x[i] != x[i] ? x[i] : max;
    }
    return max;
  }
}

// The sum of exp(x[i] - max), whose summands go to `y` if it is not null.
template <class T>
double exp_sum(const T* x, int64_t n, T max, T* y) {
  if constexpr (std::is_same_v<T, float>) {
    return vec::softmax().exp_sum(x, n, max, y);
  } else {
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      const T e = std::exp(x[i] - max);
      sum += static_cast<double>(e);
      if (y != nullptr) {
        y[i] = e;
      }
    }
    return sum;
  }
}

struct Softmax {
  template <class T>
  static void line(const T* x, T* y, int64_t n) {
    const double sum = exp_sum(x, n, largest(x, n), y);
    affine(y, y, n, static_cast<T>(1 / sum), T{0});
  }
};

struct LogSoftmax {
  template <class T>
  static void line(const T* x, T* y, int64_t n) {
    const T max = largest(x, n);
    const auto log = static_cast<T>(std::log(exp_sum<T>(x, n, max, nullptr)));
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
    op<kFloats, softmax<Softmax>>("aten::_softmax.out"),
    op<kFloats, softmax<LogSoftmax>>("aten::_log_softmax.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
