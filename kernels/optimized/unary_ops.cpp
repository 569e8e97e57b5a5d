// Functions of one number.
//
// To add one: a functor (see map.h) and a row.
#include <cmath>

#include "kernels/optimized/arithmetic.h"
#include "kernels/optimized/map.h"

namespace executorch::kernels {
namespace {

template <DtypeSet kDtypes>
struct SameDtype : Map<kDtypes> {
  static constexpr bool kSameDtype = true;
};

// Integers are their own rounding.
using Rounding = SameDtype<kReal>;
// Functions with real results: integers are computed as float32.
using Transcendental = Map<kRealBool, MapResult::kFloating, 16>;

struct Abs : SameDtype<kReal> {
  static constexpr auto kVec = &vec::Loops::abs;
  template <class T>
  T operator()(T x) const {
    return std::fabs(x);
  }
  int64_t operator()(int64_t x) const { return x < 0 ? wrap_sub(0L, x) : x; }
};
struct Neg : SameDtype<kReal | kComplex> {
  static constexpr auto kVec = &vec::Loops::neg;
  template <class T>
  T operator()(T x) const {
    return -x;
  }
  int64_t operator()(int64_t x) const { return wrap_sub(0L, x); }
};
struct Sign : SameDtype<kRealBool> {
  template <class T>
  T operator()(T x) const {
    return static_cast<T>((x > 0) - (x < 0));
  }
};
struct Conj : SameDtype<kAnyDtype> {
  template <class T>
  T operator()(T x) const {
    return x;
  }
  template <class T>
  std::complex<T> operator()(std::complex<T> x) const {
    return std::conj(x);
  }
};

struct Ceil : Rounding {
  static constexpr auto kVec = &vec::Loops::ceil;
  template <class T>
  T operator()(T x) const {
    return std::ceil(x);
  }
  int64_t operator()(int64_t x) const { return x; }
};
struct Floor : Rounding {
  static constexpr auto kVec = &vec::Loops::floor;
  template <class T>
  T operator()(T x) const {
    return std::floor(x);
  }
  int64_t operator()(int64_t x) const { return x; }
};
struct Round : Rounding {  // half to even
  static constexpr auto kVec = &vec::Loops::round;
  template <class T>
  T operator()(T x) const {
    return std::nearbyint(x);
  }
  int64_t operator()(int64_t x) const { return x; }
};
struct Trunc : Rounding {
  static constexpr auto kVec = &vec::Loops::trunc;
  template <class T>
  T operator()(T x) const {
    return std::trunc(x);
  }
  int64_t operator()(int64_t x) const { return x; }
};

struct Reciprocal : Map<kRealBool | kComplex, MapResult::kFloating> {
  static constexpr auto kVec = &vec::Loops::reciprocal;
  template <class T>
  T operator()(T x) const {
    return T(1) / x;
  }
};
struct Sqrt : Map<kRealBool, MapResult::kFloating> {
  static constexpr auto kVec = &vec::Loops::sqrt;
  template <class T>
  T operator()(T x) const {
    return std::sqrt(x);
  }
};
struct Rsqrt : Map<kRealBool, MapResult::kFloating> {
  static constexpr auto kVec = &vec::Loops::rsqrt;
  template <class T>
  T operator()(T x) const {
    return 1 / std::sqrt(x);
  }
};
struct Sigmoid : Transcendental {
  static constexpr auto kVec = &vec::Loops::sigmoid;
  template <class T>
  T operator()(T x) const {
    return 1 / (1 + std::exp(-x));
  }
};

// A function of the C library, in the overloads for float and double.
template <float (*kFloat)(float), double (*kDouble)(double)>
struct Library : Transcendental {
  float operator()(float x) const { return kFloat(x); }
  double operator()(double x) const { return kDouble(x); }
};
// One that has a vector loop for float.
template <vec::LoopMember kLoop, double (*kDouble)(double)>
struct Vectorized : Transcendental {
  static constexpr vec::LoopMember kVec = kLoop;
  double operator()(double x) const { return kDouble(x); }
};
using Acos = Library<acosf, ::acos>;
using Acosh = Library<acoshf, ::acosh>;
using Asin = Library<asinf, ::asin>;
using Asinh = Library<asinhf, ::asinh>;
using Atan = Library<atanf, ::atan>;
using Atanh = Library<atanhf, ::atanh>;
using Cos = Vectorized<&vec::Loops::cos, ::cos>;
using Cosh = Library<coshf, ::cosh>;
using Erf = Vectorized<&vec::Loops::erf, ::erf>;
using Exp = Vectorized<&vec::Loops::exp, ::exp>;
using Expm1 = Vectorized<&vec::Loops::expm1, ::expm1>;
using Log = Vectorized<&vec::Loops::log, ::log>;
using Log10 = Library<log10f, ::log10>;
using Log1p = Vectorized<&vec::Loops::log1p, ::log1p>;
using Log2 = Library<log2f, ::log2>;
using Sin = Vectorized<&vec::Loops::sin, ::sin>;
using Sinh = Library<sinhf, ::sinh>;
using Tan = Library<tanf, ::tan>;
using Tanh = Vectorized<&vec::Loops::tanh, ::tanh>;

const Op kOps[] = {
    unary_op<Abs>("aten::abs.out"),
    unary_op<Acos>("aten::acos.out"),
    unary_op<Acosh>("aten::acosh.out"),
    unary_op<Asin>("aten::asin.out"),
    unary_op<Asinh>("aten::asinh.out"),
    unary_op<Atan>("aten::atan.out"),
    unary_op<Atanh>("aten::atanh.out"),
    unary_op<Ceil>("aten::ceil.out"),
    unary_op<Conj>("aten::_conj_physical.out"),
    unary_op<Cos>("aten::cos.out"),
    unary_op<Cosh>("aten::cosh.out"),
    unary_op<Erf>("aten::erf.out"),
    unary_op<Exp>("aten::exp.out"),
    unary_op<Expm1>("aten::expm1.out"),
    unary_op<Floor>("aten::floor.out"),
    unary_op<Log>("aten::log.out"),
    unary_op<Log10>("aten::log10.out"),
    unary_op<Log1p>("aten::log1p.out"),
    unary_op<Log2>("aten::log2.out"),
    unary_op<Neg>("aten::neg.out"),
    unary_op<Reciprocal>("aten::reciprocal.out"),
    unary_op<Round>("aten::round.out"),
    unary_op<Rsqrt>("aten::rsqrt.out"),
    unary_op<Sigmoid>("aten::sigmoid.out"),
    unary_op<Sign>("aten::sign.out"),
    unary_op<Sin>("aten::sin.out"),
    unary_op<Sinh>("aten::sinh.out"),
    unary_op<Sqrt>("aten::sqrt.out"),
    unary_op<Tan>("aten::tan.out"),
    unary_op<Tanh>("aten::tanh.out"),
    unary_op<Trunc>("aten::trunc.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
