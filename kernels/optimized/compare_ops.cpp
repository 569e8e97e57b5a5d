// Comparisons, logical and bitwise operators.
//
// To add one: a functor (see map.h), and one row per overload.
#include <cmath>

#include "kernels/common/convert.h"
#include "kernels/optimized/map.h"

namespace executorch::kernels {
namespace {

using Comparison = Map<kRealBool, MapResult::kBool>;
using AnyComparison = Map<kAnyDtype, MapResult::kBool>;

struct Eq : AnyComparison {
  static constexpr auto kVecBinary = &vec::Loops::eq;
  template <class T>
  bool operator()(T a, T b) const {
    return a == b;
  }
};
struct Ne : AnyComparison {
  static constexpr auto kVecBinary = &vec::Loops::ne;
  template <class T>
  bool operator()(T a, T b) const {
    return a != b;
  }
};
struct Lt : Comparison {
  static constexpr auto kVecBinary = &vec::Loops::lt;
  template <class T>
  bool operator()(T a, T b) const {
    return a < b;
  }
};
struct Le : Comparison {
  static constexpr auto kVecBinary = &vec::Loops::le;
  template <class T>
  bool operator()(T a, T b) const {
    return a <= b;
  }
};
struct Gt : Comparison {
  static constexpr auto kVecBinary = &vec::Loops::gt;
  template <class T>
  bool operator()(T a, T b) const {
    return a > b;
  }
};
struct Ge : Comparison {
  static constexpr auto kVecBinary = &vec::Loops::ge;
  template <class T>
  bool operator()(T a, T b) const {
    return a >= b;
  }
};

// An int, as loops over & and | are vectorized and those over && are not.
template <class T>
int is_true(T value) {
  return value != T(0);
}
struct LogicalAnd : AnyComparison {
  template <class T>
  bool operator()(T a, T b) const {
    return is_true(a) & is_true(b);
  }
};
struct LogicalOr : AnyComparison {
  template <class T>
  bool operator()(T a, T b) const {
    return is_true(a) | is_true(b);
  }
};
struct LogicalXor : AnyComparison {
  template <class T>
  bool operator()(T a, T b) const {
    return is_true(a) != is_true(b);
  }
};
struct LogicalNot : AnyComparison {
  template <class T>
  bool operator()(T a) const {
    return a == T(0);
  }
};
struct IsNan : Comparison {
  static constexpr bool kSameDtype = true;
  template <class T>
  bool operator()(T a) const {
    return a != a;
  }
};
struct IsInf : Comparison {
  static constexpr bool kSameDtype = true;
  template <class T>
  bool operator()(T a) const {
    return std::isinf(a);
  }
  bool operator()(int64_t) const { return false; }
};

struct BitwiseAnd : Map<kInts | kBool> {
  int64_t operator()(int64_t a, int64_t b) const { return a & b; }
};
struct BitwiseOr : Map<kInts | kBool> {
  int64_t operator()(int64_t a, int64_t b) const { return a | b; }
};
struct BitwiseXor : Map<kInts | kBool> {
  int64_t operator()(int64_t a, int64_t b) const { return a ^ b; }
};
struct BitwiseNot : Map<kInts> {
  static constexpr bool kSameDtype = true;
  int64_t operator()(int64_t a) const { return ~a; }
};

// Shifts by less than nothing, or by the width of the type or more, shift every
// bit out. The width is the param.
struct LeftShift : Map<kInts> {
  int64_t operator()(int64_t a, int64_t b, const int64_t* bits) const {
    const bool out_of_range = b < 0 || b >= *bits;
    return out_of_range ? 0
                        : static_cast<int64_t>(static_cast<uint64_t>(a) << b);
  }
};
struct RightShift : Map<kInts> {
  int64_t operator()(int64_t a, int64_t b, const int64_t* bits) const {
    return a >> (b < 0 || b >= *bits ? 63 : b);
  }
};

Error bitwise_not(KernelRuntimeContext& ctx, const Tensor& a, Tensor& out) {
  if (a.scalar_type() == ScalarType::Bool) {
    ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(ScalarType::Bool, out));
    return unary<LogicalNot>(ctx, a, out);
  }
  return unary<BitwiseNot>(ctx, a, out);
}

Scalar bits_of(ScalarType dtype) { return int64_t{8} * item_size(dtype); }

template <class F>
Error shift(KernelRuntimeContext&, const Tensor& a, const Tensor& b,
            Tensor& out) {
  const ScalarType common = ResultType::of(a, b);
  return map(kMap<F, 2>, common, {a, b}, out, {bits_of(common)});
}
template <class F>
Error shift_scalar(KernelRuntimeContext&, const Tensor& a, const Scalar& b,
                   Tensor& out) {
  const ScalarType common = ResultType::of(a, b);
  return map(kMap<F, 2>, common, {a, number(b)}, out, {bits_of(common)});
}

template <class F>
constexpr Op shift_op(const char* name) {
  return op<promoting_to(F::kAllowed), shift<F>>(name);
}
template <class F>
constexpr Op shift_scalar_op(const char* name) {
  return op<promoting_to(F::kAllowed), shift_scalar<F>>(name);
}

const Op kOps[] = {
    binary_op<Eq>("aten::eq.Tensor_out"),
    binary_scalar_op<Eq>("aten::eq.Scalar_out"),
    binary_op<Ne>("aten::ne.Tensor_out"),
    binary_scalar_op<Ne>("aten::ne.Scalar_out"),
    binary_op<Lt>("aten::lt.Tensor_out"),
    binary_scalar_op<Lt>("aten::lt.Scalar_out"),
    binary_op<Le>("aten::le.Tensor_out"),
    binary_scalar_op<Le>("aten::le.Scalar_out"),
    binary_op<Gt>("aten::gt.Tensor_out"),
    binary_scalar_op<Gt>("aten::gt.Scalar_out"),
    binary_op<Ge>("aten::ge.Tensor_out"),
    binary_scalar_op<Ge>("aten::ge.Scalar_out"),
    binary_op<LogicalAnd>("aten::logical_and.out"),
    binary_op<LogicalOr>("aten::logical_or.out"),
    binary_op<LogicalXor>("aten::logical_xor.out"),
    unary_op<LogicalNot>("aten::logical_not.out"),
    unary_op<IsNan>("aten::isnan.out"),
    unary_op<IsInf>("aten::isinf.out"),
    binary_op<BitwiseAnd>("aten::bitwise_and.Tensor_out"),
    binary_scalar_op<BitwiseAnd>("aten::bitwise_and.Scalar_out"),
    binary_op<BitwiseOr>("aten::bitwise_or.Tensor_out"),
    binary_scalar_op<BitwiseOr>("aten::bitwise_or.Scalar_out"),
    binary_op<BitwiseXor>("aten::bitwise_xor.Tensor_out"),
    binary_scalar_op<BitwiseXor>("aten::bitwise_xor.Scalar_out"),
    op<kInts | kBool, bitwise_not>("aten::bitwise_not.out"),
    shift_op<LeftShift>("aten::bitwise_left_shift.Tensor_out"),
    shift_scalar_op<LeftShift>("aten::bitwise_left_shift.Tensor_Scalar_out"),
    shift_op<RightShift>("aten::bitwise_right_shift.Tensor_out"),
    shift_scalar_op<RightShift>("aten::bitwise_right_shift.Tensor_Scalar_out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
