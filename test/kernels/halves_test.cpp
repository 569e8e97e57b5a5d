// The loops on float16 of every instruction set that the CPU has give the bits
// of those on float, rounded once: all 65536 float16, with chosen partners.
//
// A new function is one row of kUnary or kBinary.
#include <executorch/runtime/core/portable_type/half.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <ostream>
#include <vector>

#include "kernels/optimized/vec/loops.h"
#include "src/threadpool/cpu.h"

namespace executorch::kernels::vec {

extern const Loops loops_baseline, halves_baseline;
#if defined(__x86_64__)
extern const Loops halves_avx2, halves_avx512;
#elif defined(__aarch64__)
extern const Loops halves_fp16;
#endif

namespace {

using runtime::etensor::Half;

std::vector<const Loops*> usable_halves() {
  std::vector<const Loops*> result;
  for (const Loops* loops : {
#if defined(__x86_64__)
         &halves_avx2, &halves_avx512
#elif defined(__aarch64__)
           &halves_baseline, &halves_fp16
#endif
       }) {
    if (cpu::usable(loops->isa)) {
      result.push_back(loops);
    }
  }
  return result;
}

Half from_bits(uint16_t bits) {
  Half x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}
uint16_t bits_of(Half x) {
  uint16_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits;
}
// All NaNs count as one.
uint16_t comparable(Half x) {
  return std::isnan(static_cast<float>(x)) ? 0x7E00 : bits_of(x);
}
uint16_t comparable(uint8_t x) { return x; }

const std::vector<Half>& all_halves() {
  static const std::vector<Half> values = [] {
    std::vector<Half> result;
    for (int bits = 0; bits < 0x10000; ++bits) {
      result.push_back(from_bits(static_cast<uint16_t>(bits)));
    }
    return result;
  }();
  return values;
}

// Zeros, subnormals, ends of binades, ties, the largest, infinity, NaN.
std::vector<Half> partners() {
  std::vector<Half> result;
  for (const int bits :
       {0x0000, 0x0001, 0x0002, 0x0155, 0x03FF, 0x0400, 0x0401, 0x07FF,
        0x0C00, 0x1001, 0x2E66, 0x3555, 0x37FF, 0x3800, 0x3BFF, 0x3C00,
        0x3C01, 0x3E00, 0x4000, 0x4248, 0x4BFF, 0x5640, 0x6400, 0x6401,
        0x6BFF, 0x7800, 0x7BFF, 0x7C00, 0x7E00}) {
    result.push_back(from_bits(static_cast<uint16_t>(bits)));
    result.push_back(from_bits(static_cast<uint16_t>(bits | 0x8000)));
  }
  return result;
}

// No float16, or nearly none.
constexpr float kNumbers[] = {0.1f,     -0.3f,   3.1415927f,    1.00048828125f,
                              1e-10f,   -1e-10f, 2.9802322e-8f, 65519.0f,
                              65520.0f, 1e6f,    -1e6f,         2049.0f,
                              0x1p-25f, 1e-30f,  1e30f};

std::vector<float> widened(const std::vector<Half>& values) {
  return {values.begin(), values.end()};
}

template <class T>
std::vector<T> run(Loops::Run loop, const void* a, const void* b, size_t n,
                   const void* params = nullptr) {
  const void* const in[] = {a, b};
  std::vector<T> result(n + 1);  // one more, which stays as it is
  loop(in, result.data(), static_cast<int64_t>(n), params);
  EXPECT_EQ(comparable(result[n]), 0);
  result.pop_back();
  return result;
}

template <class R, class Wide>
void expect_same(const std::vector<R>& got, const std::vector<Wide>& exact,
                 const std::vector<Half>& x) {
  int faults = 0;
  for (size_t i = 0; i < got.size() && faults < 3; ++i) {
    const R rounded(exact[i]);
    if (comparable(got[i]) != comparable(rounded)) {
      ++faults;
      ADD_FAILURE() << std::hex << "of " << bits_of(x[i]) << ": got "
                    << comparable(got[i]) << ", expected "
                    << comparable(rounded);
    }
  }
}

class Halves : public ::testing::TestWithParam<const Loops*> {
 protected:
  const Loops& table_ = *GetParam();
};

struct Unary {
  const char* name;
  LoopMember loop;
  std::vector<std::vector<float>> params = {{}};
};

const Unary kUnary[] = {
    {"abs", &Loops::abs},
    {"neg", &Loops::neg},
    {"reciprocal", &Loops::reciprocal},
    {"relu", &Loops::relu},
    {"rsqrt", &Loops::rsqrt},
    {"sqrt", &Loops::sqrt},
    {"ceil", &Loops::ceil},
    {"floor", &Loops::floor},
    {"round", &Loops::round},
    {"trunc", &Loops::trunc},
    {"clamp",
     &Loops::clamp,
     {{0, 6},
      {-1, 1},
      {0.1f, 0.7f},
      {-1e-10f, 1e-10f},
      {1e-10f, 1e6f},
      {-1e6f, -1e-10f},
      {2, 1},
      {-INFINITY, INFINITY}}},
    {"leaky_relu", &Loops::leaky_relu, {{0.01f}, {0.5f}, {-2}, {0}, {1e-6f}}},
};

TEST_P(Halves, UnaryAgreesWithFloat) {
  const std::vector<Half>& x = all_halves();
  const std::vector<float> wide = widened(x);
  for (const Unary& f : kUnary) {
    for (const auto& params : f.params) {
      SCOPED_TRACE(std::string(f.name) + ::testing::PrintToString(params));
      ASSERT_NE(table_.*f.loop, nullptr);
      expect_same(
          run<Half>(table_.*f.loop, x.data(), nullptr, x.size(), params.data()),
          run<float>(loops_baseline.*f.loop, wide.data(), nullptr, x.size(),
                     params.data()),
          x);
    }
  }
}

struct Binary {
  const char* name;
  BinaryLoopMember loop;
};

const Binary kArithmetic[] = {
    {"add", &Loops::add},         {"sub", &Loops::sub},
    {"mul", &Loops::mul},         {"div", &Loops::div},
    {"maximum", &Loops::maximum}, {"minimum", &Loops::minimum},
};
const Binary kComparisons[] = {
    {"eq", &Loops::eq}, {"ne", &Loops::ne}, {"lt", &Loops::lt},
    {"le", &Loops::le}, {"gt", &Loops::gt}, {"ge", &Loops::ge},
};

// All float16 with one partner, on either side, and with it as a value.
template <class R, class Wide>
void expect_binary(const Loops::Binary& got, const Loops::Binary& exact,
                   Half partner) {
  const std::vector<Half>& x = all_halves();
  const std::vector<Half> other(x.size(), partner);
  const std::vector<float> wide_x = widened(x), wide_other = widened(other);
  const float value(partner);
  const size_t n = x.size();
  const auto right =
      run<Wide>(exact.arrays, wide_x.data(), wide_other.data(), n);
  expect_same(run<R>(got.arrays, x.data(), other.data(), n), right, x);
  expect_same(run<R>(got.value, x.data(), &value, n), right, x);
  expect_same(run<R>(got.arrays, other.data(), x.data(), n),
              run<Wide>(exact.arrays, wide_other.data(), wide_x.data(), n), x);
}

TEST_P(Halves, ArithmeticAgreesWithFloat) {
  for (const Binary& f : kArithmetic) {
    ASSERT_NE((table_.*f.loop).arrays, nullptr) << f.name;
    for (const Half partner : partners()) {
      SCOPED_TRACE(std::string(f.name) + " " +
                   std::to_string(bits_of(partner)));
      expect_binary<Half, float>(table_.*f.loop, loops_baseline.*f.loop,
                                 partner);
    }
  }
}

TEST_P(Halves, ComparisonAgreesWithFloat) {
  for (const Binary& f : kComparisons) {
    if ((table_.*f.loop).arrays == nullptr) {
      EXPECT_NE(table_.isa, cpu::Isa::fp16) << f.name;
      continue;
    }
    for (const Half partner : partners()) {
      SCOPED_TRACE(std::string(f.name) + " " +
                   std::to_string(bits_of(partner)));
      expect_binary<uint8_t, uint8_t>(table_.*f.loop, loops_baseline.*f.loop,
                                      partner);
    }
  }
}

TEST_P(Halves, NumbersAreNotRoundedFirst) {
  const std::vector<Half>& x = all_halves();
  const std::vector<float> wide = widened(x);
  for (const BinaryLoopMember f :
       {&Loops::add, &Loops::sub, &Loops::mul, &Loops::div}) {
    for (const float number : kNumbers) {
      SCOPED_TRACE(number);
      expect_same(
          run<Half>((table_.*f).value, x.data(), &number, x.size()),
          run<float>((loops_baseline.*f).value, wide.data(), &number, x.size()),
          x);
    }
  }
}

TEST_P(Halves, AnyLength) {
  const std::vector<Half> x(all_halves().begin() + 0x3C00,
                            all_halves().begin() + 0x3C00 + 70);
  const std::vector<float> wide = widened(x);
  const float params[] = {1.01f, 1.02f}, value = 1.5f;
  for (size_t n = 0; n < x.size(); ++n) {
    SCOPED_TRACE(n);
    expect_same(run<Half>(table_.sqrt, x.data(), nullptr, n),
                run<float>(loops_baseline.sqrt, wide.data(), nullptr, n), x);
    expect_same(
        run<Half>(table_.clamp, x.data(), nullptr, n, params),
        run<float>(loops_baseline.clamp, wide.data(), nullptr, n, params), x);
    expect_same(
        run<Half>(table_.mul.arrays, x.data(), x.data(), n),
        run<float>(loops_baseline.mul.arrays, wide.data(), wide.data(), n), x);
    expect_same(run<Half>(table_.mul.value, x.data(), &value, n),
                run<float>(loops_baseline.mul.value, wide.data(), &value, n),
                x);
    if (table_.lt.arrays != nullptr) {
      expect_same(run<uint8_t>(table_.lt.value, x.data(), &value, n),
                  run<uint8_t>(loops_baseline.lt.value, wide.data(), &value, n),
                  x);
    }
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Halves);
INSTANTIATE_TEST_SUITE_P(Isa, Halves, ::testing::ValuesIn(usable_halves()),
                         [](const auto& info) {
                           return std::string(cpu::isa_name(info.param->isa));
                         });

}  // namespace
}  // namespace executorch::kernels::vec
