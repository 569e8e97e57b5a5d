// Arithmetic of two tensors, or of a tensor and a number.
//
// To add an operator: a functor (see map.h), and one row per overload.
#include <cmath>

#include "kernels/optimized/arithmetic.h"
#include "kernels/optimized/map.h"

namespace executorch::kernels {
namespace {

struct Add : Map<kAnyDtype> {
  static constexpr bool kCommutes = true;
  static constexpr auto kVecBinary = &vec::Loops::add;
  template <class T>
  T operator()(T a, T b) const {
    return wrap_add(a, b);
  }
};
struct AddScaled : Map<kAnyDtype> {
  static constexpr bool kExactParams = true;
  template <class T>
  T operator()(T a, T b, const T* alpha) const {
    return wrap_add(a, wrap_mul(*alpha, b));
  }
};
struct Sub : Map<kReal | kComplex> {
  static constexpr auto kVecBinary = &vec::Loops::sub;
  template <class T>
  T operator()(T a, T b) const {
    return wrap_sub(a, b);
  }
};
struct SubScaled : Map<kReal | kComplex> {
  static constexpr bool kExactParams = true;
  template <class T>
  T operator()(T a, T b, const T* alpha) const {
    return wrap_sub(a, wrap_mul(*alpha, b));
  }
};
struct Mul : Map<kAnyDtype> {
  static constexpr bool kCommutes = true;
  static constexpr bool kExactLast = true;
  static constexpr auto kVecBinary = &vec::Loops::mul;
  template <class T>
  T operator()(T a, T b) const {
    return wrap_mul(a, b);
  }
};
struct Atan2 : Map<kRealBool, MapResult::kFloating, 16> {
  template <class T>
  T operator()(T a, T b) const {
    return std::atan2(a, b);
  }
};

bool is_one(const Scalar& x) {
  return x.isIntegral(/*includeBool=*/false) && x.to<int64_t>() == 1;
}

// The factor of the second operand must not raise the result to another
// category.
Error check_alpha(const Scalar& alpha, ScalarType common) {
  ET_CHECK_OR_RETURN_ERROR(
      !alpha.isFloatingPoint() || !is_in(common, kInts | kBool),
      InvalidArgument, "alpha must be an integer for integer tensors");
  ET_CHECK_OR_RETURN_ERROR(!alpha.isBoolean() || common == ScalarType::Bool,
                           InvalidArgument,
                           "alpha may be a bool for bool tensors only");
  return check_fits(alpha, common);
}

// PyTorch subtracts no bool, not even one that would be promoted.
template <class T>
bool is_bool(const T& x) {
  if constexpr (std::is_same_v<T, Scalar>) {
    return x.isBoolean();
  } else {
    return x.scalar_type() == ScalarType::Bool;
  }
}
template <class T>
Error check_no_bool(const T& operand) {
  ET_CHECK_OR_RETURN_ERROR(!is_bool(operand), InvalidArgument,
                           "bool operands cannot be subtracted");
  return Error::Ok;
}

template <class F, class Scaled>
Error scaled(ScalarType common, const Operand& a, const Operand& b,
             const Scalar& alpha, Tensor& out) {
  if (is_one(alpha)) {
    return map(kMap<F, 2>, common, {a, b}, out);
  }
  ET_CHECK_OK_OR_RETURN_ERROR(check_alpha(alpha, common));
  return map(kMap<Scaled, 2>, common, {a, b}, out, {alpha});
}

Error add(KernelRuntimeContext&, const Tensor& a, const Tensor& b,
          const Scalar& alpha, Tensor& out) {
  return scaled<Add, AddScaled>(ResultType::of(a, b), a, b, alpha, out);
}
Error add_scalar(KernelRuntimeContext&, const Tensor& a, const Scalar& b,
                 const Scalar& alpha, Tensor& out) {
  const ScalarType common = ResultType::of(a, b);
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(common, out));
  return scaled<Add, AddScaled>(common, a, number(b), alpha, out);
}
Error sub(KernelRuntimeContext&, const Tensor& a, const Tensor& b,
          const Scalar& alpha, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_no_bool(b));
  return scaled<Sub, SubScaled>(ResultType::of(a, b), a, b, alpha, out);
}
Error sub_scalar(KernelRuntimeContext&, const Tensor& a, const Scalar& b,
                 const Scalar& alpha, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_no_bool(b));
  const ScalarType common = ResultType::of(a, b);
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(common, out));
  return scaled<Sub, SubScaled>(common, a, number(b), alpha, out);
}
Error rsub_scalar(KernelRuntimeContext&, const Tensor& a, const Scalar& b,
                  const Scalar& alpha, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_no_bool(b));
  const ScalarType common = ResultType::of(a, b);
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(common, out));
  return scaled<Sub, SubScaled>(common, number(b), a, alpha, out);
}

Error mul_scalar(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b,
                 Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(ResultType::of(a, b), out));
  return binary_scalar<Mul>(ctx, a, b, out);
}

const Op kOps[] = {
    op<Add::kAllowed, add>("aten::add.out"),
    op<Add::kAllowed, add_scalar>("aten::add.Scalar_out"),
    op<Sub::kAllowed, sub>("aten::sub.out"),
    op<Sub::kAllowed, sub_scalar>("aten::sub.Scalar_out"),
    op<Sub::kAllowed, rsub_scalar>("aten::rsub.Scalar_out"),
    binary_op<Mul>("aten::mul.out"),
    op<Mul::kAllowed, mul_scalar>("aten::mul.Scalar_out"),
    binary_op<Atan2>("aten::atan2.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
