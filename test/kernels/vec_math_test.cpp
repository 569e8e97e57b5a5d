// Accuracy of the vector functions, against the C library in double.
//
// Every instruction set that the CPU has is tested on floats taken in equal
// steps over all bit patterns, and on edges. ET_VEC_MATH_STEP=1 takes all 2^32.
//
// A new function is one row of kUnary.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <ostream>
#include <vector>

#include "kernels/optimized/vec/loops.h"
#include "src/threadpool/cpu.h"

namespace executorch::kernels::vec {

extern const Loops loops_baseline;
#if defined(__x86_64__)
extern const Loops loops_avx2, loops_avx512;
#endif

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr size_t kBatch = 4096;

std::vector<const Loops*> usable_loops() {
  std::vector<const Loops*> result = {&loops_baseline};
#if defined(__x86_64__)
  for (const Loops* loops : {&loops_avx2, &loops_avx512}) {
    if (cpu::usable(loops->isa)) {
      result.push_back(loops);
    }
  }
#endif
  return result;
}

float from_bits(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}

// The distance of `got` from `exact` in units of the last place of a float of
// that size. Infinity counts as 2^128.
double ulps(float got, double exact) {
  if (std::isnan(exact) || std::isnan(got)) {
    return std::isnan(exact) && std::isnan(got) ? 0 : kInfinity;
  }
  if (static_cast<float>(exact) == got) {
    return 0;
  }
  if (std::isinf(exact)) {
    return kInfinity;
  }
  const double value =
      std::isinf(got) ? std::copysign(0x1p128, got) : static_cast<double>(got);
  int exponent;
  std::frexp(exact, &exponent);
  const int last_place = std::max(exponent - 24, -149);
  return std::fabs(std::ldexp(value - exact, -last_place));
}

struct Unary {
  const char* name;
  LoopMember loop;
  double (*exact)(double);
  double max_ulps;
};
std::ostream& operator<<(std::ostream& out, const Unary& f) {
  return out << f.name;
}

double sigmoid(double x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}
double rsqrt(double x) { return 1 / std::sqrt(x); }
double reciprocal(double x) { return 1 / x; }
double relu(double x) { return x < 0 ? 0 : x; }
double negate(double x) { return -x; }
double gelu(double x) {
  return x == -HUGE_VAL ? NAN : 0.5 * x * std::erfc(-x * std::sqrt(0.5));
}
double gelu_tanh(double x) {
  const double k = std::sqrt(2 / std::acos(-1.0));
  const double u = k * (x + 0.044715 * x * x * x);
  return x == -HUGE_VAL ? NAN : x * sigmoid(2 * u);
}

const Unary kUnary[] = {
    {"abs", &Loops::abs, std::fabs, 0},
    {"ceil", &Loops::ceil, std::ceil, 0},
    {"cos", &Loops::cos, std::cos, 2},
    {"erf", &Loops::erf, std::erf, 2},
    {"exp", &Loops::exp, std::exp, 2},
    {"expm1", &Loops::expm1, std::expm1, 2},
    {"floor", &Loops::floor, std::floor, 0},
    {"gelu", &Loops::gelu, gelu, 5},
    {"gelu_tanh", &Loops::gelu_tanh, gelu_tanh, 3},
    {"log", &Loops::log, std::log, 2},
    {"log1p", &Loops::log1p, std::log1p, 2},
    {"neg", &Loops::neg, negate, 0},
    {"reciprocal", &Loops::reciprocal, reciprocal, 0.5},
    {"relu", &Loops::relu, relu, 0},
    {"round", &Loops::round, std::nearbyint, 0},
    {"rsqrt", &Loops::rsqrt, rsqrt, 2},
    {"sigmoid", &Loops::sigmoid, sigmoid, 2},
    {"sin", &Loops::sin, std::sin, 2},
    {"sqrt", &Loops::sqrt, std::sqrt, 0.5},
    {"tanh", &Loops::tanh, std::tanh, 2},
    {"trunc", &Loops::trunc, std::trunc, 0},
};

uint64_t step() {
  const char* value = std::getenv("ET_VEC_MATH_STEP");
  return value == nullptr ? 4999 : std::strtoull(value, nullptr, 10);
}

// Batches of inputs: all bit patterns in steps, and the neighbours of powers of
// two and of numbers where functions change or overflow.
void for_each_batch(const std::function<void(const std::vector<float>&)>& f) {
  std::vector<float> batch;
  const auto add = [&](float x) {
    batch.push_back(x);
    if (batch.size() == kBatch) {
      f(batch);
      batch.clear();
    }
  };
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += step()) {
    add(from_bits(static_cast<uint32_t>(bits)));
  }
  std::vector<float> edges = {
      kInfinity, kNan,    0,         88.72284f, 103.97208f, 87.33655f,
      9.011f,    13.167f, 17.32868f, 0.55f,     0.625f,     0.91f,
      0.92f,     4.0f,    14.5f,     1.570796f, 3.14159265f};
  for (int e = -149; e < 128; ++e) {
    edges.push_back(std::ldexp(1.0f, e));
  }
  for (const float edge : edges) {
    for (const float sign : {1.0f, -1.0f}) {
      float below = edge, above = edge;
      for (int i = 0; i < 20; ++i) {
        add(sign * below);
        add(sign * above);
        below = std::nextafter(below, -kInfinity);
        above = std::nextafter(above, kInfinity);
      }
    }
  }
  f(batch);
}

class VecUnary : public ::testing::TestWithParam<Unary> {};

TEST_P(VecUnary, IsAccurateForAllFloats) {
  const Unary& f = GetParam();
  const std::vector<const Loops*> sets = usable_loops();
  std::vector<double> worst(sets.size()), worst_at(sets.size());
  std::vector<double> exact(kBatch);
  std::vector<float> got(kBatch);
  for_each_batch([&](const std::vector<float>& x) {
    for (size_t i = 0; i < x.size(); ++i) {
      exact[i] = f.exact(static_cast<double>(x[i]));
    }
    for (size_t s = 0; s < sets.size(); ++s) {
      const void* in[] = {x.data()};
      (sets[s]->*f.loop)(in, got.data(), static_cast<int64_t>(x.size()),
                         nullptr);
      for (size_t i = 0; i < x.size(); ++i) {
        const double error = ulps(got[i], exact[i]);
        if (error > worst[s]) {
          worst[s] = error;
          worst_at[s] = static_cast<double>(x[i]);
        }
      }
    }
  });
  for (size_t s = 0; s < sets.size(); ++s) {
    const char* isa = cpu::isa_name(sets[s]->isa);
    EXPECT_LE(worst[s], f.max_ulps) << isa << " at " << worst_at[s];
    RecordProperty(isa, std::to_string(worst[s]));
  }
}

INSTANTIATE_TEST_SUITE_P(All, VecUnary, ::testing::ValuesIn(kUnary),
                         [](const auto& info) {
                           return std::string(info.param.name);
                         });

// Bases and exponents in steps over all patterns, and the special ones.
TEST(VecPow, IsAccurate) {
  std::vector<float> a, b;
  const std::vector<float> special = {
      0,     -0.0f, 1,          -1,     2,         -2,    0.5f,
      -0.5f, 3,     -3,         1e-40f, kInfinity, kNan,  -1e-40f,
      1e38f, 1e9f,  -kInfinity, 2.5f,   1e-9f,     -1e38f};
  for (const float x : special) {
    for (const float y : special) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 100 * step()) {
    const float x = from_bits(static_cast<uint32_t>(bits));
    for (const float y :
         {0.5f, -1.0f, 2.0f, 3.0f, 0.1f, -7.3f, 30.0f, 1e-3f,
          from_bits(static_cast<uint32_t>(bits * 2654435761))}) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  for (int i = -400; i <= 400; ++i) {  // results all over the range, near 1 too
    for (const float x : {1.0f + 1e-3f * i, 1.0f + 1e-6f * i, 1e3f}) {
      for (const float y : {0.37f * i, 90.0f * i, 0.03f * i}) {
        a.push_back(x);
        b.push_back(y);
      }
    }
  }
  std::vector<float> got(a.size());
  for (const Loops* loops : usable_loops()) {
    const void* in[] = {a.data(), b.data()};
    loops->pow.arrays(in, got.data(), static_cast<int64_t>(a.size()), nullptr);
    for (size_t i = 0; i < a.size(); ++i) {
      const double exact = std::pow(double{a[i]}, double{b[i]});
      ASSERT_LE(ulps(got[i], exact), 2)
          << cpu::isa_name(loops->isa) << ": " << a[i] << " ^ " << b[i]
          << " gives " << got[i] << ", not " << exact;
    }
  }
}

// The value form of an operation on arrays gives the bits of the form with
// arrays, for every value.
TEST(VecLoops, ValueCountsAsAnArrayOfIt) {
  const std::vector<float> x = {0.0f,       -0.0f, 1.5f,   -2.0f,  kInfinity,
                                -kInfinity, kNan,  1e-40f, -1e38f, 0.5f};
  constexpr BinaryLoopMember kAll[] = {
      &Loops::add,     &Loops::sub, &Loops::mul, &Loops::div, &Loops::maximum,
      &Loops::minimum, &Loops::pow, &Loops::eq,  &Loops::ne,  &Loops::lt,
      &Loops::le,      &Loops::gt,  &Loops::ge};
  for (const Loops* loops : usable_loops()) {
    for (size_t f = 0; f < std::size(kAll); ++f) {
      for (const float value : x) {
        const std::vector<float> repeated(x.size(), value);
        const void* const arrays[] = {x.data(), repeated.data()};
        const void* const number[] = {x.data(), &value};
        std::vector<uint32_t> want(x.size()), got(x.size());
        const auto n = static_cast<int64_t>(x.size());
        (loops->*kAll[f]).arrays(arrays, want.data(), n, nullptr);
        (loops->*kAll[f]).value(number, got.data(), n, nullptr);
        EXPECT_EQ(got, want) << cpu::isa_name(loops->isa) << ", function " << f
                             << ", value " << value;
      }
    }
  }
}

// Elements after the last whole vector, and no others, are written.
TEST(VecLoops, WriteEveryLengthExactly) {
  std::vector<float> x(100);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i) - 50;
  }
  for (const Loops* loops : usable_loops()) {
    for (size_t n = 0; n < 70; ++n) {
      std::vector<float> got(x.size(), 7);
      const void* in[] = {x.data(), x.data() + 1};
      loops->add.arrays(in, got.data(), static_cast<int64_t>(n), nullptr);
      for (size_t i = 0; i < got.size(); ++i) {
        ASSERT_EQ(got[i], i < n ? x[i] + x[i + 1] : 7)
            << cpu::isa_name(loops->isa) << ", length " << n << ", element "
            << i;
      }
    }
  }
}

}  // namespace
}  // namespace executorch::kernels::vec
