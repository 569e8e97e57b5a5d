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
    op<unary<Abs>>("aten::abs.out"),
    op<unary<Acos>>("aten::acos.out"),
    op<unary<Acosh>>("aten::acosh.out"),
    op<unary<Asin>>("aten::asin.out"),
    op<unary<Asinh>>("aten::asinh.out"),
    op<unary<Atan>>("aten::atan.out"),
    op<unary<Atanh>>("aten::atanh.out"),
    op<unary<Ceil>>("aten::ceil.out"),
    op<unary<Conj>>("aten::_conj_physical.out"),
    op<unary<Cos>>("aten::cos.out"),
    op<unary<Cosh>>("aten::cosh.out"),
    op<unary<Erf>>("aten::erf.out"),
    op<unary<Exp>>("aten::exp.out"),
    op<unary<Expm1>>("aten::expm1.out"),
    op<unary<Floor>>("aten::floor.out"),
    op<unary<Log>>("aten::log.out"),
    op<unary<Log10>>("aten::log10.out"),
    op<unary<Log1p>>("aten::log1p.out"),
    op<unary<Log2>>("aten::log2.out"),
    op<unary<Neg>>("aten::neg.out"),
    op<unary<Reciprocal>>("aten::reciprocal.out"),
    op<unary<Round>>("aten::round.out"),
    op<unary<Rsqrt>>("aten::rsqrt.out"),
    op<unary<Sigmoid>>("aten::sigmoid.out"),
    op<unary<Sign>>("aten::sign.out"),
    op<unary<Sin>>("aten::sin.out"),
    op<unary<Sinh>>("aten::sinh.out"),
    op<unary<Sqrt>>("aten::sqrt.out"),
    op<unary<Tan>>("aten::tan.out"),
    op<unary<Tanh>>("aten::tanh.out"),
    op<unary<Trunc>>("aten::trunc.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
