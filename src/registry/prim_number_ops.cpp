// The primitive operators on numbers.
//
// They behave as in Python: a bool counts as 0 or 1, integer division rounds
// down, an integer and a float give a float. What Python cannot compute, and an
// integer beyond 64 bits, is InvalidArgument. A new one is a function from
// values to the value of the result, and a row.
#include <cmath>
#include <functional>
#include <iterator>

#include "src/registry/prim_op.h"

namespace executorch::registry {
namespace {

using runtime::Error;
using runtime::EValue;
using runtime::Result;

bool is_float(const EValue& v) { return v.isDouble(); }
int64_t as_int(const EValue& v) { return v.isBool() ? v.toBool() : v.toInt(); }
double as_double(const EValue& v) {
  return v.isDouble() ? v.toDouble() : static_cast<double>(as_int(v));
}
// Holds every int64_t and every double, so that they compare exactly.
long double as_exact(const EValue& v) {
  return v.isDouble() ? static_cast<long double>(v.toDouble())
                      : static_cast<long double>(as_int(v));
}

Result<EValue> integer(bool fits, int64_t value) {
  ET_CHECK_OR_RETURN_ERROR(fits, InvalidArgument,
                           "the result does not fit into 64 bits");
  return EValue(value);
}

Result<EValue> to_integer(double value) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  const bool fits = value >= -kLimit && value < kLimit;
  return integer(fits, fits ? static_cast<int64_t>(value) : 0);
}

struct Add {
  static bool run(int64_t a, int64_t b, int64_t* out) {
    return !__builtin_add_overflow(a, b, out);
  }
  static double run(double a, double b) { return a + b; }
};
struct Sub {
  static bool run(int64_t a, int64_t b, int64_t* out) {
    return !__builtin_sub_overflow(a, b, out);
  }
  static double run(double a, double b) { return a - b; }
};
struct Mul {
  static bool run(int64_t a, int64_t b, int64_t* out) {
    return !__builtin_mul_overflow(a, b, out);
  }
  static double run(double a, double b) { return a * b; }
};

template <class F>
Result<EValue> arithmetic(const EValue& a, const EValue& b) {
  if (is_float(a) || is_float(b)) {
    return EValue(F::run(as_double(a), as_double(b)));
  }
  int64_t out = 0;
  const bool fits = F::run(as_int(a), as_int(b), &out);
  return integer(fits, out);
}

template <class F>
Result<EValue> compare(const EValue& a, const EValue& b) {
  return EValue(static_cast<bool>(F()(as_exact(a), as_exact(b))));
}

// The one of a and b that `F` prefers; a float if either is one.
template <class F>
Result<EValue> choose(const EValue& a, const EValue& b) {
  const EValue& chosen = F()(as_exact(b), as_exact(a)) ? b : a;
  if (is_float(a) || is_float(b)) {
    return EValue(as_double(chosen));
  }
  return EValue(as_int(chosen));
}

// Quotient rounded down and remainder with the sign of the divisor.
struct FloorDiv {
  static bool run(int64_t a, int64_t b, int64_t* out) {
    if (b == -1) {  // the one quotient that may not fit
      return !__builtin_sub_overflow(int64_t{0}, a, out);
    }
    *out = a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
    return true;
  }
  static double run(double a, double b) {
    const double rest = Mod(a, b);
    const double quotient = (a - rest) / b;
    const double floored = std::floor(quotient);
    return floored + (quotient - floored > 0.5 ? 1.0 : 0.0);
  }
  static double Mod(double a, double b) {
    const double rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
};
struct Mod {
  static bool run(int64_t a, int64_t b, int64_t* out) {
    const int64_t rest = b == -1 ? 0 : a % b;
    *out = rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    return true;
  }
  static double run(double a, double b) { return FloorDiv::Mod(a, b); }
};
struct TrueDiv {
  static double run(double a, double b) { return a / b; }
};

Error check_divisor(const EValue& b) {
  ET_CHECK_OR_RETURN_ERROR(as_exact(b) != 0, InvalidArgument,
                           "the divisor is zero");
  return Error::Ok;
}

template <class F>
Result<EValue> divide(const EValue& a, const EValue& b) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_divisor(b));
  return arithmetic<F>(a, b);
}

Result<EValue> true_divide(const EValue& a, const EValue& b) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_divisor(b));
  return EValue(TrueDiv::run(as_double(a), as_double(b)));
}

Result<EValue> negate(const EValue& a) {
  return arithmetic<Sub>(is_float(a) ? EValue(-0.0) : EValue(int64_t{0}), a);
}

template <double (*kRound)(double)>
Result<EValue> rounded(const EValue& a) {
  return is_float(a) ? to_integer(kRound(a.toDouble()))
                     : integer(true, as_int(a));
}
double ceil(double v) { return std::ceil(v); }
double truncate(double v) { return std::trunc(v); }
double round_half_even(double v) {  // whatever the rounding mode is
  const double r = std::round(v);
  return std::fabs(v - std::trunc(v)) == 0.5 ? 2 * std::round(v / 2) : r;
}

Result<EValue> to_float(const EValue& a) { return EValue(as_double(a)); }
Result<EValue> logical_not(const EValue& a) { return EValue(!a.toBool()); }
Result<EValue> if_then_else(const EValue& b, const EValue& t, const EValue& f) {
  return EValue(b.toBool() ? t : f);
}

template <auto fn>
constexpr Op unary(const char* name) {
  return value<fn, kNumber>(name);
}
template <auto fn>
constexpr Op binary(const char* name) {
  return value<fn, kNumber, kNumber>(name);
}

const Op kOps[] = {
    binary<arithmetic<Add>>("executorch_prim::add.Scalar"),
    unary<rounded<ceil>>("executorch_prim::ceil.Scalar"),
    binary<compare<std::equal_to<>>>("executorch_prim::eq.Scalar"),
    binary<divide<FloorDiv>>("executorch_prim::floordiv.Scalar"),
    value<divide<FloorDiv>, kInt, kInt>("executorch_prim::floordiv.int"),
    binary<compare<std::greater_equal<>>>("executorch_prim::ge.Scalar"),
    binary<compare<std::greater<>>>("executorch_prim::gt.Scalar"),
    binary<compare<std::less_equal<>>>("executorch_prim::le.Scalar"),
    binary<compare<std::less<>>>("executorch_prim::lt.Scalar"),
    binary<divide<Mod>>("executorch_prim::mod.Scalar"),
    value<divide<Mod>, kInt, kInt>("executorch_prim::mod.int"),
    binary<arithmetic<Mul>>("executorch_prim::mul.Scalar"),
    unary<negate>("executorch_prim::neg.Scalar"),
    unary<rounded<round_half_even>>("executorch_prim::round.Scalar"),
    binary<arithmetic<Sub>>("executorch_prim::sub.Scalar"),
    unary<to_float>("executorch_prim::sym_float.Scalar"),
    unary<rounded<truncate>>("executorch_prim::sym_int.Scalar"),
    value<if_then_else, kBool, kNumber, kNumber>(
        "executorch_prim::sym_ite.Scalar"),
    binary<choose<std::greater<>>>("executorch_prim::sym_max.Scalar"),
    binary<choose<std::less<>>>("executorch_prim::sym_min.Scalar"),
    value<logical_not, kBool>("executorch_prim::sym_not.Scalar"),
    binary<true_divide>("executorch_prim::truediv.Scalar"),
    unary<rounded<truncate>>("executorch_prim::trunc.Scalar"),
};

const Error registered = register_ops({kOps, std::size(kOps)}, nullptr);

}  // namespace
}  // namespace executorch::registry
