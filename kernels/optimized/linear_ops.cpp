// aten::linear: rows of any tensor times a weight.
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <algorithm>

#include "kernels/optimized/gemm/matmul.h"

namespace executorch::kernels {
namespace {

using gemm::MatmulState;
using gemm::MatrixView;

// The weight as right operand: its rows are columns of the product. One of rank
// 1 gives one column.
MatrixView weight_view(const Tensor& weight) {
  if (weight.dim() == 1) {
    return {weight.const_data_ptr(), weight.scalar_type(), weight.strides()[0],
            0};
  }
  return gemm::matrix_of(weight).transposed();
}

int64_t weight_columns(const Tensor& weight) {
  return weight.dim() == 1 ? 1 : weight.size(0);
}

Error check_linear(const Tensor& in, const Tensor& weight,
                   const std::optional<Tensor>& bias, const Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(gemm::check_matmul_dtypes(in, weight, out));
  ET_CHECK_OR_RETURN_ERROR(
      in.dim() >= 1 && (weight.dim() == 1 || weight.dim() == 2),
      InvalidArgument, "an input of rank %d and a weight of rank %d",
      int(in.dim()), int(weight.dim()));
  ET_CHECK_OR_RETURN_ERROR(
      in.size(in.dim() - 1) == weight.size(weight.dim() - 1), InvalidArgument,
      "rows of %d items, and a weight for %d", int(in.size(in.dim() - 1)),
      int(weight.size(weight.dim() - 1)));
  if (bias.has_value()) {
    ET_CHECK_OR_RETURN_ERROR(bias->scalar_type() == in.scalar_type(),
                             InvalidArgument,
                             "the bias has dtype %s, the input %s",
                             runtime::toString(bias->scalar_type()),
                             runtime::toString(in.scalar_type()));
    ET_CHECK_OR_RETURN_ERROR(
        bias->dim() <= 1 &&
            (bias->numel() == weight_columns(weight) || bias->numel() == 1),
        InvalidArgument, "a bias of rank %d and %d items for %d results",
        int(bias->dim()), int(bias->numel()), int(weight_columns(weight)));
  }
  return Error::Ok;
}

// Calls f(rows, offset of the input, offset of the output) for groups of rows
// that are evenly spaced in both tensors; all rows at once where possible.
template <class F>
Error for_rows(const Tensor& in, const Tensor& out, F f) {
  const int rows = static_cast<int>(in.dim()) - 2;
  const auto joined = [&](const Tensor& t) {
    for (int d = rows; d > 0; --d) {
      if (t.strides()[d - 1] != t.strides()[d] * t.size(d)) {
        return false;
      }
    }
    return true;
  };
  if (rows < 1 || (joined(in) && joined(out))) {
    const int64_t size = in.size(in.dim() - 1);
    return f(rows < 0 ? 1 : size == 0 ? out.numel() : in.numel() / size, 0, 0);
  }
  int64_t groups = 1;
  for (int d = 0; d < rows; ++d) {
    groups *= in.size(d);
  }
  for (int64_t g = 0; g < groups; ++g) {
    int64_t from = 0, to = 0, rest = g;
    for (int d = rows - 1; d >= 0; --d) {
      from += rest % in.size(d) * in.strides()[d];
      to += rest % in.size(d) * out.strides()[d];
      rest /= in.size(d);
    }
    ET_CHECK_OK_OR_RETURN_ERROR(f(in.size(rows), from, to));
  }
  return Error::Ok;
}

template <class T>
Error run_linear(const MatmulState* state, const Tensor& in,
                 const Tensor& weight, const std::optional<Tensor>& bias,
                 Tensor& out) {
  const int64_t n = weight_columns(weight);
  Scratch memory;
  const T* values = nullptr;
  if (bias.has_value()) {
    const int64_t stride = bias->numel() == 1 ? 0 : bias->strides()[0];
    values = gemm::read_bias<T>(bias->const_data_ptr(), bias->scalar_type(),
                                stride, n, memory);
    ET_CHECK_OR_RETURN_ERROR(values != nullptr, MemoryAllocationFailed,
                             "no memory for a bias");
  }
  const int last = static_cast<int>(in.dim()) - 1;
  const bool column = weight.dim() == 2;
  const int64_t item = in.element_size();
  return for_rows(in, out, [&](int64_t m, int64_t from, int64_t to) {
    const int out_rows = static_cast<int>(out.dim()) - (column ? 2 : 1);
    gemm::MatrixOutput<T> result(
        static_cast<char*>(out.mutable_data_ptr()) + to * item,
        out.scalar_type(), {out_rows < 0 ? 0 : out.strides()[out_rows]},
        {column ? out.strides()[last] : 1});
    result.column_bias = values;
    const MatrixView left = {
        static_cast<const char*>(in.const_data_ptr()) + from * item,
        in.scalar_type(), last == 0 ? 0 : in.strides()[last - 1],
        in.strides()[last]};
    return gemm::run<T>({1, m, n, in.size(last), left, weight_view(weight),
                         gemm::packed_right(state)},
                        result);
  });
}

Error linear(KernelRuntimeContext&, const MatmulState* state, const Tensor& in,
             const Tensor& weight, std::optional<Tensor> bias, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_linear(in, weight, bias, out));
  aten::SizesType sizes[runtime::kTensorDimensionLimit];
  size_t rank = in.dim();
  std::copy(in.sizes().begin(), in.sizes().end(), sizes);
  if (weight.dim() == 2) {
    sizes[rank - 1] = weight.size(0);
  } else {
    --rank;
  }
  ET_CHECK_OK_OR_RETURN_ERROR(runtime::resize_tensor(out, {sizes, rank}));
  if (out.numel() == 0) {
    return Error::Ok;
  }
  Error error = Error::Ok;
  gemm::visit_sum_type(out.scalar_type(), [&](auto tag) {
    error =
        run_linear<typename decltype(tag)::type>(state, in, weight, bias, out);
  });
  return error;
}

std::shared_ptr<const MatmulState> prepare_linear(PrepareContext& ctx,
                                                  const Tensor& in,
                                                  const Tensor& weight,
                                                  std::optional<Tensor>,
                                                  Tensor&) {
  if (weight.dim() != 2) {
    return nullptr;
  }
  return gemm::prepare_right(ctx, 1, weight_view(weight), weight.size(1),
                             weight.size(0), gemm::fixed_rows(ctx, 0, in));
}

const Op kOps[] = {
    op<gemm::kSumDtypes, linear, prepare_linear>("aten::linear.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
