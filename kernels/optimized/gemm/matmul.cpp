#include "kernels/optimized/gemm/matmul.h"

#include <cstdio>

#include "kernels/optimized/gemm/few_rows.h"

namespace executorch::kernels::gemm {
namespace {

// Rows of this many items are near enough to each other to be used many times
// where they are.
constexpr int64_t kNear = 256;

}  // namespace

MatrixView matrix_of(const Tensor& t) {
  const int rows = static_cast<int>(t.dim()) - 2;
  MatrixView view = {t.const_data_ptr(), t.scalar_type(), t.strides()[rows],
                     t.strides()[rows + 1]};
  if (rows == 1) {
    view.batch = {1, t.strides()[0], 0};
  }
  return view;
}

Error check_matmul_dtypes(const Tensor& a, const Tensor& b, const Tensor& out) {
  ET_CHECK_OR_RETURN_ERROR(
      a.scalar_type() == b.scalar_type() &&
          a.scalar_type() == out.scalar_type(),
      InvalidArgument, "the operands and the result have dtypes %s, %s and %s",
      runtime::toString(a.scalar_type()), runtime::toString(b.scalar_type()),
      runtime::toString(out.scalar_type()));
  return Error::Ok;
}

template <class T>
Error run(Product p, MatrixOutput<T>& out) {
  if constexpr (std::is_same_v<T, float>) {
    if (p.packed != nullptr) {
      return multiply<T>(p.batch, p.m, p.n, p.k, Matrix<T>(Side::left, p.left),
                         *p.packed, out);
    }
    if (p.n < p.m && takes_few_rows(p.n, p.left.transposed())) {
      std::swap(p.left, p.right);
      p.left = p.left.transposed();
      p.right = p.right.transposed();
      std::swap(p.m, p.n);
      out.transpose();
    }
    if (takes_few_rows(p.m, p.right)) {
      return multiply_few_rows(p.batch, p.m, p.n, p.k, p.left, p.right, out);
    }
  }
  const bool once =
      p.m <= 2 * kernels<T>().max_rows || p.right.row_stride <= kNear;
  return multiply<T>(
      p.batch, p.m, p.n, p.k,
      Matrix<T>(Side::left, p.left, p.left.column_stride <= kNear),
      Matrix<T>(Side::right, p.right, once), out);
}

std::shared_ptr<const MatmulState> prepare_right(PrepareContext& ctx,
                                                 size_t index,
                                                 const MatrixView& right,
                                                 int64_t k, int64_t n,
                                                 std::optional<int64_t> rows) {
  constexpr int64_t kFew = 2;
  const bool sums_in_float = right.dtype == ScalarType::Float ||
                             right.dtype == ScalarType::Half ||
                             right.dtype == ScalarType::BFloat16;
  const bool few = rows.value_or(kFew + 1) <= kFew;
  if (!ctx.is_constant(index) || !sums_in_float ||
      (few && takes_few_rows(*rows, right))) {
    return nullptr;
  }
  char recipe[160];
  std::snprintf(recipe, sizeof(recipe), "gemm right %lldx%lld %lld %lld %d",
                (long long)k, (long long)n, (long long)right.row_stride,
                (long long)right.column_stride, int(right.dtype));
  auto packed = ctx.share(right.data, recipe, [&] {
    return Packed<float>::make(Matrix<float>(Side::right, right), Side::right,
                               1, n, k);
  });
  if (packed == nullptr) {
    return nullptr;
  }
  ctx.release(index);
  return std::make_shared<MatmulState>(
      MatmulState{std::static_pointer_cast<const Packed<float>>(packed)});
}

std::optional<int64_t> fixed_rows(PrepareContext& ctx, size_t index,
                                  const Tensor& left) {
  if (!ctx.has_fixed_shape(index) || left.dim() < 1) {
    return std::nullopt;
  }
  int64_t rows = 1;
  for (int d = 0; d + 1 < left.dim(); ++d) {
    rows *= left.size(d);
  }
  return rows;
}

template Error run(Product, MatrixOutput<float>&);
template Error run(Product, MatrixOutput<double>&);
template Error run(Product, MatrixOutput<int64_t>&);
template Error run(Product, MatrixOutput<std::complex<float>>&);
template Error run(Product, MatrixOutput<std::complex<double>>&);

}  // namespace executorch::kernels::gemm
