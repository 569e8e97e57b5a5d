// Batch norm: each channel (dimension 1) is scaled and shifted, by statistics
// that are given or that are those of the batch.
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <cmath>

#include "kernels/common/elementwise.h"
#include "kernels/common/lines.h"
#include "kernels/common/op.h"
#include "kernels/common/reduce.h"
#include "kernels/common/scratch.h"
#include "kernels/optimized/affine.h"
#include "kernels/optimized/moments.h"

namespace executorch::kernels {
namespace {

using MaybeTensor = std::optional<Tensor>;

// Element i of a tensor with one dimension.
double element(const Tensor& tensor, int64_t i) {
  double value = 0;
  visit(FloatTypes{}, tensor.scalar_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    value = static_cast<double>(
        tensor.const_data_ptr<T>()[i * tensor.strides()[0]]);
  });
  return value;
}
void set_element(Tensor& tensor, int64_t i, double value) {
  visit(FloatTypes{}, tensor.scalar_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    tensor.mutable_data_ptr<T>()[i * tensor.strides()[0]] =
        static_cast<T>(value);
  });
}

// From this number of elements on, a plane is worth a call of its own.
constexpr int64_t kLongPlane = 16;

// out = x * scale + shift
template <class T>
struct Affine {
  T operator()(T x, T scale, T shift) const { return x * scale + shift; }
};

// Per channel: the factor and summand that normalize it.
template <class T>
struct Coefficients {
  Scratch scratch;
  T* scale = nullptr;
  T* shift = nullptr;

  bool reserve(int64_t channels) {
    scale = scratch.array<T>(2 * channels);
    shift = scale != nullptr ? scale + channels : nullptr;
    return scale != nullptr;
  }
  void set(int64_t c, double mean, double invstd, const MaybeTensor& weight,
           const MaybeTensor& bias) {
    const double factor = weight ? invstd * element(*weight, c) : invstd;
    scale[c] = static_cast<T>(factor);
    shift[c] = static_cast<T>((bias ? element(*bias, c) : 0) - mean * factor);
  }
};

struct Norm {
  const Tensor& in;
  const MaybeTensor& weight;
  const MaybeTensor& bias;
  double eps;
  Tensor& out;

  int64_t channels() const { return in.size(1); }
  ScalarType as() const { return accumulation_dtype(in.scalar_type()); }

  Error check() const {
    ET_CHECK_OR_RETURN_ERROR(
        in.dim() >= 2, InvalidArgument,
        "batch norm needs a batch and a channel dimension, got rank %lld",
        static_cast<long long>(in.dim()));
    ET_CHECK_OK_OR_RETURN_ERROR(check_cast(in.scalar_type(), out));
    for (const MaybeTensor* t : {&weight, &bias}) {
      if (t->has_value()) {
        ET_CHECK_OK_OR_RETURN_ERROR(check_per_channel(**t));
      }
    }
    return Error::Ok;
  }
  Error check_per_channel(const Tensor& t) const {
    ET_CHECK_OR_RETURN_ERROR(
        t.dim() == 1 && t.size(0) == channels() &&
            is_in(t.scalar_type(), kFloats),
        InvalidArgument,
        "there are %lld channels; a tensor of %lld elements of %s does not fit",
        static_cast<long long>(channels()), static_cast<long long>(t.numel()),
        runtime::toString(t.scalar_type()));
    return Error::Ok;
  }

  // `statistics(c)` gives the pair of mean and 1 / sqrt(variance + eps).
  template <class Statistics>
  Error apply(Statistics statistics) const {
    Error error = Error::InvalidArgument;
    visit(Types<float, double>{}, as(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      Coefficients<T> coefficients;
      if (!coefficients.reserve(channels())) {
        error = Error::MemoryAllocationFailed;
        return;
      }
      for (int64_t c = 0; c < channels(); ++c) {
        const auto [mean, invstd] = statistics(c);
        coefficients.set(c, mean, invstd, weight, bias);
      }
      error = apply(coefficients.scale, coefficients.shift);
    });
    return error;
  }

 private:
  template <class T>
  Error apply(const T* scale, const T* shift) const {
    const LinesIn planes(view(in), 2, in.scalar_type(), as());
    return planes.in_place() && planes.length() >= kLongPlane
               ? apply_by_plane(planes, scale, shift)
               : apply_by_element(scale, shift);
  }

  // The elements of an image and a channel lie together: one factor each.
  template <class T>
  Error apply_by_plane(const LinesIn& planes, const T* scale,
                       const T* shift) const {
    return for_each_line<T>(
        planes, LinesOut(mutable_view(out), 2, out.scalar_type(), as()),
        [&](int64_t i, const T* x, T* y) {
          const int64_t c = i % channels();
          affine(x, y, planes.length(), scale[c], shift[c]);
        });
  }

  template <class T>
  Error apply_by_element(const T* scale, const T* shift) const {
    aten::SizesType sizes[runtime::kTensorDimensionLimit];
    aten::StridesType strides[runtime::kTensorDimensionLimit];
    const int dims = static_cast<int>(in.dim()) - 1;
    for (int d = 0; d < dims; ++d) {
      sizes[d] = 1;
      strides[d] = 1;
    }
    sizes[0] = static_cast<aten::SizesType>(channels());
    auto per_channel = [&](const T* values) {
      Operand x(in, as());
      x.data = reinterpret_cast<const char*>(values);
      x.dtype = as();
      x.dims = dims;
      x.sizes = sizes;
      x.strides = strides;
      return x;
    };
    const Affine<T> affine;
    Computation computation;
    computation.run = Block<Affine<T>, T, T, T, T>::run;
    computation.params = &affine;
    computation.writes = as();
    computation.result = in.scalar_type();
    const Operand operands[] = {Operand(in, as()), per_channel(scale),
                                per_channel(shift)};
    return elementwise(computation, {operands, 3}, out);
  }
};

using Statistics = std::pair<double, double>;

// Normalizes by given statistics; `save` tensors become empty.
Error normalize_by(const Norm& norm, const Tensor& mean, const Tensor& variance,
                   Tensor& save_mean, Tensor& save_invstd) {
  ET_CHECK_OK_OR_RETURN_ERROR(norm.check());
  ET_CHECK_OK_OR_RETURN_ERROR(norm.check_per_channel(mean));
  ET_CHECK_OK_OR_RETURN_ERROR(norm.check_per_channel(variance));
  const aten::SizesType none[] = {0};
  ET_CHECK_OK_OR_RETURN_ERROR(
      runtime::resize_tensor(norm.out, norm.in.sizes()));
  ET_CHECK_OK_OR_RETURN_ERROR(
      runtime::resize_tensor(save_mean, ArrayRef<aten::SizesType>(none, 1)));
  ET_CHECK_OK_OR_RETURN_ERROR(
      runtime::resize_tensor(save_invstd, ArrayRef<aten::SizesType>(none, 1)));
  return norm.apply([&](int64_t c) {
    return Statistics(element(mean, c),
                      1 / std::sqrt(element(variance, c) + norm.eps));
  });
}

// Means to out[0], sums of squared differences from them to out[1].
void write_moments(const void* states, int64_t n, int64_t, const void*,
                   void* const* out) {
  for (int64_t i = 0; i < n; ++i) {
    const auto& s = static_cast<const MomentSums*>(states)[i];
    static_cast<double*>(out[0])[i] = s.mean();
    static_cast<double*>(out[1])[i] = s.squares();
  }
}

struct RunningStatistics {
  Tensor& mean;
  Tensor& variance;
  double momentum;

  void update(int64_t c, double batch_mean, double batch_variance) {
    move(mean, c, batch_mean);
    move(variance, c, batch_variance);
  }

 private:
  void move(Tensor& t, int64_t c, double value) {
    set_element(t, c, (1 - momentum) * element(t, c) + momentum * value);
  }
};

// Normalizes by the statistics of the batch, which are saved; `running` may be
// null.
Error normalize_by_batch(const Norm& norm, RunningStatistics* running,
                         Tensor& save_mean, Tensor& save_invstd) {
  ET_CHECK_OK_OR_RETURN_ERROR(norm.check());
  const DimSet dims =
      static_cast<DimSet>(((uint64_t{1} << norm.in.dim()) - 1) & ~DimSet{2});
  const auto count = static_cast<double>(reduced_count(norm.in, dims));
  aten::SizesType size[] = {static_cast<aten::SizesType>(norm.channels())};
  const ArrayRef<aten::SizesType> channels(size, 1);
  for (Tensor* t : {&save_mean, &save_invstd}) {
    ET_CHECK_OK_OR_RETURN_ERROR(check_cast(norm.in.scalar_type(), *t));
  }
  ET_CHECK_OK_OR_RETURN_ERROR(
      runtime::resize_tensor(norm.out, norm.in.sizes()));
  ET_CHECK_OK_OR_RETURN_ERROR(runtime::resize_tensor(save_mean, channels));
  ET_CHECK_OK_OR_RETURN_ERROR(runtime::resize_tensor(save_invstd, channels));

  Scratch scratch;
  double* means = scratch.array<double>(2 * norm.channels());
  ET_CHECK_OR_RETURN_ERROR(means != nullptr, MemoryAllocationFailed,
                           "no memory for the statistics of %lld channels",
                           static_cast<long long>(norm.channels()));
  double* squares = means + norm.channels();
  aten::DimOrderType order[] = {0};
  aten::StridesType stride[] = {1};
  aten::TensorImpl mean_impl(ScalarType::Double, 1, size, means, order, stride);
  aten::TensorImpl square_impl(ScalarType::Double, 1, size, squares, order,
                               stride);
  Tensor mean_tensor(&mean_impl), square_tensor(&square_impl);
  const ReduceOut outs[] = {{mean_tensor, ScalarType::Double},
                            {square_tensor, ScalarType::Double}};
  Error error = Error::InvalidArgument;
  visit(Types<float, double>{}, norm.as(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    error = reduce(reduction<Moments<T>>(norm.in.scalar_type(), write_moments),
                   norm.in, dims, false, {outs, 2});
  });
  ET_CHECK_OK_OR_RETURN_ERROR(error);
  return norm.apply([&](int64_t c) {
    const double invstd = 1 / std::sqrt(squares[c] / count + norm.eps);
    set_element(save_mean, c, means[c]);
    set_element(save_invstd, c, invstd);
    if (running != nullptr) {
      running->update(c, means[c], squares[c] / (count - 1));
    }
    return Statistics(means[c], invstd);
  });
}

Error no_training(KernelRuntimeContext&, const Tensor& in, MaybeTensor weight,
                  MaybeTensor bias, const Tensor& running_mean,
                  const Tensor& running_var, double /*momentum*/, double eps,
                  Tensor& out, Tensor& save_mean, Tensor& save_invstd) {
  return normalize_by({in, weight, bias, eps, out}, running_mean, running_var,
                      save_mean, save_invstd);
}

Error legit(KernelRuntimeContext&, const Tensor& in, MaybeTensor weight,
            MaybeTensor bias, Tensor& running_mean, Tensor& running_var,
            bool training, double momentum, double eps, Tensor& out,
            Tensor& save_mean, Tensor& save_invstd) {
  const Norm norm{in, weight, bias, eps, out};
  if (!training) {
    return normalize_by(norm, running_mean, running_var, save_mean,
                        save_invstd);
  }
  ET_CHECK_OK_OR_RETURN_ERROR(norm.check());
  ET_CHECK_OK_OR_RETURN_ERROR(norm.check_per_channel(running_mean));
  ET_CHECK_OK_OR_RETURN_ERROR(norm.check_per_channel(running_var));
  RunningStatistics running{running_mean, running_var, momentum};
  return normalize_by_batch(norm, &running, save_mean, save_invstd);
}

Error no_stats(KernelRuntimeContext&, const Tensor& in, MaybeTensor weight,
               MaybeTensor bias, bool training, double /*momentum*/, double eps,
               Tensor& out, Tensor& save_mean, Tensor& save_invstd) {
  ET_CHECK_OR_RETURN_ERROR(training, InvalidArgument,
                           "without running statistics batch norm can only "
                           "use those of the batch: training must be true");
  return normalize_by_batch({in, weight, bias, eps, out}, nullptr, save_mean,
                            save_invstd);
}

const Op kOps[] = {
    op<kFloats, no_training>("aten::_native_batch_norm_legit_no_training.out"),
    op<kFloats, legit>("aten::_native_batch_norm_legit.out"),
    op<kFloats, no_stats>("aten::_native_batch_norm_legit.no_stats_out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
