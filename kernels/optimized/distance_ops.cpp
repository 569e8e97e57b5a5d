// Distances between rows of matrices: _cdist_forward and _pdist_forward.
//
// A norm is what is summed over the coordinates, in double, and what becomes of
// the sum.
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/common/op.h"
#include "kernels/common/parallel.h"
#include "kernels/common/types.h"

namespace executorch::kernels {
namespace {

struct Zero {
  double add(double sum, double x) const { return sum + (x != 0); }
  double finish(double sum) const { return sum; }
};
struct One {
  double add(double sum, double x) const { return sum + x; }
  double finish(double sum) const { return sum; }
};
struct Two {
  double add(double sum, double x) const { return sum + x * x; }
  double finish(double sum) const { return std::sqrt(sum); }
};
struct Infinity {  // a NaN stays
  double add(double sum, double x) const {
    return x <= sum ? sum : x + 0 * sum;
  }
  double finish(double sum) const { return sum; }
};
struct Power {
  double p;
  double add(double sum, double x) const { return sum + std::pow(x, p); }
  double finish(double sum) const { return std::pow(sum, 1 / p); }
};

template <class F>
void with_norm(double p, F f) {
  if (p == 0) {
    f(Zero{});
  } else if (p == 1) {
    f(One{});
  } else if (p == 2) {
    f(Two{});
  } else if (std::isinf(p)) {
    f(Infinity{});
  } else {
    f(Power{p});
  }
}

// Rows of a matrix in memory, strides in items.
template <class T>
struct Rows {
  const T* data;
  int64_t row_stride, stride;
};

template <class T, class Norm>
T distance(Norm norm, const Rows<T>& a, int64_t i, const Rows<T>& b, int64_t j,
           int64_t n) {
  const T* x = a.data + i * a.row_stride;
  const T* y = b.data + j * b.row_stride;
  double sum = 0;
  for (int64_t k = 0; k < n; ++k) {
    sum = norm.add(sum,
                   std::abs(double(x[k * a.stride]) - double(y[k * b.stride])));
  }
  return static_cast<T>(norm.finish(sum));
}

constexpr DtypeSet kMeasured =
    dtype_set(ScalarType::Float, ScalarType::Double);

Error check(const Tensor& a, const Tensor& b, const Tensor& out, double p) {
  ET_CHECK_OR_RETURN_ERROR(
      b.scalar_type() == a.scalar_type() &&
          out.scalar_type() == a.scalar_type(),
      InvalidArgument,
      "dtypes %s, %s and %s; all must be float32, or all float64",
      runtime::toString(a.scalar_type()), runtime::toString(b.scalar_type()),
      runtime::toString(out.scalar_type()));
  ET_CHECK_OR_RETURN_ERROR(p >= 0, InvalidArgument, "the norm %f is negative",
                           p);
  return Error::Ok;
}

// Matrices of both operands with their batches broadcast.
struct Batches {
  size_t rank = 0;  // of the batch
  aten::SizesType sizes[runtime::kTensorDimensionLimit];
  int64_t strides[3][runtime::kTensorDimensionLimit];  // a, b, result

  Error init(const Tensor& a, const Tensor& b) {
    rank = std::max(a.dim(), b.dim()) - 2;
    std::fill(sizes, sizes + rank, 1);
    const Tensor* tensors[] = {&a, &b};
    for (int t = 0; t < 2; ++t) {
      const Tensor& x = *tensors[t];
      std::fill(strides[t], strides[t] + rank, int64_t{0});
      for (int d = 0; d + 2 < x.dim(); ++d) {
        const size_t at = rank + 2 - x.dim() + d;
        const aten::SizesType size = x.sizes()[d];
        ET_CHECK_OR_RETURN_ERROR(
            size == 1 || sizes[at] == 1 || sizes[at] == size, InvalidArgument,
            "batches of %d and %d matrices", int(sizes[at]), int(size));
        sizes[at] = sizes[at] == 1 ? size : sizes[at];
        strides[t][at] = size == 1 ? 0 : x.strides()[d];
      }
    }
    return Error::Ok;
  }

  int64_t count() const {
    int64_t n = 1;
    for (size_t d = 0; d < rank; ++d) {
      n *= sizes[d];
    }
    return n;
  }

  int64_t offset(int t, int64_t index) const {
    int64_t offset = 0;
    for (size_t d = rank; d-- > 0;) {
      offset += index % sizes[d] * strides[t][d];
      index /= sizes[d];
    }
    return offset;
  }
};

template <class T>
Rows<T> rows_of(const Tensor& t, int64_t offset) {
  const int rows = static_cast<int>(t.dim()) - 2;
  return {t.const_data_ptr<T>() + offset, t.strides()[rows],
          t.strides()[rows + 1]};
}

template <class T, class Norm>
void run_cdist(Norm norm, const Batches& batches, const Tensor& a,
               const Tensor& b, Tensor& out) {
  const int64_t n = a.size(a.dim() - 1);
  const int64_t left = a.size(a.dim() - 2), right = b.size(b.dim() - 2);
  const int rows = static_cast<int>(out.dim()) - 2;
  parallel(batches.count() * left, kGrainBytes / (8 * n * right + 1) + 1,
           [&](int64_t begin, int64_t end) {
             for (int64_t at = begin; at < end; ++at) {
               const int64_t batch = at / left, i = at % left;
               const Rows<T> x = rows_of<T>(a, batches.offset(0, batch));
               const Rows<T> y = rows_of<T>(b, batches.offset(1, batch));
               T* to = out.mutable_data_ptr<T>() + batches.offset(2, batch) +
                       i * out.strides()[rows];
               for (int64_t j = 0; j < right; ++j) {
                 to[j * out.strides()[rows + 1]] =
                     distance(norm, x, i, y, j, n);
               }
             }
           });
}

// `mode` says whether eager may compute by a matrix product; we never do.
Error cdist(KernelRuntimeContext&, const Tensor& a, const Tensor& b, double p,
            std::optional<int64_t> mode, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check(a, b, out, p));
  ET_CHECK_OR_RETURN_ERROR(a.dim() >= 2 && b.dim() >= 2, InvalidArgument,
                           "operands of rank %d and %d, at least 2 expected",
                           int(a.dim()), int(b.dim()));
  ET_CHECK_OR_RETURN_ERROR(a.size(a.dim() - 1) == b.size(b.dim() - 1),
                           InvalidArgument, "rows of %d and %d coordinates",
                           int(a.size(a.dim() - 1)), int(b.size(b.dim() - 1)));
  ET_CHECK_OR_RETURN_ERROR(mode.value_or(0) >= 0 && mode.value_or(0) <= 2,
                           InvalidArgument, "mode %lld, must be 0, 1 or 2",
                           (long long)mode.value_or(0));
  Batches batches;
  ET_CHECK_OK_OR_RETURN_ERROR(batches.init(a, b));
  aten::SizesType sizes[runtime::kTensorDimensionLimit];
  std::copy(batches.sizes, batches.sizes + batches.rank, sizes);
  sizes[batches.rank] = a.sizes()[a.dim() - 2];
  sizes[batches.rank + 1] = b.sizes()[b.dim() - 2];
  ET_CHECK_OK_OR_RETURN_ERROR(
      runtime::resize_tensor(out, {sizes, batches.rank + 2}));
  std::copy(out.strides().begin(), out.strides().begin() + batches.rank,
            batches.strides[2]);
  visit(Types<float, double>{}, a.scalar_type(), [&](auto tag) {
    with_norm(p, [&](auto norm) {
      run_cdist<typename decltype(tag)::type>(norm, batches, a, b, out);
    });
  });
  return Error::Ok;
}

Error pdist(KernelRuntimeContext&, const Tensor& in, double p, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check(in, in, out, p));
  ET_CHECK_OR_RETURN_ERROR(in.dim() == 2, InvalidArgument,
                           "an input of rank %d, must be 2", int(in.dim()));
  const int64_t rows = in.size(0), n = in.size(1);
  const int64_t pairs = rows * (rows - 1) / 2;
  ET_CHECK_OR_RETURN_ERROR(pairs <= std::numeric_limits<int32_t>::max(),
                           InvalidArgument, "%lld rows have too many pairs",
                           (long long)rows);
  const aten::SizesType size = static_cast<aten::SizesType>(pairs);
  ET_CHECK_OK_OR_RETURN_ERROR(runtime::resize_tensor(out, {&size, 1}));
  visit(Types<float, double>{}, in.scalar_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Rows<T> x = rows_of<T>(in, 0);
    T* to = out.mutable_data_ptr<T>();
    with_norm(p, [&](auto norm) {
      parallel(rows, kGrainBytes / (4 * n * rows + 1) + 1,
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   // Pairs of the rows before this one.
                   T* row = to + i * (2 * rows - i - 1) / 2;
                   for (int64_t j = i + 1; j < rows; ++j) {
                     row[j - i - 1] = distance(norm, x, i, x, j, n);
                   }
                 }
               });
    });
  });
  return Error::Ok;
}

const Op kOps[] = {
    op<kMeasured, cdist>("aten::_cdist_forward.out"),
    op<kMeasured, pdist>("aten::_pdist_forward.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
