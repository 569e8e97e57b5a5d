// Products of matrices: mm, bmm, addmm.
//
// Each describes its operands as strided views and leaves the work to the
// driver in gemm/. Sums of float16 and bfloat16 are kept in float and rounded
// once.
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include "kernels/optimized/gemm/matmul.h"

namespace executorch::kernels {
namespace {

using gemm::Addend;
using gemm::MatmulState;
using gemm::MatrixView;
using gemm::Product;

// mm and bmm

Error check_matrices(const Tensor& a, const Tensor& b, const Tensor& out,
                     int rank) {
  ET_CHECK_OK_OR_RETURN_ERROR(gemm::check_matmul_dtypes(a, b, out));
  ET_CHECK_OR_RETURN_ERROR(a.dim() == rank && b.dim() == rank, InvalidArgument,
                           "operands of rank %d and %d, both must have %d",
                           int(a.dim()), int(b.dim()), rank);
  ET_CHECK_OR_RETURN_ERROR(a.size(rank - 1) == b.size(rank - 2),
                           InvalidArgument, "inner sizes %d and %d differ",
                           int(a.size(rank - 1)), int(b.size(rank - 2)));
  ET_CHECK_OR_RETURN_ERROR(rank == 2 || a.size(0) == b.size(0), InvalidArgument,
                           "batches of %d and %d matrices", int(a.size(0)),
                           int(b.size(0)));
  return Error::Ok;
}

Error matmul(const Product& p, Tensor& out) {
  Error error = Error::Ok;
  gemm::visit_sum_type(out.scalar_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const MatrixView to = gemm::matrix_of(out);
    gemm::MatrixOutput<T> result(out.mutable_data_ptr(), out.scalar_type(),
                                 {to.row_stride}, {to.column_stride}, to.batch);
    error = gemm::run<T>(p, result);
  });
  return error;
}

Error mm(KernelRuntimeContext&, const MatmulState* state, const Tensor& a,
         const Tensor& b, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_matrices(a, b, out, 2));
  const aten::SizesType sizes[] = {a.sizes()[0], b.sizes()[1]};
  ET_CHECK_OK_OR_RETURN_ERROR(runtime::resize_tensor(out, {sizes, 2}));
  return matmul({1, a.size(0), b.size(1), a.size(1), gemm::matrix_of(a),
                 gemm::matrix_of(b), gemm::packed_right(state)},
                out);
}

std::shared_ptr<const MatmulState> prepare_mm(PrepareContext& ctx,
                                              const Tensor& a, const Tensor& b,
                                              Tensor&) {
  if (b.dim() != 2) {
    return nullptr;
  }
  return gemm::prepare_right(ctx, 1, gemm::matrix_of(b), b.size(0), b.size(1),
                             gemm::fixed_rows(ctx, 0, a));
}

Error bmm(KernelRuntimeContext&, const Tensor& a, const Tensor& b,
          Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_matrices(a, b, out, 3));
  const aten::SizesType sizes[] = {a.sizes()[0], a.sizes()[1], b.sizes()[2]};
  ET_CHECK_OK_OR_RETURN_ERROR(runtime::resize_tensor(out, {sizes, 3}));
  return matmul({a.size(0), a.size(1), b.size(2), a.size(2), gemm::matrix_of(a),
                 gemm::matrix_of(b)},
                out);
}

// addmm

// Strides of `self` when it is broadcast to m x n.
Result<Addend> broadcast(const Tensor& self, int64_t m, int64_t n) {
  Addend addend;
  addend.data = self.const_data_ptr();
  const int rank = static_cast<int>(self.dim());
  const int64_t rows = rank == 2 ? self.size(0) : 1;
  const int64_t columns = rank >= 1 ? self.size(rank - 1) : 1;
  ET_CHECK_OR_RETURN_ERROR(
      rank <= 2 && (rows == m || rows == 1) && (columns == n || columns == 1),
      InvalidArgument, "a tensor of %lldx%lld does not broadcast to %lldx%lld",
      (long long)rows, (long long)columns, (long long)m, (long long)n);
  addend.row_stride = rows == 1 ? 0 : self.strides()[0];
  addend.column_stride = columns == 1 ? 0 : self.strides()[rank - 1];
  return addend;
}

template <class T>
T value_of(const Scalar& x) {
  return x.isFloatingPoint() ? static_cast<T>(x.to<double>())
         : x.isBoolean()     ? static_cast<T>(x.to<bool>())
                             : static_cast<T>(x.to<int64_t>());
}

template <class T>
Error run_addmm(const Product& p, const Addend& addend, const Scalar& beta,
                const Scalar& alpha, Tensor& out) {
  const T a = value_of<T>(alpha);
  const T b = value_of<T>(beta);
  const MatrixView to = gemm::matrix_of(out);
  gemm::MatrixOutput<T> result(out.mutable_data_ptr(), out.scalar_type(),
                               {to.row_stride}, {to.column_stride});
  Scratch memory;
  const bool ones = a == T(1) && b == T(1);
  if (ones && addend.row_stride == 0) {
    result.column_bias = gemm::read_bias<T>(addend.data, out.scalar_type(),
                                            addend.column_stride, p.n, memory);
  } else if (ones && addend.column_stride == 0) {
    result.row_bias = gemm::read_bias<T>(addend.data, out.scalar_type(),
                                         addend.row_stride, p.m, memory);
  } else {
    // With beta 0 not even a NaN of the addend counts.
    result.scale(a, b, b == T(0) ? Addend() : addend);
    return gemm::run<T>(p, result);
  }
  ET_CHECK_OR_RETURN_ERROR(memory.data() != nullptr, MemoryAllocationFailed,
                           "no memory for a bias");
  return gemm::run<T>(p, result);
}

Error addmm(KernelRuntimeContext&, const MatmulState* state, const Tensor& self,
            const Tensor& a, const Tensor& b, const Scalar& beta,
            const Scalar& alpha, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_matrices(a, b, out, 2));
  ET_CHECK_OR_RETURN_ERROR(self.scalar_type() == a.scalar_type(),
                           InvalidArgument, "self has dtype %s, mat1 %s",
                           runtime::toString(self.scalar_type()),
                           runtime::toString(a.scalar_type()));
  ET_CHECK_OR_RETURN_ERROR(
      !runtime::isIntegralType(out.scalar_type(), false) ||
          !(alpha.isFloatingPoint() || beta.isFloatingPoint()),
      InvalidArgument, "alpha and beta of integer matrices must be integers");
  const Result<Addend> addend = broadcast(self, a.size(0), b.size(1));
  ET_CHECK_OK_OR_RETURN_ERROR(addend.error());
  const aten::SizesType sizes[] = {a.sizes()[0], b.sizes()[1]};
  ET_CHECK_OK_OR_RETURN_ERROR(runtime::resize_tensor(out, {sizes, 2}));
  const Product p = {1,
                     a.size(0),
                     b.size(1),
                     a.size(1),
                     gemm::matrix_of(a),
                     gemm::matrix_of(b),
                     gemm::packed_right(state)};
  Error error = Error::Ok;
  gemm::visit_sum_type(out.scalar_type(), [&](auto tag) {
    error =
        run_addmm<typename decltype(tag)::type>(p, *addend, beta, alpha, out);
  });
  return error;
}

std::shared_ptr<const MatmulState> prepare_addmm(PrepareContext& ctx,
                                                 const Tensor&, const Tensor& a,
                                                 const Tensor& b, const Scalar&,
                                                 const Scalar&, Tensor&) {
  if (b.dim() != 2) {
    return nullptr;
  }
  return gemm::prepare_right(ctx, 2, gemm::matrix_of(b), b.size(0), b.size(1),
                             gemm::fixed_rows(ctx, 1, a));
}

const Op kOps[] = {
    any_strides(op<gemm::kSumDtypes, mm, prepare_mm>("aten::mm.out")),
    op<gemm::kSumDtypes, bmm>("aten::bmm.out"),
    any_strides(op<gemm::kSumDtypes, addmm, prepare_addmm>("aten::addmm.out")),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
