// Half and BFloat16 against the definition of their formats: a number is the
// nearest multiple of a unit that depends on its exponent.
#include <executorch/runtime/core/portable_type/bfloat16_math.h>
#include <executorch/runtime/core/portable_type/reduced_float.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace executorch::runtime::etensor {
namespace {

struct Format {
  int mantissa_bits;
  int min_exponent;  // of a normal number
  double max;
};
template <class T>
constexpr Format kFormat = {10, -14, 65504.0};
template <>
constexpr Format kFormat<BFloat16> = {7, -126, 0x1.fep127};

template <class T>
T from(uint32_t bits) {
  return T(static_cast<uint16_t>(bits), T::from_bits());
}

// The value of the bits, by the definition.
template <class T>
double value_of(uint16_t bits) {
  const Format f = kFormat<T>;
  const int mantissa = bits & ((1 << f.mantissa_bits) - 1);
  const int field = (bits & 0x7fff) >> f.mantissa_bits;
  const int top = 0x7fff >> f.mantissa_bits;
  double value;
  if (field == top) {
    value = mantissa != 0 ? NAN : INFINITY;
  } else if (field == 0) {
    value = std::ldexp(mantissa, f.min_exponent - f.mantissa_bits);
  } else {
    value = std::ldexp(mantissa + (1 << f.mantissa_bits),
                       field - 1 + f.min_exponent - f.mantissa_bits);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

// The nearest number of the format, ties to even.
template <class T>
double rounded(double value) {
  const Format f = kFormat<T>;
  if (!std::isfinite(value) || value == 0) {
    return value;
  }
  const int exponent = std::max(std::ilogb(value), f.min_exponent);
  const int unit = exponent - f.mantissa_bits;
  const double near =
      std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
  return std::fabs(near) > f.max ? std::copysign(INFINITY, value) : near;
}

template <class T>
void expect_rounds(float value) {
  const float got = T(value);
  const double expected = rounded<T>(value);
  if (std::isnan(expected)) {
    ASSERT_TRUE(std::isnan(got)) << value;
  } else {
    ASSERT_EQ(got, expected) << value;
    ASSERT_EQ(std::signbit(got), std::signbit(expected)) << value;
  }
}

template <class T>
class ReducedFloat : public testing::Test {};
using Both = testing::Types<Half, BFloat16>;
TYPED_TEST_SUITE(ReducedFloat, Both);

TYPED_TEST(ReducedFloat, EveryNumberConvertsToFloatAndBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float got = from<TypeParam>(bits);
    const double expected = value_of<TypeParam>(static_cast<uint16_t>(bits));
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(got)) << bits;
      ASSERT_TRUE(std::isnan(static_cast<float>(TypeParam(got)))) << bits;
    } else {
      ASSERT_EQ(got, expected) << bits;
      ASSERT_EQ(TypeParam(got).x, bits);
    }
  }
}

TYPED_TEST(ReducedFloat, NeighboursTiesAndWhatIsNextToThemRound) {
  for (uint32_t bits = 0; bits < 0x7fff; ++bits) {
    const double a = value_of<TypeParam>(static_cast<uint16_t>(bits));
    const double b = value_of<TypeParam>(static_cast<uint16_t>(bits + 1));
    if (!std::isfinite(b)) {
      break;
    }
    const float tie = static_cast<float>((a + b) / 2);
    for (const float value :
         {tie, std::nextafter(tie, 0.0f), std::nextafter(tie, INFINITY),
          static_cast<float>(a), std::nextafter(static_cast<float>(b), 0.0f)}) {
      expect_rounds<TypeParam>(value);
      expect_rounds<TypeParam>(-value);
    }
  }
}

TYPED_TEST(ReducedFloat, FloatsOfAllSizesRound) {
  for (uint64_t bits = 0; bits < (uint64_t(1) << 32); bits += 4099) {
    expect_rounds<TypeParam>(
        internal::fp32_from_bits(static_cast<uint32_t>(bits)));
  }
  for (const float value :
       {65519.0f, 65520.0f, 65536.0f, 0x1.fep127f, 0x1.fefffep127f, 0x1.ffp127f,
        0x1.fffffep127f, 0x1p-24f, 0x1p-25f, 0x1.000002p-25f, 0x1p-149f}) {
    expect_rounds<TypeParam>(value);
    expect_rounds<TypeParam>(-value);
  }
}

TYPED_TEST(ReducedFloat, ArithmeticRoundsOnce) {
  const std::vector<float> values = {0.0f,  1.0f,    -2.5f,  0.1f,
                                     3e-5f, 1000.0f, 6.0e4f, -7.0f};
  for (const float x : values) {
    for (const float y : values) {
      const TypeParam a(x);
      const TypeParam b(y);
      const float fa = a;
      const float fb = b;
      EXPECT_EQ((a + b).x, TypeParam(fa + fb).x);
      EXPECT_EQ((a - b).x, TypeParam(fa - fb).x);
      EXPECT_EQ((a * b).x, TypeParam(fa * fb).x);
      if (fb != 0) {
        EXPECT_EQ((a / b).x, TypeParam(fa / fb).x);
      }
      EXPECT_EQ((-a).x, TypeParam(-fa).x);
      EXPECT_EQ(a < b, fa < fb);
      EXPECT_EQ(a == b, fa == fb);
      TypeParam c = a;
      c += b;
      c *= 2;
      EXPECT_EQ(c.x, ((a + b) * 2).x);
    }
  }
}

TYPED_TEST(ReducedFloat, MixedArithmeticHasTheTypesOfPyTorch) {
  const TypeParam a(2.0f);
  static_assert(std::is_same_v<decltype(a + a), TypeParam>);
  static_assert(std::is_same_v<decltype(a + 1), TypeParam>);
  static_assert(std::is_same_v<decltype(int64_t(1) * a), TypeParam>);
  static_assert(std::is_same_v<decltype(a + 1.0f), float>);
  static_assert(std::is_same_v<decltype(1.0 - a), double>);
  static_assert(std::is_same_v<decltype(std::exp(a)), TypeParam>);
  EXPECT_EQ(static_cast<float>(1 - a), -1.0f);
  EXPECT_EQ(a * 1.5f, 3.0f);
  EXPECT_EQ(static_cast<float>(std::sqrt(a + 2)), 2.0f);
}

TYPED_TEST(ReducedFloat, LimitsNameTheRightNumbers) {
  using Limits = std::numeric_limits<TypeParam>;
  const Format f = kFormat<TypeParam>;
  static_assert(Limits::is_specialized && Limits::digits > 0);
  EXPECT_EQ(Limits::digits, f.mantissa_bits + 1);
  EXPECT_EQ(Limits::min_exponent, f.min_exponent + 1);
  EXPECT_EQ(Limits::max(), f.max);
  EXPECT_EQ(Limits::lowest(), -f.max);
  EXPECT_EQ(Limits::min(), std::ldexp(1.0, f.min_exponent));
  EXPECT_EQ(Limits::denorm_min(),
            std::ldexp(1.0, f.min_exponent - f.mantissa_bits));
  EXPECT_EQ(Limits::epsilon(), std::ldexp(1.0, -f.mantissa_bits));
  EXPECT_TRUE(std::isinf(static_cast<float>(Limits::infinity())));
  EXPECT_TRUE(std::isnan(static_cast<float>(Limits::quiet_NaN())));
  EXPECT_TRUE(std::isnan(static_cast<float>(Limits::signaling_NaN())));
}

TYPED_TEST(ReducedFloat, NextAfterStepsByOneNumber) {
  const TypeParam zero(0.0f);
  const TypeParam one(1.0f);
  EXPECT_EQ(std::nextafter(zero, one).x, 1);
  EXPECT_EQ(std::nextafter(zero, -one).x, 0x8001);
  EXPECT_EQ(std::nextafter(one, zero).x, one.x - 1);
  EXPECT_EQ(std::nextafter(-one, zero).x, (-one).x - 1);
  EXPECT_EQ(std::nextafter(one, TypeParam(2.0f)).x, one.x + 1);
}

}  // namespace
}  // namespace executorch::runtime::etensor
