// Activation functions of neural networks, for floating tensors.
#include <cmath>
#include <optional>
#include <string_view>

#include "kernels/optimized/map.h"

namespace executorch::kernels {
namespace {

// The integral of the normal distribution up to x, times x.
struct Gelu : Map<kFloats, MapResult::kCommon, 16> {
  static constexpr auto kVec = &vec::Loops::gelu;
  static constexpr bool kSameDtype = true;
  template <class T>
  T operator()(T x) const {
    constexpr T kSqrtHalf = T(0.70710678118654752440);
    return T(0.5) * x * std::erfc(-x * kSqrtHalf);
  }
};
struct GeluTanh : Map<kFloats, MapResult::kCommon, 16> {
  static constexpr auto kVec = &vec::Loops::gelu_tanh;
  static constexpr bool kSameDtype = true;
  template <class T>
  T operator()(T x) const {
    constexpr T kSqrt2OverPi = T(0.79788456080286535588);
    const T inner = kSqrt2OverPi * (x + T(0.044715) * x * x * x);
    return T(0.5) * x * (1 + std::tanh(inner));
  }
};
struct Elu : Map<kFloats, MapResult::kCommon, 16> {
  static constexpr bool kSameDtype = true;
  static constexpr bool kExactParams = true;
  template <class T>
  T operator()(T x, const T* p) const {
    const T negative = p[0], positive = p[1], input = p[2];
    return x < 0 ? std::expm1(x * input) * negative : x * positive;
  }
};
struct LeakyRelu : Map<kFloats> {
  static constexpr auto kVec = &vec::Loops::leaky_relu;
  static constexpr bool kSameDtype = true;
  static constexpr bool kExactParams = true;
  template <class T>
  T operator()(T x, const T* slope) const {
    return x > 0 ? x : x * *slope;
  }
};
struct Logit : Map<kRealBool, MapResult::kFloating, 16> {
  template <class T>
  T operator()(T x) const {
    return std::log(x / (1 - x));
  }
};
// Of x limited to [p[0], p[1]].
struct LogitWithin : Map<kRealBool, MapResult::kFloating, 16> {
  template <class T>
  T operator()(T x, const T* p) const {
    x = x < p[0] ? p[0] : x > p[1] ? p[1] : x;
    return std::log(x / (1 - x));
  }
};
struct Glu : Map<kFloats, MapResult::kCommon, 16> {
  template <class T>
  T operator()(T x, T gate) const {
    return x / (1 + std::exp(-gate));
  }
};

Error gelu(KernelRuntimeContext& ctx, const Tensor& x,
           std::string_view approximate, Tensor& out) {
  if (approximate == "none") {
    return unary<Gelu>(ctx, x, out);
  }
  ET_CHECK_OR_RETURN_ERROR(
      approximate == "tanh", InvalidArgument,
      "gelu is approximated by 'none' or 'tanh', not by '%.*s'",
      static_cast<int>(std::min<size_t>(approximate.size(), 40)),
      approximate.data());
  return unary<GeluTanh>(ctx, x, out);
}

ScalarType computed_in(const Tensor& x) {
  return is_in(x.scalar_type(), kHalfs) ? ScalarType::Float : x.scalar_type();
}

Error elu(KernelRuntimeContext&, const Tensor& x, const Scalar& alpha,
          const Scalar& scale, const Scalar& input_scale, Tensor& out) {
  for (const Scalar* number : {&alpha, &scale, &input_scale}) {
    ET_CHECK_OK_OR_RETURN_ERROR(check_fits(*number, computed_in(x)));
  }
  const Scalar negative = to_double(alpha) * to_double(scale);
  return map(kMap<Elu, 1>, x.scalar_type(), {x}, out,
             {negative, scale, input_scale});
}

Error leaky_relu(KernelRuntimeContext&, const Tensor& x, const Scalar& slope,
                 Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_fits(slope, computed_in(x)));
  return map(kMap<LeakyRelu, 1>, x.scalar_type(), {x}, out, {slope});
}

Error logit(KernelRuntimeContext& ctx, const Tensor& x,
            std::optional<double> eps, Tensor& out) {
  if (!eps) {
    return unary<Logit>(ctx, x, out);
  }
  return map(kMap<LogitWithin, 1>, x.scalar_type(), {x}, out, {*eps, 1 - *eps});
}

Error glu(KernelRuntimeContext&, const Tensor& x, int64_t dim, Tensor& out) {
  ET_CHECK_OR_RETURN_ERROR(x.dim() > 0, InvalidArgument,
                           "glu takes no tensor without dimensions");
  const Result<int64_t> wrapped = wrap_dim(dim, x.dim());
  ET_CHECK_OK_OR_RETURN_ERROR(wrapped.error());
  const int64_t d = *wrapped;
  const int64_t size = x.size(d);
  ET_CHECK_OR_RETURN_ERROR(size % 2 == 0, InvalidArgument,
                           "glu halves a dimension, but its size is %d",
                           static_cast<int>(size));
  Shape half;
  ET_CHECK_OK_OR_RETURN_ERROR(half.broadcast(x.sizes()));
  half.sizes[d] = static_cast<aten::SizesType>(size / 2);
  Operand value(x), gate(x);
  value.sizes = gate.sizes = half.sizes;
  gate.data += size / 2 * x.strides()[d] * x.element_size();
  return map(kMap<Glu, 2>, x.scalar_type(), {value, gate}, out);
}

const Op kOps[] = {
    op<Gelu::kAllowed, gelu>("aten::gelu.out"),
    op<Elu::kAllowed, elu>("aten::elu.out"),
    op<LeakyRelu::kAllowed, leaky_relu>("aten::leaky_relu.out"),
    op<Logit::kAllowed, logit>("aten::logit.out"),
    op<Glu::kAllowed, glu>("aten::glu.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
