// Elementary functions on vectors of float, over the whole range and for all
// special values. For *_isa.cpp files only.
//
// Errors are at most 2 units in the last place, unless a function says
// otherwise (test/kernels/vec_math_test.cpp measures them); where float would
// not do, it works in double. Polynomials are minimax, for the interval that
// the comment names.
#pragma once

#include <math.h>

#include "kernels/optimized/vec/simd_isa.h"

namespace executorch::kernels::vec {
namespace {

constexpr float kInfinity = __builtin_huge_valf();

// x = n ln2 + r + low with an integer n and |r| <= ln2 / 2; `low` is what r
// lost to rounding.
struct Reduced {
  F n, r, low;
};
inline Reduced reduce_exp(F x) {
  const F n = nearest(x, 0x1.715476p0f);
  // The product with the high part of ln2, of 16 bits, is exact.
  const F high = fnma(n, all<F>(0x1.62e4p-1f), x);
  const F r = fnma(n, all<F>(0x1.7f7d1cp-20f), high);
  return {n, r, fnma(n, all<F>(0x1.7f7d1cp-20f), high - r)};
}
// e^r - 1 - r
inline F exp_tail(F r) {
  return r * r *
         poly(r, 0x1.fffffcp-2, 0x1.55548ap-3, 0x1.555914p-5, 0x1.123fb6p-7,
              0x1.6a1bfap-10);
}
inline F exp_reduced(F r) { return (exp_tail(r) + r) + 1.0f; }

// For -150 < x < 150.
inline F exp_in_range(F x) {
  const Reduced y = reduce_exp(x);
  return scale(exp_reduced(y.r), y.n);
}
inline F exp(F x) {
  // Beyond these bounds the result is infinity or 0.
  return exp_in_range(at_most(at_least(x, all<F>(-104.0f)), all<F>(89.0f)));
}

inline F expm1(F x) {
  const Reduced y =
      reduce_exp(at_most(at_least(x, all<F>(-18.0f)), all<F>(89.0f)));
  const F q = poly(y.r, 0x1.0p-1, 0x1.555554p-3, 0x1.5554aap-5, 0x1.11118ep-7,
                   0x1.6d789ep-10, 0x1.a034p-13);
  const F p = fma(y.r * y.r, q, y.r);
  // 2^n p + (2^n - 1), halved so that 2^128 does not overflow too early.
  const F half = scale(all<F>(0.5f), y.n);
  const F result = fma(half, p, half - 0.5f) * 2.0f;
  return abs(x) < 0x1p-25f ? x : result;
}

// x = 2^e (1 + f) with 1 + f between sqrt(1/2) and sqrt(2); x positive, normal.
struct Log {
  F e, f;
};
inline Log reduce_log(F x) {
  // Unsigned, so that lanes with other x, which nobody uses, may wrap.
  const U bits = bit_cast<U>(x);
  const I e = bit_cast<I>(bits - 0x3F3504F3u) >> 23;
  return {to_float(e), bit_cast<F>(bits - (bit_cast<U>(e) << 23)) - 1.0f};
}

inline F log(F x) {
  const I tiny = x < 0x1p-126f;
  const auto [exponent, f] = reduce_log(tiny ? x * 0x1p25f : x);
  const F e = exponent - (tiny ? all<F>(25.0f) : F{});
  // log(1 + f) = f - f^2 / 2 + f^3 p(f)
  const F p = poly(f, 0x1.555548p-2, -0x1.000006p-2, 0x1.99a4aep-3,
                   -0x1.555c4ep-3, 0x1.2337eep-3, -0x1.fc2298p-4, 0x1.e6ea16p-4,
                   -0x1.de3666p-4, 0x1.145dd6p-4);
  const F f2 = f * f;
  F tail = fma(f2 * f, p, e * 0x1.7f7d1cp-20f);
  tail = fma(f2, all<F>(-0.5f), tail);
  F result = fma(e, all<F>(0x1.62e4p-1f), f + tail);
  result = x == 0.0f ? all<F>(-kInfinity) : result;
  result = x < kInfinity ? result : x;  // infinity and NaN
  return x < 0.0f ? all<F>(__builtin_nanf("")) : result;
}

inline F log1p(F x) {
  const F rounded = x + 1.0f;
  const Log log = reduce_log(rounded);
  const Doubles exponent = widen(log.e), wide = widen(x);
  const auto half = [](D x, D e) {
    // 1 + f = 2^-e (1 + x), without the rounding of 1 + x.
    const D down = scale(all<D>(1.0), -e);
    const D f = fma(x, down, down - 1.0);
    const D p = poly(f, 0x1.555548p-2, -0x1.000006p-2, 0x1.99a4aep-3,
                     -0x1.555c4ep-3, 0x1.2337eep-3, -0x1.fc2298p-4,
                     0x1.e6ea16p-4, -0x1.de3666p-4, 0x1.145dd6p-4);
    const D tail = fma(f * f, fma(f, p, all<D>(-0.5)), f);
    return fma(e, all<D>(0x1.62e42fefa39efp-1), tail);
  };
  F result =
      narrow({half(wide.low, exponent.low), half(wide.high, exponent.high)});
  result = abs(x) < 0x1p-26f ? x : result;
  result = x == -1.0f ? all<F>(-kInfinity) : result;
  result = x < kInfinity ? result : x;
  return x < -1.0f ? all<F>(__builtin_nanf("")) : result;
}

inline F sigmoid(F x) {
  // 1 / (1 + e^a) with e^a = 2^n (1 + p), as 2^-n / ((2^-n + 1) + p).
  const Reduced y = reduce_exp(at_most(abs(x), all<F>(104.0f)));
  const F power = scale(all<F>(1.0f), -y.n);
  const F sum = power + 1.0f;
  const F lost = power - (sum - 1.0f);
  const F p = (exp_tail(y.r) + lost) + y.r;
  const F s = scale(inverse(sum + p), -y.n);
  return x < 0.0f ? s : 1.0f - s;
}

inline F tanh(F x) {
  const F a = abs(x);
  // Small: x + x^3 p(x^2), |x| < 0.625. Large: 1 - 2 / (e^2x + 1).
  const F z = x * x;
  const F p = poly(z, -0x1.555554p-2, 0x1.11106ep-3, -0x1.b9f006p-5,
                   0x1.6399dap-6, -0x1.0c3714p-7, 0x1.19c348p-9);
  const F small = fma(z * x, p, x);
  const F e = exp_in_range(at_most(a + a, all<F>(20.0f)));
  const F large = 1.0f - 2.0f * inverse(e + 1.0f);
  return a < 0.625f ? small : with_sign(large, x);
}

inline F erf(F x) {
  const F a = abs(x);
  // Small: x + x p(x^2), |x| < 0.92. Large: 1 - e^-q(|x|), up to 4.
  const F p =
      poly(x * x, 0x1.06eba8p-3, -0x1.812744p-2, 0x1.ce2e24p-4, -0x1.b810e8p-6,
           0x1.54df1ap-8, -0x1.ab105cp-11, 0x1.5f953cp-14);
  const F small = fma(x, p, x);
  const F q = poly(at_most(a, all<F>(4.0f)), -0x1.62d94ep-13, 0x1.212626p+0,
                   0x1.444d1ep-1, 0x1.bb454cp-4, -0x1.9aebbap-6, 0x1.10626p-8,
                   -0x1.c4594cp-12, 0x1.5d722cp-16);
  const F large = 1.0f - exp_in_range(-q);
  return a < 0.91f ? small : with_sign(large, x);
}

// x times the integral of the normal distribution up to x, within 5 units. With
// a = |x| and the integral up to -a as t: -a t for negative x, else x - a t.
inline F gelu(F x) {
  const F a = abs(x);
  const I beyond = a > 14.5f;  // a t is less than any float
  const F near = at_most(a, all<F>(14.5f));
  // a t = q h(2 q - 1) e^(-a^2 / 2) with q = a / (a + 3.5)
  const F q = near * inverse(near + 3.5f);
  const F w = fma(q, all<F>(2.0f), all<F>(-1.0f));
  const F h = poly(w, 0x1.7d241ap-1, -0x1.21915p-1, 0x1.42fec8p-2,
                   -0x1.db5a6ep-4, 0x1.1d2fa4p-6, 0x1.a98866p-8, -0x1.a031cp-9,
                   -0x1.037e18p-11, 0x1.ba6466p-12, 0x1.d04394p-14);
  const F square = near * near;
  const F lost = residual(square, near, near);
  const Reduced y = reduce_exp(square * -0.5f);
  const F power = scale(exp_reduced(fma(lost, all<F>(0.5f), y.r)), y.n);
  const F at = q * h * power;
  // -infinity gives a NaN, as 0 * x does.
  const F negative = beyond ? x * 0.0f : -at;
  return x < 0.0f ? negative : x - (beyond ? F{} : at);
}

// x sigmoid(2 u) with u = sqrt(2 / pi) (x + 0.044715 x^3), within 3 units;
// e^-2|u| is 2^n p. The exponent is reduced in double: its error would be
// magnified.
inline F gelu_tanh(F x) {
  const F near = at_most(abs(x), all<F>(11.0f));
  const auto reduce = [](D a, D* n) {
    const D cubic = a * fma(a * a, all<D>(0.044715), all<D>(1.0));
    const D y = cubic * (-2 * 0.79788456080286535588);
    *n = nearest(y, 0x1.71547652b82fep0);
    return fnma(*n, all<D>(0x1.62e42fefa39efp-1), y);
  };
  const Doubles wide = widen(near);
  Doubles exponent, r;
  r.low = reduce(wide.low, &exponent.low);
  r.high = reduce(wide.high, &exponent.high);
  const F n = narrow(exponent), p = exp_reduced(narrow(r));
  // At -11 the result is less than any float; -infinity gives a NaN.
  const I negative = x < 0.0f;
  const F left = x <= -11.0f ? F{} : p;
  const F quotient =
      x * (negative ? left : all<F>(1.0f)) / (scale(p, n) + 1.0f);
  return scale(quotient, negative ? n : F{});
}

// x = n pi/2 + r with |r| <= pi/4, for |x| < 2^20; `quadrant` is n.
struct Angle {
  F r;
  I quadrant;
};
inline Angle reduce_angle(F x) {
  const F n = nearest(x, 0x1.45f306p-1f);
  const Doubles wide = widen(x), times = widen(n);
  // The product with the high part of pi/2, of 33 bits, is exact.
  const auto rest = [](D x, D n) {
    const D high = fnma(n, all<D>(0x1.921fb544p+0), x);
    return fnma(n, all<D>(0x1.0b4611a626331p-34), high);
  };
  return {narrow({rest(wide.low, times.low), rest(wide.high, times.high)}),
          to_int(n)};
}
// The sine of the angle, `turns` quarter turns further.
inline F sin_of(const Angle& angle, int turns) {
  const F r = angle.r, z = r * r;
  const I quadrant = angle.quadrant + turns;
  const F s =
      fma(z * r, poly(z, -0x1.555546p-3, 0x1.11075cp-7, -0x1.994cd4p-13), r);
  const F tail = poly(z, 0x1.55554ap-5, -0x1.6c0c94p-10, 0x1.9a03acp-16);
  const F c = fma(z, fma(z, tail, all<F>(-0.5f)), all<F>(1.0f));
  const F value = (quadrant & 1) != 0 ? c : s;
  return bit_cast<F>(bit_cast<I>(value) ^ ((quadrant & 2) << 30));
}
// Lanes that are too large, infinite or NaN are left to the C library.
template <double (*kLibrary)(double), int kTurns>
inline F sin_or_cos(F x) {
  const I hard = ~(abs(x) < 0x1p20f);
  F result = sin_of(reduce_angle(hard ? F{} : x), kTurns);
  if (__builtin_expect(any(hard), 0)) {
    for (int i = 0; i < kLanes; ++i) {
      if (hard[i]) {
        result[i] = static_cast<float>(kLibrary(static_cast<double>(x[i])));
      }
    }
  }
  // The sine of -0 is -0.
  return kTurns == 0 ? (x == 0.0f ? x : result) : result;
}
inline F sin(F x) { return sin_or_cos<::sin, 0>(x); }
inline F cos(F x) { return sin_or_cos<::cos, 1>(x); }

// 2^(y log2(x)), for normal x > 0 and finite y; the C library does the rest.
inline F pow(F x, F y) {
  const I hard = ~((x >= 0x1p-126f) & (x < kInfinity) & (abs(y) < kInfinity));
  const Log log = reduce_log(hard ? all<F>(1.0f) : x);
  const Doubles e = widen(log.e), f = widen(log.f), exponent = widen(y);
  const auto half = [](D e, D f, D y) {
    // log(1 + f) = 2 atanh(s)
    const D s = f / (f + 2.0);
    const D z = s * s;
    const D tail =
        poly(z, 0x1.5555555619f5dp-2, 0x1.999996b0c5a0fp-3,
             0x1.24940fe0bae4cp-3, 0x1.c62b805a4ef49p-4, 0x1.911255fe60fbcp-4);
    const D log2 = fma(fma(z * s, tail, s), all<D>(2 * 0x1.71547652b82fep0), e);
    D t = y * log2;
    t = at_most(at_least(t, all<D>(-1000.0)), all<D>(1000.0));
    const D n = nearest(t, 1.0);
    const D r = t - n;
    const D p =
        poly(r, 0x1.62e42ff0f942cp-1, 0x1.ebfbe07f1d38bp-3,
             0x1.c6b08a99d6cfdp-5, 0x1.3b29ebdc9f745p-7, 0x1.5d8a9d55131e8p-10,
             0x1.446338eb54256p-13, 0x1.fddf0f957ed61p-17);
    return scale(fma(r, p, all<D>(1.0)), n);
  };
  F result = narrow(
      {half(e.low, f.low, exponent.low), half(e.high, f.high, exponent.high)});
  if (__builtin_expect(any(hard), 0)) {
    for (int i = 0; i < kLanes; ++i) {
      if (hard[i]) {
        result[i] = powf(x[i], y[i]);
      }
    }
  }
  return result;
}

}  // namespace
}  // namespace executorch::kernels::vec
