// The k largest or smallest elements along a dimension.
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <algorithm>
#include <numeric>

#include "kernels/common/lines.h"
#include "kernels/common/op.h"
#include "kernels/common/reduce.h"

namespace executorch::kernels {
namespace {

// Orders the positions in a line: better elements first, a NaN counting as the
// largest, then the earlier ones.
template <class T>
struct Before {
  const T* x;
  bool largest;
  bool operator()(int64_t a, int64_t b) const {
    const bool a_nan = x[a] != x[a], b_nan = x[b] != x[b];
    if (a_nan != b_nan) {
      return a_nan == largest;
    }
    if (x[a] != x[b] && !a_nan) {
      return (x[a] > x[b]) == largest;
    }
    return a < b;
  }
};

template <class T>
Error top(const Tensor& in, ScalarType as, int64_t axis, int64_t k,
          bool largest, Tensor& values, Tensor& indices) {
  const ConstView x = move_to_end(view(in), axis);
  const View v = move_to_end(mutable_view(values), axis);
  const View at = move_to_end(mutable_view(indices), axis);
  const LinesOut index_lines(at, at.dims - 1, ScalarType::Long,
                             ScalarType::Long);
  const int64_t n = x.sizes[x.dims - 1];
  std::atomic<bool> out_of_memory{false};
  const Error error =
      for_each_line<T>(LinesIn(x, x.dims - 1, in.scalar_type(), as),
                       LinesOut(v, v.dims - 1, values.scalar_type(), as),
                       [&](int64_t i, const T* from, T* to) {
                         Scratch scratch;
                         int64_t* order = scratch.array<int64_t>(n);
                         if (order == nullptr) {
                           out_of_memory = true;
                           return;
                         }
                         std::iota(order, order + n, int64_t{0});
                         std::partial_sort(order, order + k, order + n,
                                           Before<T>{from, largest});
                         for (int64_t j = 0; j < k; ++j) {
                           to[j] = from[order[j]];
                         }
                         index_lines.copy_from(i, order);
                       });
  ET_CHECK_OR_RETURN_ERROR(!out_of_memory, MemoryAllocationFailed,
                           "no memory to order %lld elements",
                           static_cast<long long>(n));
  return error;
}

Error topk(KernelRuntimeContext&, const Tensor& in, int64_t k, int64_t dim,
           bool largest, bool /*sorted*/, Tensor& values, Tensor& indices) {
  const int64_t axis = ET_UNWRAP(wrap_dim(dim, in.dim()));
  const int64_t n = in.dim() == 0 ? 1 : in.size(axis);
  ET_CHECK_OR_RETURN_ERROR(
      k >= 0 && k <= n, InvalidArgument,
      "k is %lld, dimension %lld has %lld elements", static_cast<long long>(k),
      static_cast<long long>(axis), static_cast<long long>(n));
  ET_CHECK_OR_RETURN_ERROR(indices.scalar_type() == ScalarType::Long,
                           InvalidArgument,
                           "indices are int64, the output has dtype %s",
                           runtime::toString(indices.scalar_type()));
  ET_CHECK_OR_RETURN_ERROR(values.scalar_type() == in.scalar_type(),
                           InvalidArgument,
                           "values have dtype %s, the output has %s",
                           runtime::toString(in.scalar_type()),
                           runtime::toString(values.scalar_type()));
  Shape shape;
  ET_CHECK_OK_OR_RETURN_ERROR(shape.broadcast(in.sizes()));
  if (shape.dims > 0) {
    shape.sizes[axis] = static_cast<aten::SizesType>(k);
  }
  ET_CHECK_OK_OR_RETURN_ERROR(runtime::resize_tensor(values, shape.view()));
  ET_CHECK_OK_OR_RETURN_ERROR(runtime::resize_tensor(indices, shape.view()));
  const ScalarType as = accumulation_dtype(in.scalar_type());
  Error error = Error::InvalidArgument;
  visit(AccumulationTypes{}, as, [&](auto tag) {
    using T = typename decltype(tag)::type;
    error = top<T>(in, as, axis, k, largest, values, indices);
  });
  return error;
}

const Op kOps[] = {op<kReal, topk>("aten::topk.values")};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
