// pow: of two tensors, and of a tensor and a number.
#include <cmath>

#include "kernels/optimized/arithmetic.h"
#include "kernels/optimized/map.h"

namespace executorch::kernels {
namespace {

// Wraps. A negative exponent leaves something only of 1 and -1.
int64_t int_pow(int64_t base, int64_t exponent) {
  if (exponent < 0) {
    return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  }
  int64_t result = 1;
  for (; exponent != 0; exponent >>= 1) {
    result = (exponent & 1) != 0 ? wrap_mul(result, base) : result;
    base = wrap_mul(base, base);
  }
  return result;
}

struct Pow : Map<kReal, MapResult::kCommon, 16> {
  static constexpr auto kVecBinary = &vec::Loops::pow;
  template <class T>
  T operator()(T a, T b) const {
    return std::pow(a, b);
  }
  int64_t operator()(int64_t a, int64_t b) const { return int_pow(a, b); }
};

struct BoolPow : Map<kBool> {
  int64_t operator()(int64_t a, int64_t b) const { return a | (b ^ 1); }
};

// Exponents for which PyTorch does not call pow.
struct Square : Map<kFloats> {
  template <class T>
  T operator()(T a) const {
    return a * a;
  }
};
struct Cube : Map<kFloats> {
  template <class T>
  T operator()(T a) const {
    return a * a * a;
  }
};
struct InverseSquare : Map<kFloats> {
  template <class T>
  T operator()(T a) const {
    return 1 / (a * a);
  }
};
struct Inverse : Map<kFloats> {
  static constexpr auto kVec = &vec::Loops::reciprocal;
  template <class T>
  T operator()(T a) const {
    return 1 / a;
  }
};
struct Root : Map<kFloats> {
  static constexpr auto kVec = &vec::Loops::sqrt;
  template <class T>
  T operator()(T a) const {
    return std::sqrt(a);
  }
};
struct InverseRoot : Map<kFloats> {
  static constexpr auto kVec = &vec::Loops::rsqrt;
  template <class T>
  T operator()(T a) const {
    return 1 / std::sqrt(a);
  }
};

struct Shortcut {
  double exponent;
  const MapOp& op;
};
const Shortcut kShortcuts[] = {
    {2, kMap<Square, 1>},   {3, kMap<Cube, 1>},   {-2, kMap<InverseSquare, 1>},
    {-1, kMap<Inverse, 1>}, {0.5, kMap<Root, 1>}, {-0.5, kMap<InverseRoot, 1>},
};

Error pow_tensor_scalar(KernelRuntimeContext&, const Tensor& a, const Scalar& b,
                        Tensor& out) {
  const ScalarType common = ResultType::of(a, b);
  const double exponent = to_double(b);
  ET_CHECK_OR_RETURN_ERROR(
      !is_in(common, kInts) || exponent >= 0, InvalidArgument,
      "integers cannot be raised to the negative power %g", exponent);
  if (is_in(common, kFloats)) {
    for (const Shortcut& shortcut : kShortcuts) {
      if (exponent == shortcut.exponent) {
        return map(shortcut.op, common, {a}, out);
      }
    }
  }
  if (common == ScalarType::Bool) {
    return map(kMap<BoolPow, 2>, common, {a, number(b)}, out);
  }
  if (!is_in(common, kFloats & ~kHalfs)) {
    ET_CHECK_OK_OR_RETURN_ERROR(check_fits(b, common));
  }
  return map(kMap<Pow, 2>, common, {a, number(b)}, out);
}

Error pow_scalar_tensor(KernelRuntimeContext&, const Scalar& a, const Tensor& b,
                        Tensor& out) {
  return map(kMap<Pow, 2>, ResultType::of(a, b), {number(a), b}, out);
}

Error pow_tensor_tensor(KernelRuntimeContext&, const Tensor& a, const Tensor& b,
                        Tensor& out) {
  return map(kMap<Pow, 2>, ResultType::of(a, b), {a, b}, out);
}

const Op kOps[] = {
    op<promoting_to(Pow::kAllowed), pow_tensor_scalar>(
        "aten::pow.Tensor_Scalar_out"),
    op<promoting_to(Pow::kAllowed), pow_scalar_tensor>("aten::pow.Scalar_out"),
    op<promoting_to(Pow::kAllowed), pow_tensor_tensor>(
        "aten::pow.Tensor_Tensor_out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
