// Reductions of float arrays, of every instruction set that the CPU has: any
// length, NaN at any place, and sums with the same bits for all of them.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kernels/optimized/vec/reduce.h"
#include "src/threadpool/cpu.h"

namespace executorch::kernels::vec {

extern const Reduce reduce_baseline;
#if defined(__x86_64__)
extern const Reduce reduce_avx2, reduce_avx512;
#endif

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr size_t kMost = 140;  // two steps of the longest vectors, and a rest

std::vector<const Reduce*> usable_tables() {
  std::vector<const Reduce*> result = {&reduce_baseline};
#if defined(__x86_64__)
  for (const Reduce* table : {&reduce_avx2, &reduce_avx512}) {
    if (cpu::usable(table->isa)) {
      result.push_back(table);
    }
  }
#endif
  return result;
}

// Signs alternate, sizes spread over some binades, none is the same.
std::vector<float> some_floats(size_t n) {
  std::vector<float> x(n);
  for (size_t i = 0; i < n; ++i) {
    const float size = 0.37f + static_cast<float>((i * 29) % 1009) / 7;
    x[i] = i % 2 == 0 ? size : -size;
  }
  return x;
}

class VecReduce : public ::testing::TestWithParam<const Reduce*> {
 protected:
  const Reduce& table_ = *GetParam();
};

TEST_P(VecReduce, ExtremesOfAnyLength) {
  const std::vector<float> x = some_floats(kMost);
  float max = -1, min = 1;
  for (size_t n = 0; n <= kMost; ++n) {
    const auto size = static_cast<int64_t>(n);
    EXPECT_EQ(table_.max(-1, x.data(), size), max) << n;
    EXPECT_EQ(table_.min(1, x.data(), size), min) << n;
    if (n < kMost) {
      max = std::fmax(max, x[n]);
      min = std::fmin(min, x[n]);
    }
  }
}

TEST_P(VecReduce, NanWinsAtAnyPlace) {
  for (size_t place = 0; place < kMost; ++place) {
    std::vector<float> x = some_floats(kMost);
    x[place] = kNan;
    const auto n = static_cast<int64_t>(kMost);
    EXPECT_TRUE(std::isnan(table_.max(-1, x.data(), n))) << place;
    EXPECT_TRUE(std::isnan(table_.min(1, x.data(), n))) << place;
  }
  const float x = 1;
  EXPECT_TRUE(std::isnan(table_.max(kNan, &x, 1)));
  EXPECT_TRUE(std::isnan(table_.min(kNan, &x, 1)));
}

TEST_P(VecReduce, ExtremesOfPairs) {
  for (size_t n = 0; n < 70; ++n) {
    std::vector<float> a = some_floats(n + 1), b(n + 1);
    for (size_t i = 0; i <= n; ++i) {
      b[i] = i % 5 == 3 ? kNan : 50.0f - static_cast<float>(i);
      a[i] = i % 7 == 2 ? kNan : a[i];
    }
    for (const bool is_max : {true, false}) {
      std::vector<float> got = a;
      const auto run = is_max ? table_.max_each : table_.min_each;
      run(got.data(), b.data(), static_cast<int64_t>(n));
      for (size_t i = 0; i <= n; ++i) {
        const bool nan = std::isnan(a[i]) || (i < n && std::isnan(b[i]));
        const float want = i == n   ? a[i]
                           : is_max ? std::fmax(a[i], b[i])
                                    : std::fmin(a[i], b[i]);
        EXPECT_TRUE(nan ? std::isnan(got[i]) : got[i] == want)
            << n << ", element " << i;
      }
    }
  }
}

TEST_P(VecReduce, SumsAreRightAndTheSameForAllSets) {
  const std::vector<float> x = some_floats(1500);
  for (const size_t n : {0u, 1u, 15u, 16u, 17u, 63u, 64u, 65u, 200u, 1023u,
                         1024u, 1025u, 1100u, 1500u}) {
    const auto size = static_cast<int64_t>(n);
    constexpr double kShift = 0.3;
    double exact = 0, of_sizes = 0, first = 0, second = 0;
    for (size_t i = 0; i < n; ++i) {
      const double d = double{x[i]} - kShift;
      exact += double{x[i]};
      of_sizes += std::fabs(double{x[i]});
      first += d;
      second += d * d;
    }
    EXPECT_NEAR(table_.sum(x.data(), size), exact, 1e-6 * of_sizes) << n;
    double sums[] = {1, 2};
    table_.moments(x.data(), size, kShift, sums);
    EXPECT_NEAR(sums[0], 1 + first, 1e-12 * of_sizes) << n;
    EXPECT_NEAR(sums[1], 2 + second, 1e-12 * second) << n;

    EXPECT_EQ(table_.sum(x.data(), size), reduce_baseline.sum(x.data(), size));
    double baseline[] = {1, 2};
    reduce_baseline.moments(x.data(), size, kShift, baseline);
    EXPECT_EQ(sums[0], baseline[0]) << n;
    EXPECT_EQ(sums[1], baseline[1]) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, VecReduce, ::testing::ValuesIn(usable_tables()),
                         [](const auto& info) {
                           return std::string(cpu::isa_name(info.param->isa));
                         });

}  // namespace
}  // namespace executorch::kernels::vec
