// Results, views, callbacks and number helpers.
#include <executorch/runtime/core/array_ref.h>
#include <executorch/runtime/core/function_ref.h>
#include <executorch/runtime/core/portable_type/complex_math.h>
#include <executorch/runtime/core/portable_type/irange.h>
#include <executorch/runtime/core/portable_type/safe_numerics.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/core/tag.h>
#include <gtest/gtest.h>

#include <complex>
#include <memory>
#include <string>
#include <vector>

namespace executorch::runtime {
namespace {

TEST(ResultTest, HoldsAValueOrAnError) {
  Result<std::unique_ptr<int>> value(std::make_unique<int>(4));
  Result<std::unique_ptr<int>> moved(std::move(value));
  EXPECT_EQ(**moved, 4);
  Result<std::string> error(Error::NotFound);
  EXPECT_FALSE(error.ok());
  EXPECT_EQ(error.error(), Error::NotFound);
  EXPECT_EQ(Result<int>(Error::Ok).error(), Error::Internal);
  EXPECT_DEATH((void)error.get(), "Error::NotFound");
}

TEST(ResultTest, MacrosReturnTheError) {
  int evaluated = 0;
  const auto made = [&](Error error) {
    ++evaluated;
    return error == Error::Ok ? Result<int>(3) : Result<int>(error);
  };
  const auto all = [&](Error first, Error second, Error third) -> Result<int> {
    const int a = ET_UNWRAP(made(first));
    ET_ASSIGN_OR_RETURN(b, made(second), "second of %d, %d", a, 2);
    ET_CHECK_OK_OR_RETURN_ERROR(third, "third");
    ET_CHECK_OR_RETURN_ERROR(a + b == 6, Internal, "sum");
    return a + b;
  };
  EXPECT_EQ(all(Error::Ok, Error::Ok, Error::Ok).get(), 6);
  EXPECT_EQ(evaluated, 2);
  EXPECT_EQ(all(Error::NotFound, Error::Ok, Error::Ok).error(),
            Error::NotFound);
  EXPECT_EQ(all(Error::Ok, Error::InvalidType, Error::Ok).error(),
            Error::InvalidType);
  EXPECT_EQ(all(Error::Ok, Error::Ok, Error::EndOfMethod).error(),
            Error::EndOfMethod);
}

TEST(ViewTest, ChecksItsBounds) {
  const int numbers[] = {1, 2, 3};
  const ArrayRef<int> view(numbers);
  EXPECT_TRUE(view.slice(3).empty());
  EXPECT_EQ(view.slice(1, 2).back(), 3);
  EXPECT_DEATH((void)view.slice(4), "start");
  EXPECT_DEATH((void)view.slice(1, SIZE_MAX), "length");
  EXPECT_DEATH((void)view.at(3), "index");
  EXPECT_DEATH((void)ArrayRef<int>().front(), "index");
  std::string text = "ab";
  const Span<char> writable(text.data(), text.size());
  writable[0] = 'c';
  const Span<const char> readable = writable;
  EXPECT_EQ(readable[0], 'c');
}

int twice(int value) { return 2 * value; }

TEST(FunctionRefTest, CallsWhatItRefersTo) {
  int calls = 0;
  auto count = [&](int value) { calls += value; };
  FunctionRef<void(int)> counting = count;
  counting(3);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(FunctionRef<int(int)>(twice)(4), 8);
  EXPECT_FALSE(FunctionRef<int(int)>());
  EXPECT_FALSE(FunctionRef<int(int)>(nullptr));
  static_assert(!std::is_constructible_v<FunctionRef<int(int)>, int>);
}

TEST(TagTest, NamesFitTheirBuffer) {
  char buffer[4] = "xyz";
  EXPECT_EQ(tag_to_string(Tag::Tensor, buffer, 4), 3u);
  EXPECT_STREQ(buffer, "Ten");
  EXPECT_EQ(tag_to_string(Tag::Tensor, buffer, 0), 0u);
  EXPECT_STREQ(buffer, "Ten");
  EXPECT_STREQ(tag_to_string(static_cast<Tag>(99)), "Unknown");
  char longest[kTagNameBufferSize];
  EXPECT_EQ(tag_to_string(Tag::ListOptionalTensor, longest, sizeof(longest)),
            kTagNameBufferSize - 1);
}

TEST(NumericsTest, OverflowsAreTold) {
  EXPECT_TRUE(c10::overflows<int8_t>(128));
  EXPECT_FALSE(c10::overflows<int8_t>(-128));
  EXPECT_FALSE(c10::overflows<uint8_t>(-255));
  EXPECT_TRUE(c10::overflows<uint8_t>(-256));
  EXPECT_TRUE(c10::overflows<uint8_t>(-1, true));
  EXPECT_TRUE(c10::overflows<int64_t>(9223372036854775808.0));
  EXPECT_FALSE(c10::overflows<int64_t>(-9223372036854775808.0));
  EXPECT_TRUE(c10::overflows<int32_t>(INFINITY));
  EXPECT_FALSE(c10::overflows<float>(INFINITY));
  EXPECT_TRUE(c10::overflows<float>(1e300));
  EXPECT_TRUE(c10::overflows<c10::Half>(1e6f));
  EXPECT_TRUE(c10::overflows<float>(c10::complex<float>(1, 2)));
  EXPECT_FALSE(c10::overflows<bool>(7));
  uint64_t product = 0;
  EXPECT_FALSE(c10::safe_multiplies_u64(std::vector<int>{2, 3}, &product));
  EXPECT_EQ(product, 6u);
  int sum = 0;
  for (const auto i : c10::irange(2, 5)) {
    sum += i;
  }
  for (const auto i : c10::irange(-3)) {
    sum += 100 + i;
  }
  EXPECT_EQ(sum, 9);
}

TEST(ComplexTest, ComputesAsStdComplex) {
  using C = etensor::complex<double>;
  using Std = std::complex<double>;
  const std::vector<C> values = {{1, 2},         {-3, 0.5}, {0, -1},
                                 {1e200, 1e200}, {2, 0},    {1e-9, 1e-9}};
  const auto expect_near = [](C got, Std expected) {
    EXPECT_NEAR(got.real(), expected.real(),
                1e-12 * std::abs(expected) + 1e-300);
    EXPECT_NEAR(got.imag(), expected.imag(),
                1e-12 * std::abs(expected) + 1e-300);
  };
  for (const C a : values) {
    for (const C b : values) {
      const Std x(a);
      const Std y(b);
      expect_near(a + b, x + y);
      expect_near(a - b, x - y);
      expect_near(a / b, x / y);
      if (std::abs(a) < 1e100 && std::abs(b) < 1e100) {
        expect_near(a * b, x * y);
      }
    }
    if (std::abs(a) < 1e100) {
      expect_near(std::exp(a), std::exp(Std(a)));
      if (std::abs(a) > 0.1) {
        expect_near(std::log1p(a), std::log(Std(1) + Std(a)));
        expect_near(std::expm1(a), std::exp(Std(a)) - Std(1));
      }
    }
    expect_near(std::sqrt(a), std::sqrt(Std(a)));
  }
  EXPECT_EQ(std::log1p(C(1e-20, 1e-20)), C(1e-20, 1e-20));
  EXPECT_EQ(std::expm1(C(1e-20, 1e-20)), C(1e-20, 1e-20));
  EXPECT_EQ(C(1, 2) * 2, C(2, 4));
  EXPECT_EQ(1.0 + C(1, 2), C(2, 2));
  EXPECT_EQ(std::conj(C(1, 2)), C(1, -2));
  const etensor::complex<float> narrow(C(1, 2));
  const C wide = narrow;
  EXPECT_EQ(wide, C(1, 2));
}

}  // namespace
}  // namespace executorch::runtime
