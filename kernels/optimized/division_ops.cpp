// Division with a rounding mode, and its remainders.
//
// Integers that are divided by zero give an error, as in PyTorch; floats follow
// IEEE 754.
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/common/convert.h"
#include "kernels/optimized/map.h"

namespace executorch::kernels {
namespace {

// No divisor is zero here. Dividing the lowest integer by -1 would trap.
int64_t quotient(int64_t a, int64_t b) {
  return b == -1 ? static_cast<int64_t>(0 - static_cast<uint64_t>(a)) : a / b;
}
int64_t rest(int64_t a, int64_t b) { return b == -1 ? 0 : a % b; }
template <class T>
T rest(T a, T b) {
  return std::fmod(a, b);
}

struct DivTrunc : Map<kReal> {
  static constexpr bool kExactLast = true;
  template <class T>
  T operator()(T a, T b) const {
    return std::trunc(a / b);
  }
  int64_t operator()(int64_t a, int64_t b) const { return quotient(a, b); }
};

// The largest integer not above the exact quotient, which a rounded a / b may
// already exceed.
struct DivFloor : Map<kReal, MapResult::kCommon, 8> {
  static constexpr bool kExactLast = true;
  template <class T>
  T operator()(T a, T b) const {
    if (b == 0) {
      return a / b;
    }
    const T mod = std::fmod(a, b);
    T exact = (a - mod) / b;
    if (mod != 0 && (b < 0) != (mod < 0)) {
      exact -= 1;
    }
    if (exact == 0) {
      return std::copysign(T(0), a / b);
    }
    const T floor = std::floor(exact);
    return exact - floor > T(0.5) ? floor + 1 : floor;
  }
  int64_t operator()(int64_t a, int64_t b) const {
    const bool below = rest(a, b) != 0 && (a < 0) != (b < 0);
    return quotient(a, b) - (below ? 1 : 0);
  }
};

struct Fmod : Map<kReal, MapResult::kCommon, 8> {
  template <class T>
  T operator()(T a, T b) const {
    return rest(a, b);
  }
};

// As fmod, with the sign of the divisor.
struct Remainder : Map<kReal, MapResult::kCommon, 8> {
  template <class T>
  T operator()(T a, T b) const {
    const T mod = rest(a, b);
    return mod != 0 && (mod < 0) != (b < 0) ? mod + b : mod;
  }
};

struct DivTrue : Map<kRealBool | kComplex, MapResult::kFloating> {
  static constexpr bool kExactLast = true;
  static constexpr auto kVecBinary = &vec::Loops::div;
  template <class T>
  T operator()(T a, T b) const {
    return a / b;
  }
};

bool has_zero(const char* data, ScalarType dtype, int64_t n,
              ScalarType common) {
  constexpr int64_t kBlock = 256;
  int64_t values[kBlock];
  const Converter to_common(dtype, common);
  const Converter to_int(common, ScalarType::Long);
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t count = std::min(kBlock, n - i);
    int64_t converted[kBlock];
    to_common(data + i * item_size(dtype), converted, count);
    to_int(converted, values, count);
    for (int64_t k = 0; k < count; ++k) {
      if (values[k] == 0) {
        return true;
      }
    }
  }
  return false;
}

template <class F>
Error divide_checked(ScalarType common, const Tensor& a, const Operand& b,
                     int64_t n, Tensor& out) {
  ET_CHECK_OR_RETURN_ERROR(!is_in(common, kInts & F::kAllowed) ||
                               F::kResult == MapResult::kFloating ||
                               a.numel() == 0 ||
                               !has_zero(b.data, b.dtype, n, common),
                           InvalidArgument, "integer division by zero");
  return map(kMap<F, 2>, common, {a, b}, out);
}

template <class F>
Error divide(KernelRuntimeContext&, const Tensor& a, const Tensor& b,
             Tensor& out) {
  return divide_checked<F>(ResultType::of(a, b), a, b, b.numel(), out);
}
template <class F>
Error divide_scalar(KernelRuntimeContext&, const Tensor& a, const Scalar& b,
                    Tensor& out) {
  return divide_checked<F>(ResultType::of(a, b), a, number(b), 1, out);
}

Error div_scalar(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b,
                 Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(
      check_same_dtype(to_floating(ResultType::of(a, b)), out));
  return divide_scalar<DivTrue>(ctx, a, b, out);
}

using Mode = std::optional<std::string_view>;

Error divide_by_mode(ScalarType common, const Tensor& a, const Operand& b,
                     int64_t n, const Mode& mode, Tensor& out) {
  if (!mode) {
    return divide_checked<DivTrue>(common, a, b, n, out);
  }
  if (*mode == "trunc") {
    return divide_checked<DivTrunc>(common, a, b, n, out);
  }
  ET_CHECK_OR_RETURN_ERROR(
      *mode == "floor", InvalidArgument,
      "rounding mode '%.*s' is neither 'trunc' nor 'floor' nor none",
      static_cast<int>(std::min<size_t>(mode->size(), 40)), mode->data());
  return divide_checked<DivFloor>(common, a, b, n, out);
}

Error div_mode(KernelRuntimeContext&, const Tensor& a, const Tensor& b,
               Mode mode, Tensor& out) {
  return divide_by_mode(ResultType::of(a, b), a, b, b.numel(), mode, out);
}
Error div_scalar_mode(KernelRuntimeContext&, const Tensor& a, const Scalar& b,
                      Mode mode, Tensor& out) {
  const ScalarType common = ResultType::of(a, b);
  ET_CHECK_OK_OR_RETURN_ERROR(
      check_same_dtype(mode ? common : to_floating(common), out));
  return divide_by_mode(common, a, number(b), 1, mode, out);
}

template <class F>
constexpr Op divide_op(const char* name) {
  return op<promoting_to(F::kAllowed), divide<F>>(name);
}
template <class F>
constexpr Op divide_scalar_op(const char* name) {
  return op<promoting_to(F::kAllowed), divide_scalar<F>>(name);
}

const Op kOps[] = {
    divide_op<DivTrue>("aten::div.out"),
    op<DivTrue::kAllowed, div_scalar>("aten::div.Scalar_out"),
    op<DivTrue::kAllowed, div_mode>("aten::div.out_mode"),
    op<DivTrue::kAllowed, div_scalar_mode>("aten::div.Scalar_mode_out"),
    divide_op<DivFloor>("aten::floor_divide.out"),
    divide_op<Fmod>("aten::fmod.Tensor_out"),
    divide_scalar_op<Fmod>("aten::fmod.Scalar_out"),
    divide_op<Remainder>("aten::remainder.Tensor_out"),
    divide_scalar_op<Remainder>("aten::remainder.Scalar_out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
