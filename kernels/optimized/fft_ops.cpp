// Fourier transforms of real tensors, and back: _fft_r2c and _fft_c2r.
//
// Everything is computed in complex numbers of doubles, and rounded once.
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/common/op.h"
#include "kernels/common/types.h"
#include "kernels/optimized/fft/fft.h"

namespace executorch::kernels {
namespace {

using fft::Complex;

constexpr size_t kMostDims = runtime::kTensorDimensionLimit;

// A dense array in default order to work in.
struct Grid {
  size_t rank = 0;
  int64_t sizes[kMostDims];
  Complex* data = nullptr;

  int64_t numel() const {
    int64_t n = 1;
    for (size_t d = 0; d < rank; ++d) {
      n *= sizes[d];
    }
    return n;
  }
  int64_t stride(size_t dim) const {
    int64_t n = 1;
    for (size_t d = dim + 1; d < rank; ++d) {
      n *= sizes[d];
    }
    return n;
  }
};

// Offset in `t` of the item that is the index-th of a dense array with `sizes`.
int64_t offset_of(const Tensor& t, const int64_t* sizes, int64_t index) {
  int64_t offset = 0;
  for (ssize_t d = t.dim() - 1; d >= 0; --d) {
    offset += index % sizes[d] * t.strides()[d];
    index /= sizes[d];
  }
  return offset;
}

// Transforms all lines along `dim`.
Error transform(const Grid& grid, size_t dim, bool inverse) {
  const int64_t n = grid.sizes[dim], stride = grid.stride(dim);
  fft::Plan plan;
  Scratch memory;
  Complex* line = memory.array<Complex>(n);
  ET_CHECK_OR_RETURN_ERROR(
      line != nullptr && plan.init(n, inverse), MemoryAllocationFailed,
      "no memory for a transform of %lld points", (long long)n);
  const int64_t lines = grid.numel() / n;
  for (int64_t i = 0; i < lines; ++i) {
    Complex* at = grid.data + i / stride * stride * n + i % stride;
    for (int64_t k = 0; k < n; ++k) {
      line[k] = at[k * stride];
    }
    plan.run(line);
    for (int64_t k = 0; k < n; ++k) {
      at[k * stride] = line[k];
    }
  }
  return Error::Ok;
}

// Which dimensions, each once and within the tensor.
Error check_dims(const Tensor& in, ArrayRef<int64_t> dims) {
  ET_CHECK_OR_RETURN_ERROR(!dims.empty(), InvalidArgument,
                           "no dimension to transform");
  uint32_t seen = 0;
  for (const int64_t d : dims) {
    ET_CHECK_OR_RETURN_ERROR(
        d >= 0 && d < in.dim() && (seen >> d & 1) == 0, InvalidArgument,
        "dimension %lld of a tensor of rank %d, each may be named once",
        (long long)d, int(in.dim()));
    ET_CHECK_OR_RETURN_ERROR(in.size(d) > 0, InvalidArgument,
                             "dimension %lld to transform is empty",
                             (long long)d);
    seen |= 1u << d;
  }
  return Error::Ok;
}

// 0: none, 1: by the root of the number of points, 2: by that number.
Result<double> scale(int64_t normalization, double points) {
  ET_CHECK_OR_RETURN_ERROR(
      normalization >= 0 && normalization <= 2, InvalidArgument,
      "normalization %lld, must be 0, 1 or 2", (long long)normalization);
  return normalization == 0   ? 1.0
         : normalization == 1 ? 1.0 / std::sqrt(points)
                              : 1.0 / points;
}

Error check_dtypes(const Tensor& real, const Tensor& complex) {
  const bool single = real.scalar_type() == ScalarType::Float &&
                      complex.scalar_type() == ScalarType::ComplexFloat;
  const bool wide = real.scalar_type() == ScalarType::Double &&
                    complex.scalar_type() == ScalarType::ComplexDouble;
  ET_CHECK_OR_RETURN_ERROR(
      single || wide, InvalidArgument,
      "the real tensor has dtype %s, the complex one %s; they must be float32 "
      "and complex64, or float64 and complex128",
      runtime::toString(real.scalar_type()),
      runtime::toString(complex.scalar_type()));
  return Error::Ok;
}

Error resize(const Tensor& in, size_t last, int64_t size, Tensor& out) {
  aten::SizesType sizes[kMostDims];
  std::copy(in.sizes().begin(), in.sizes().end(), sizes);
  sizes[last] = static_cast<aten::SizesType>(size);
  return runtime::resize_tensor(out, {sizes, size_t(in.dim())});
}

template <class T>
Error run_r2c(const Tensor& in, ArrayRef<int64_t> dims, double factor,
              Tensor& out) {
  Grid grid;
  grid.rank = in.dim();
  std::copy(in.sizes().begin(), in.sizes().end(), grid.sizes);
  Scratch memory;
  grid.data = memory.array<Complex>(grid.numel());
  ET_CHECK_OR_RETURN_ERROR(grid.data != nullptr, MemoryAllocationFailed,
                           "no memory for %lld points",
                           (long long)grid.numel());
  const T* from = in.const_data_ptr<T>();
  for (int64_t i = 0; i < grid.numel(); ++i) {
    grid.data[i] = static_cast<double>(from[offset_of(in, grid.sizes, i)]);
  }
  for (const int64_t d : dims) {
    ET_CHECK_OK_OR_RETURN_ERROR(transform(grid, d, false));
  }
  // The result may hold the first half of the last dimension only.
  int64_t sizes[kMostDims];
  std::copy(out.sizes().begin(), out.sizes().end(), sizes);
  auto* to = static_cast<std::complex<T>*>(out.mutable_data_ptr());
  const size_t last = dims[dims.size() - 1];
  const int64_t inner = grid.stride(last);
  for (int64_t i = 0; i < out.numel(); ++i) {
    const int64_t row = i / (sizes[last] * inner);
    const int64_t at =
        row * grid.sizes[last] * inner + i % (sizes[last] * inner);
    to[offset_of(out, sizes, i)] = std::complex<T>(grid.data[at] * factor);
  }
  return Error::Ok;
}

Error fft_r2c(KernelRuntimeContext&, const Tensor& in, ArrayRef<int64_t> dims,
              int64_t normalization, bool onesided, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_dtypes(in, out));
  ET_CHECK_OK_OR_RETURN_ERROR(check_dims(in, dims));
  double points = 1;
  for (const int64_t d : dims) {
    points *= static_cast<double>(in.size(d));
  }
  const Result<double> factor = scale(normalization, points);
  ET_CHECK_OK_OR_RETURN_ERROR(factor.error());
  const size_t last = dims[dims.size() - 1];
  const int64_t size = in.size(last);
  ET_CHECK_OK_OR_RETURN_ERROR(
      resize(in, last, onesided ? size / 2 + 1 : size, out));
  return in.scalar_type() == ScalarType::Float
             ? run_r2c<float>(in, dims, *factor, out)
             : run_r2c<double>(in, dims, *factor, out);
}

// The last dimension of `in` holds the first half of `size` points; the others
// are the conjugates of these.
template <class T>
Error run_c2r(const Tensor& in, ArrayRef<int64_t> dims, int64_t size,
              double factor, Tensor& out) {
  Grid half, grid;
  half.rank = grid.rank = in.dim();
  std::copy(in.sizes().begin(), in.sizes().end(), half.sizes);
  std::copy(in.sizes().begin(), in.sizes().end(), grid.sizes);
  const size_t last = dims[dims.size() - 1];
  grid.sizes[last] = size;
  Scratch half_memory, memory;
  half.data = half_memory.array<Complex>(half.numel());
  grid.data = memory.array<Complex>(grid.numel());
  ET_CHECK_OR_RETURN_ERROR(half.data != nullptr && grid.data != nullptr,
                           MemoryAllocationFailed, "no memory for %lld points",
                           (long long)grid.numel());
  const auto* from = static_cast<const std::complex<T>*>(in.const_data_ptr());
  for (int64_t i = 0; i < half.numel(); ++i) {
    half.data[i] = Complex(from[offset_of(in, half.sizes, i)]);
  }
  for (size_t d = 0; d + 1 < dims.size(); ++d) {
    ET_CHECK_OK_OR_RETURN_ERROR(transform(half, dims[d], true));
  }
  const int64_t inner = grid.stride(last);
  for (int64_t i = 0; i < grid.numel(); ++i) {
    const int64_t row = i / (size * inner), k = i / inner % size;
    const int64_t mirrored = k <= size / 2 ? k : size - k;
    const Complex x =
        half.data[(row * half.sizes[last] + mirrored) * inner + i % inner];
    // The first point, and the middle one of an even number, are real.
    const bool real = k == 0 || 2 * k == size;
    grid.data[i] = real ? Complex(x.real()) : k == mirrored ? x : std::conj(x);
  }
  ET_CHECK_OK_OR_RETURN_ERROR(transform(grid, last, true));
  T* to = out.mutable_data_ptr<T>();
  for (int64_t i = 0; i < grid.numel(); ++i) {
    to[offset_of(out, grid.sizes, i)] =
        static_cast<T>(grid.data[i].real() * factor);
  }
  return Error::Ok;
}

Error fft_c2r(KernelRuntimeContext&, const Tensor& in, ArrayRef<int64_t> dims,
              int64_t normalization, int64_t size, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_dtypes(out, in));
  ET_CHECK_OK_OR_RETURN_ERROR(check_dims(in, dims));
  const size_t last = dims[dims.size() - 1];
  ET_CHECK_OR_RETURN_ERROR(
      size >= 1 && size / 2 + 1 <= in.size(last), InvalidArgument,
      "%lld points from %d, half of them and one are needed", (long long)size,
      int(in.size(last)));
  double points = static_cast<double>(size);
  for (size_t d = 0; d + 1 < dims.size(); ++d) {
    points *= static_cast<double>(in.size(dims[d]));
  }
  const Result<double> factor = scale(normalization, points);
  ET_CHECK_OK_OR_RETURN_ERROR(factor.error());
  ET_CHECK_OK_OR_RETURN_ERROR(resize(in, last, size, out));
  return out.scalar_type() == ScalarType::Float
             ? run_c2r<float>(in, dims, size, *factor, out)
             : run_c2r<double>(in, dims, size, *factor, out);
}

const Op kOps[] = {
    op<dtype_set(ScalarType::Float, ScalarType::Double), fft_r2c>(
        "aten::_fft_r2c.out"),
    op<kComplex, fft_c2r>("aten::_fft_c2r.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
