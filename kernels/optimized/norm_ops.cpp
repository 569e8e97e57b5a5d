// Layer norm and group norm: each line is normalized by its own mean and
// variance.
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <cmath>

#include "kernels/common/lines.h"
#include "kernels/common/op.h"
#include "kernels/common/reduce.h"
#include "kernels/optimized/moments.h"

namespace executorch::kernels {
namespace {

using MaybeTensor = std::optional<Tensor>;

// Weight or bias as consecutive elements of T; null where there is none.
template <class T>
class Parameter {
 public:
  explicit Parameter(const MaybeTensor& tensor) {
    if (!tensor.has_value()) {
      return;
    }
    const ScalarType as = runtime::CppTypeToScalarType<T>::value;
    const LinesIn all(view(*tensor), 0, tensor->scalar_type(), as);
    data_ = reinterpret_cast<const T*>(all.direct(0));
    if (data_ == nullptr) {
      T* copied = scratch_.array<T>(all.length());
      failed_ = copied == nullptr;
      if (!failed_) {
        all.copy_to(0, copied);
      }
      data_ = copied;
    }
  }
  bool failed() const { return failed_; }
  const T* data() const { return data_; }

 private:
  Scratch scratch_;
  const T* data_ = nullptr;
  bool failed_ = false;
};

template <class T>
void normalize(const T* x, T* out, int64_t n, T mean, T scale, const T* weight,
               const T* bias) {
  if constexpr (std::is_same_v<T, float>) {
    vec::reduce().normalize(x, out, n, mean, scale, weight, bias);
  } else {
    for (int64_t i = 0; i < n; ++i) {
      out[i] = (x[i] - mean) * scale * (weight == nullptr ? 1 : weight[i]) +
               (bias == nullptr ? 0 : bias[i]);
    }
  }
}

struct Outs {
  Tensor& out;
  Tensor& mean;
  Tensor& rstd;
};

Error resize(const Tensor& in, const Shape& stats, const Outs& outs) {
  for (Tensor* t : {&outs.out, &outs.mean, &outs.rstd}) {
    ET_CHECK_OK_OR_RETURN_ERROR(check_cast(in.scalar_type(), *t));
  }
  ET_CHECK_OK_OR_RETURN_ERROR(runtime::resize_tensor(outs.out, in.sizes()));
  ET_CHECK_OK_OR_RETURN_ERROR(runtime::resize_tensor(outs.mean, stats.view()));
  return runtime::resize_tensor(outs.rstd, stats.view());
}

// Normalizes the lines that the dimensions of `x` and `y` from `first` on make
// up; `apply(i, from, to, mean, rstd)` does it for line i.
template <class T, class Apply>
Error for_each_normalized(const Tensor& in, const ConstView& x, const View& y,
                          const Outs& outs, int first, double eps,
                          Apply apply) {
  const ScalarType as = runtime::CppTypeToScalarType<T>::value;
  const LinesIn lines(x, first, in.scalar_type(), as);
  const LinesOut means(mutable_view(outs.mean), first, outs.mean.scalar_type(),
                       as);
  const LinesOut rstds(mutable_view(outs.rstd), first, outs.rstd.scalar_type(),
                       as);
  return for_each_line<T>(
      lines, LinesOut(y, first, outs.out.scalar_type(), as),
      [&](int64_t i, const T* from, T* to) {
        const int64_t n = lines.length();
        MomentSums sums = Moments<T>::empty();
        if (n > 0) {
          Moments<T>::row(sums, from, n, 0);
        }
        const auto mean = static_cast<T>(sums.mean());
        const auto rstd =
            static_cast<T>(1 / std::sqrt(sums.squares() / sums.count + eps));
        means.copy_from(i, &mean);
        rstds.copy_from(i, &rstd);
        apply(i, from, to, mean, rstd);
      });
}

Error check_parameter(const MaybeTensor& tensor, const char* what,
                      ArrayRef<aten::SizesType> shape) {
  ET_CHECK_OR_RETURN_ERROR(
      !tensor.has_value() || tensor->sizes().equals(shape), InvalidArgument,
      "the %s has rank %lld and %lld elements and does not fit", what,
      static_cast<long long>(tensor->dim()),
      static_cast<long long>(tensor->numel()));
  return Error::Ok;
}

Error layer_norm(KernelRuntimeContext&, const Tensor& in,
                 ArrayRef<int64_t> normalized_shape, MaybeTensor weight,
                 MaybeTensor bias, double eps, Tensor& out, Tensor& mean,
                 Tensor& rstd) {
  const auto dims = static_cast<int64_t>(normalized_shape.size());
  const int64_t first = in.dim() - dims;
  bool fits = dims > 0 && first >= 0;
  for (int64_t d = 0; fits && d < dims; ++d) {
    fits = in.size(first + d) == normalized_shape[d];
  }
  ET_CHECK_OR_RETURN_ERROR(
      fits, InvalidArgument,
      "the %lld normalized dimensions are not the last ones of the input",
      static_cast<long long>(dims));
  const ArrayRef<aten::SizesType> line_shape =
      in.sizes().slice(first, static_cast<size_t>(dims));
  ET_CHECK_OK_OR_RETURN_ERROR(check_parameter(weight, "weight", line_shape));
  ET_CHECK_OK_OR_RETURN_ERROR(check_parameter(bias, "bias", line_shape));
  const auto reduced =
      static_cast<DimSet>(((uint64_t{1} << dims) - 1) << first);
  const Outs outs{out, mean, rstd};
  ET_CHECK_OK_OR_RETURN_ERROR(
      resize(in, reduced_shape(in, reduced, true), outs));
  Error error = Error::InvalidArgument;
  visit(Types<float, double>{}, accumulation_dtype(in.scalar_type()),
        [&](auto tag) {
          using T = typename decltype(tag)::type;
          const Parameter<T> w(weight), b(bias);
          if (w.failed() || b.failed()) {
            error = Error::MemoryAllocationFailed;
            return;
          }
          const int64_t n = reduced_count(in, reduced);
          error = for_each_normalized<T>(
              in, view(in), mutable_view(out), outs, static_cast<int>(first),
              eps, [&](int64_t, const T* x, T* y, T m, T r) {
                normalize(x, y, n, m, r, w.data(), b.data());
              });
        });
  return error;
}

Error check_group_norm(const Tensor& in, const MaybeTensor& weight,
                       const MaybeTensor& bias, int64_t n, int64_t c,
                       int64_t hxw, int64_t groups) {
  ET_CHECK_OR_RETURN_ERROR(in.dim() >= 2 && in.size(0) == n &&
                               in.size(1) == c && in.numel() == n * c * hxw,
                           InvalidArgument,
                           "the input is not of %lld x %lld x %lld elements",
                           static_cast<long long>(n), static_cast<long long>(c),
                           static_cast<long long>(hxw));
  ET_CHECK_OR_RETURN_ERROR(groups > 0 && c % groups == 0, InvalidArgument,
                           "%lld channels cannot be split into %lld groups",
                           static_cast<long long>(c),
                           static_cast<long long>(groups));
  const aten::SizesType channels[] = {static_cast<aten::SizesType>(c)};
  ET_CHECK_OK_OR_RETURN_ERROR(check_parameter(weight, "weight", {channels, 1}));
  return check_parameter(bias, "bias", {channels, 1});
}

Error group_norm(KernelRuntimeContext&, const Tensor& in, MaybeTensor weight,
                 MaybeTensor bias, int64_t n, int64_t c, int64_t hxw,
                 int64_t groups, double eps, Tensor& out, Tensor& mean,
                 Tensor& rstd) {
  ET_CHECK_OK_OR_RETURN_ERROR(
      check_group_norm(in, weight, bias, n, c, hxw, groups));
  Shape stats;
  stats.dims = 2;
  stats.sizes[0] = static_cast<aten::SizesType>(n);
  stats.sizes[1] = static_cast<aten::SizesType>(groups);
  const Outs outs{out, mean, rstd};
  ET_CHECK_OK_OR_RETURN_ERROR(resize(in, stats, outs));
  ConstView x = view(in);
  View y = mutable_view(out);
  const int64_t channels = c / groups;
  x.split(1, channels);
  y.split(1, channels);
  Error error = Error::InvalidArgument;
  visit(Types<float, double>{}, accumulation_dtype(in.scalar_type()),
        [&](auto tag) {
          using T = typename decltype(tag)::type;
          const Parameter<T> w(weight), b(bias);
          if (w.failed() || b.failed()) {
            error = Error::MemoryAllocationFailed;
            return;
          }
          error = for_each_normalized<T>(
              in, x, y, outs, 2, eps,
              [&](int64_t line, const T* from, T* to, T m, T r) {
                for (int64_t k = 0; k < channels; ++k) {
                  const int64_t channel = line % groups * channels + k;
                  const T scale = w.data() ? r * w.data()[channel] : r;
                  const T shift = b.data() ? b.data()[channel] : T{0};
                  for (int64_t i = k * hxw; i < (k + 1) * hxw; ++i) {
                    to[i] = (from[i] - m) * scale + shift;
                  }
                }
              });
        });
  return error;
}

const Op kOps[] = {
    op<kFloats, layer_norm>("aten::native_layer_norm.out"),
    op<kFloats, group_norm>("aten::native_group_norm.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
