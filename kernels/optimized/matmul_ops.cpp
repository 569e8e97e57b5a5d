// Products of matrices: mm, bmm, addmm, linear.
//
// Each describes its operands as strided views and leaves the work to the
// driver in gemm/. Sums of float16 and bfloat16 are kept in float and rounded
// once.
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <cstdio>
#include <limits>

#include "kernels/common/op.h"
#include "kernels/optimized/gemm/few_rows.h"
#include "kernels/optimized/gemm/matrix.h"

namespace executorch::kernels {
namespace {

using gemm::Addend;
using gemm::BatchOffset;
using gemm::MatrixView;
using gemm::Places;
using gemm::Side;

// What is prepared when the right operand is constant. Its data may be gone
// then.
struct MatmulState {
  std::shared_ptr<const gemm::Packed<float>> right;
};

struct Product {
  int64_t batch = 1, m, n, k;
  MatrixView left, right;
  const gemm::Packed<float>* packed = nullptr;  // of `right`
};

MatrixView matrix_of(const Tensor& t) {
  const int rows = static_cast<int>(t.dim()) - 2;
  MatrixView view = {t.const_data_ptr(), t.scalar_type(), t.strides()[rows],
                     t.strides()[rows + 1]};
  if (rows == 1) {
    view.batch = {1, t.strides()[0], 0};
  }
  return view;
}

Error check_dtypes(const Tensor& a, const Tensor& b, const Tensor& out) {
  ET_CHECK_OR_RETURN_ERROR(
      a.scalar_type() == b.scalar_type() &&
          a.scalar_type() == out.scalar_type(),
      InvalidArgument, "the operands and the result have dtypes %s, %s and %s",
      runtime::toString(a.scalar_type()), runtime::toString(b.scalar_type()),
      runtime::toString(out.scalar_type()));
  ET_CHECK_OR_RETURN_ERROR(
      gemm::visit_sum_type(a.scalar_type(), [](auto) {}), InvalidArgument,
      "no product of matrices of dtype %s", runtime::toString(a.scalar_type()));
  return Error::Ok;
}

// `count` items of a bias in T, with the padding that the driver asks for.
template <class T>
const T* read_bias(const void* data, ScalarType dtype, int64_t stride,
                   int64_t count, Scratch& memory) {
  constexpr int64_t kPadding = gemm::Output<T>::kPadding;
  T* bias = memory.array<T>(count + kPadding);
  if (bias != nullptr) {
    gemm::Cast<T>(dtype).read(static_cast<const char*>(data), stride, bias,
                              count);
    std::fill(bias + count, bias + count + kPadding, T(0));
  }
  return bias;
}

// Rows of this many items are near enough to each other to be used many times
// where they are.
constexpr int64_t kNear = 256;

// Runs a product whose result is described by `out`.
template <class T>
Error run(Product p, gemm::MatrixOutput<T>& out) {
  if constexpr (std::is_same_v<T, float>) {
    if (p.packed != nullptr) {
      return gemm::multiply<T>(p.batch, p.m, p.n, p.k,
                               gemm::Matrix<T>(Side::left, p.left), *p.packed,
                               out);
    }
    if (p.n < p.m && gemm::takes_few_rows(p.n, p.left.transposed())) {
      std::swap(p.left, p.right);
      p.left = p.left.transposed();
      p.right = p.right.transposed();
      std::swap(p.m, p.n);
      out.transpose();
    }
    if (gemm::takes_few_rows(p.m, p.right)) {
      return gemm::multiply_few_rows(p.batch, p.m, p.n, p.k, p.left, p.right,
                                     out);
    }
  }
  const bool once =
      p.m <= 2 * gemm::kernels<T>().max_rows || p.right.row_stride <= kNear;
  return gemm::multiply<T>(p.batch, p.m, p.n, p.k,
                           gemm::Matrix<T>(Side::left, p.left),
                           gemm::Matrix<T>(Side::right, p.right, once), out);
}

// The right operand of one instruction, packed once for all its runs, unless so
// few `rows` of the left one meet it in all of them that it is read fastest
// where it is.
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
      (few && gemm::takes_few_rows(*rows, right))) {
    return nullptr;
  }
  char recipe[160];
  std::snprintf(recipe, sizeof(recipe), "gemm right %lldx%lld %lld %lld %d",
                (long long)k, (long long)n, (long long)right.row_stride,
                (long long)right.column_stride, int(right.dtype));
  auto packed = ctx.share(right.data, recipe, [&] {
    return gemm::Packed<float>::make(gemm::Matrix<float>(Side::right, right),
                                     Side::right, 1, n, k);
  });
  if (packed == nullptr) {
    return nullptr;
  }
  ctx.release(index);
  return std::make_shared<MatmulState>(
      MatmulState{std::static_pointer_cast<const gemm::Packed<float>>(packed)});
}

const gemm::Packed<float>* packed_right(const MatmulState* state) {
  return state != nullptr ? state->right.get() : nullptr;
}

// The number of rows of argument `index`, if it is the same in every run.
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

// mm and bmm

Error check_matrices(const Tensor& a, const Tensor& b, const Tensor& out,
                     int rank) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_dtypes(a, b, out));
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
    const MatrixView to = matrix_of(out);
    gemm::MatrixOutput<T> result(out.mutable_data_ptr(), out.scalar_type(),
                                 {to.row_stride}, {to.column_stride}, to.batch);
    error = run<T>(p, result);
  });
  return error;
}

Error mm(KernelRuntimeContext&, const MatmulState* state, const Tensor& a,
         const Tensor& b, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_matrices(a, b, out, 2));
  const aten::SizesType sizes[] = {a.sizes()[0], b.sizes()[1]};
  ET_CHECK_OK_OR_RETURN_ERROR(runtime::resize_tensor(out, {sizes, 2}));
  return matmul({1, a.size(0), b.size(1), a.size(1), matrix_of(a), matrix_of(b),
                 packed_right(state)},
                out);
}

std::shared_ptr<const MatmulState> prepare_mm(PrepareContext& ctx,
                                              const Tensor& a, const Tensor& b,
                                              Tensor&) {
  if (b.dim() != 2) {
    return nullptr;
  }
  return prepare_right(ctx, 1, matrix_of(b), b.size(0), b.size(1),
                       fixed_rows(ctx, 0, a));
}

Error bmm(KernelRuntimeContext&, const Tensor& a, const Tensor& b,
          Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_matrices(a, b, out, 3));
  const aten::SizesType sizes[] = {a.sizes()[0], a.sizes()[1], b.sizes()[2]};
  ET_CHECK_OK_OR_RETURN_ERROR(runtime::resize_tensor(out, {sizes, 3}));
  return matmul(
      {a.size(0), a.size(1), b.size(2), a.size(2), matrix_of(a), matrix_of(b)},
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
  const MatrixView to = matrix_of(out);
  gemm::MatrixOutput<T> result(out.mutable_data_ptr(), out.scalar_type(),
                               {to.row_stride}, {to.column_stride});
  Scratch memory;
  const bool ones = a == T(1) && b == T(1);
  if (ones && addend.row_stride == 0) {
    result.column_bias = read_bias<T>(addend.data, out.scalar_type(),
                                      addend.column_stride, p.n, memory);
  } else if (ones && addend.column_stride == 0) {
    result.row_bias = read_bias<T>(addend.data, out.scalar_type(),
                                   addend.row_stride, p.m, memory);
  } else {
    // With beta 0 not even a NaN of the addend counts.
    result.scale(a, b, b == T(0) ? Addend() : addend);
    return run<T>(p, result);
  }
  ET_CHECK_OR_RETURN_ERROR(memory.data() != nullptr, MemoryAllocationFailed,
                           "no memory for a bias");
  return run<T>(p, result);
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
                     matrix_of(a),
                     matrix_of(b),
                     packed_right(state)};
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
  return prepare_right(ctx, 2, matrix_of(b), b.size(0), b.size(1),
                       fixed_rows(ctx, 1, a));
}

// linear

// The weight as right operand: its rows are columns of the product. One of rank
// 1 gives one column.
MatrixView weight_view(const Tensor& weight) {
  if (weight.dim() == 1) {
    return {weight.const_data_ptr(), weight.scalar_type(), weight.strides()[0],
            0};
  }
  return matrix_of(weight).transposed();
}

int64_t weight_columns(const Tensor& weight) {
  return weight.dim() == 1 ? 1 : weight.size(0);
}

Error check_linear(const Tensor& in, const Tensor& weight,
                   const std::optional<Tensor>& bias, const Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_dtypes(in, weight, out));
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
    values = read_bias<T>(bias->const_data_ptr(), bias->scalar_type(), stride,
                          n, memory);
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
    return run<T>({1, m, n, in.size(last), left, weight_view(weight),
                   packed_right(state)},
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
  return prepare_right(ctx, 1, weight_view(weight), weight.size(1),
                       weight.size(0), fixed_rows(ctx, 0, in));
}

const Op kOps[] = {
    op<mm, prepare_mm>("aten::mm.out"),
    op<bmm>("aten::bmm.out"),
    op<addmm, prepare_addmm>("aten::addmm.out"),
    op<linear, prepare_linear>("aten::linear.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
