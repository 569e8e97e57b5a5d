// The matrix product: micro-kernels of every instruction set against plain
// sums, and the driver on shapes around the edges of its tiles and blocks.
//
// A new way to describe an operand or a result is one more case of kLayouts; a
// new micro-kernel is tested by being in a table.
#include "kernels/optimized/gemm/gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "kernels/optimized/gemm/few_rows.h"
#include "kernels/optimized/gemm/matrix.h"

namespace executorch::kernels::gemm {

extern const Sgemm sgemm_baseline;
#if defined(__x86_64__)
extern const Sgemm sgemm_avx2, sgemm_avx512;
#endif

namespace {

std::vector<const Sgemm*> usable_tables() {
  std::vector<const Sgemm*> result = {&sgemm_baseline};
#if defined(__x86_64__)
  for (const Sgemm* table : {&sgemm_avx2, &sgemm_avx512}) {
    if (cpu::usable(table->isa)) {
      result.push_back(table);
    }
  }
#endif
  return result;
}

template <class T>
std::vector<T> random_items(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-2, 2);
  std::vector<T> items(count);
  for (T& item : items) {
    if constexpr (std::is_integral_v<T>) {
      item = static_cast<T>(random()) << 32 | random();
    } else if constexpr (std::is_floating_point_v<T>) {
      item = static_cast<T>(number(random));
    } else {
      item = T(number(random), number(random));
    }
  }
  return items;
}

// Micro-kernels

class TileTest : public testing::TestWithParam<const Sgemm*> {};

enum class Steps { near, apart, offsets };

void expect_tile(const Kernels<float>& kernels, int rows, int vectors,
                 int64_t k, Start start, bool clamp, Steps steps) {
  const int columns = vectors * kernels.lanes;
  const int64_t b_step = columns + 3, c_step = columns + 5;
  const int64_t a_step = rows + (steps == Steps::near ? 0 : 20);
  std::vector<int64_t> offsets(k);
  for (int64_t p = 0; p < k; ++p) {
    offsets[p] = steps == Steps::offsets ? (k - 1 - p) * a_step : p * a_step;
  }
  const auto a = random_items<float>(a_step * k + 1, 1);
  const auto b = random_items<float>(b_step * k + 1, 2);
  const auto init = random_items<float>(rows * c_step, 3);
  const float limits[] = {-1, 1};
  std::vector<float> c(rows * c_step, 77);
  Tile<float> t;
  t.rows = rows;
  t.vectors = vectors;
  t.k = k;
  t.a = a.data();
  t.a_step = a_step;
  t.a_offsets = steps == Steps::offsets ? offsets.data() : nullptr;
  t.b = b.data();
  t.b_step = b_step;
  t.c = c.data();
  t.c_step = c_step;
  t.start = start;
  t.init = init.data();
  t.init_step = c_step;
  t.clamp = clamp ? limits : nullptr;
  kernels.tile(t);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < c_step; ++j) {
      double sum = start == Start::zero   ? 0
                   : start == Start::rows ? init[i]
                                          : init[i * c_step + j];
      for (int64_t p = 0; p < k; ++p) {
        sum += double(a[offsets[p] + i]) * b[p * b_step + j % columns];
      }
      sum = clamp ? std::min(std::max(sum, -1.0), 1.0) : sum;
      ASSERT_NEAR(c[i * c_step + j], j < columns ? sum : 77, 1e-4)
          << rows << " rows, " << vectors << " vectors, k " << k << " at " << i
          << ", " << j;
    }
  }
}

TEST_P(TileTest, EverySizeStartAndClamp) {
  const Kernels<float>& kernels = GetParam()->kernels;
  for (int rows = 1; rows <= kernels.max_rows; ++rows) {
    for (int vectors = 1; vectors <= kernels.max_vectors; ++vectors) {
      for (const int64_t k : {0, 1, 2, 37}) {
        for (const Start start : {Start::zero, Start::rows, Start::values}) {
          for (const Steps steps :
               {Steps::near, Steps::apart, Steps::offsets}) {
            expect_tile(kernels, rows, vectors, k, start, k == 2, steps);
          }
        }
      }
    }
  }
}

TEST_P(TileTest, ClampKeepsNan) {
  const float limits[] = {0, 6}, a[] = {std::nanf("")};
  std::vector<float> b(64, 1), c(64);
  Tile<float> t = {1, 1, 1, a, 1, nullptr, b.data(), 64, c.data(), 64};
  t.clamp = limits;
  GetParam()->kernels.tile(t);
  EXPECT_TRUE(std::isnan(c[0]));
}

TEST_P(TileTest, PacksRows) {
  const Kernels<float>& kernels = GetParam()->kernels;
  for (int64_t rows = 1; rows <= 33; ++rows) {
    for (const int64_t depth : {1, 3, 4, 17, 64}) {
      const int64_t step = rows + rows % 3;
      const auto src = random_items<float>(rows * (depth + 2), 4);
      std::vector<float> dst(step * depth + kSlack);
      kernels.pack_rows(dst.data(), step, src.data(), depth + 2, rows, depth);
      for (int64_t k = 0; k < depth; ++k) {
        for (int64_t i = 0; i < rows; ++i) {
          ASSERT_EQ(dst[k * step + i], src[i * (depth + 2) + k]);
        }
      }
    }
  }
}

TEST_P(TileTest, PacksRuns) {
  const Kernels<float>& kernels = GetParam()->kernels;
  const auto src = random_items<float>(400, 5);
  const std::vector<int64_t> offsets = {7, 0, 200, 31};
  const std::vector<gemm::Run> runs = {
      {0, 0, 5}, {60, 5, 1}, {90, 6, 17}, {3, 23, 9}};
  std::vector<float> dst(4 * 32 + kSlack);
  kernels.pack_runs(dst.data(), 32, src.data(), offsets.data(), 4, runs.data(),
                    runs.size());
  for (size_t k = 0; k < offsets.size(); ++k) {
    for (const gemm::Run& run : runs) {
      for (int32_t i = 0; i < run.length; ++i) {
        ASSERT_EQ(dst[k * 32 + run.to + i], src[offsets[k] + run.from + i]);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, TileTest, testing::ValuesIn(usable_tables()),
                         [](const auto& info) {
                           return std::string(cpu::isa_name(info.param->isa));
                         });

// The driver

struct Layout {
  const char* name;
  bool left_by_columns, right_by_columns, out_by_columns;
  bool packed;
  int64_t gap;  // items between rows
};

constexpr Layout kLayouts[] = {
    {"rows", false, false, false, false, 0},
    {"gaps", false, false, false, false, 3},
    {"left_transposed", true, false, false, false, 0},
    {"right_transposed", false, true, false, false, 0},
    {"all_transposed", true, true, true, false, 1},
    {"packed", false, true, false, true, 0},
    {"packed_to_columns", false, false, true, true, 0},
};

struct Matrix2 {
  int64_t row_stride, column_stride, size;
};

Matrix2 layout_of(int64_t rows, int64_t columns, bool by_columns, int64_t gap) {
  if (by_columns) {
    return {1, rows + gap, (rows + gap) * columns};
  }
  return {columns + gap, 1, (columns + gap) * rows};
}

template <class T>
T add_product(T sum, T a, T b) {
  if constexpr (std::is_same_v<T, int64_t>) {
    return static_cast<T>(static_cast<uint64_t>(sum) +
                          static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else {
    return sum + a * b;
  }
}

template <class T>
double tolerance(int64_t k) {
  return std::is_same_v<T, int64_t> ? 0
         : sizeof(T) == 4 || std::is_same_v<T, std::complex<float>>
             ? 1e-5 * (2 + std::sqrt(double(k)))
             : 1e-12 * (2 + double(k));
}

template <class T>
double distance(T a, T b) {
  if constexpr (std::is_same_v<T, int64_t>) {
    return a == b ? 0 : 1;
  } else {
    return std::abs(a - b);
  }
}

template <class T>
void expect_product(const Layout& layout, int64_t batch, int64_t m, int64_t n,
                    int64_t k) {
  SCOPED_TRACE(std::string(layout.name) + " " + std::to_string(batch) + "x" +
               std::to_string(m) + "x" + std::to_string(n) + "x" +
               std::to_string(k));
  const Matrix2 la = layout_of(m, k, layout.left_by_columns, layout.gap);
  const Matrix2 lb = layout_of(k, n, layout.right_by_columns, layout.gap);
  const Matrix2 lc = layout_of(m, n, layout.out_by_columns, layout.gap);
  const auto a = random_items<T>(batch * la.size + 1, 1);
  const auto b = random_items<T>(lb.size + 1, 2);
  const auto bias = random_items<T>(n + Output<T>::kPadding, 3);
  std::vector<T> c(batch * lc.size + 1, T(7));

  const Matrix<T> left(Side::left, {a.data(),
                                    dtype_of<T>(),
                                    la.row_stride,
                                    la.column_stride,
                                    {1, la.size, 0}});
  const Matrix<T> right(
      Side::right, {b.data(), dtype_of<T>(), lb.row_stride, lb.column_stride});
  const auto packed =
      layout.packed ? Packed<T>::make(right, Side::right, 1, n, k) : nullptr;
  MatrixOutput<T> out(c.data(), dtype_of<T>(), {lc.row_stride},
                      {lc.column_stride}, {1, lc.size, 0});
  out.column_bias = bias.data();
  ASSERT_EQ(
      multiply<T>(
          batch, m, n, k, left,
          packed != nullptr ? static_cast<const Operand<T>&>(*packed) : right,
          out),
      Error::Ok);
  for (int64_t x = 0; x < batch; ++x) {
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        T sum = bias[j];
        for (int64_t p = 0; p < k; ++p) {
          sum = add_product(
              sum, a[x * la.size + i * la.row_stride + p * la.column_stride],
              b[p * lb.row_stride + j * lb.column_stride]);
        }
        const T got = c[x * lc.size + i * lc.row_stride + j * lc.column_stride];
        ASSERT_LE(distance(got, sum), tolerance<T>(k)) << i << ", " << j;
      }
    }
  }
  EXPECT_EQ(c.back(), T(7));
}

class DriverTest : public testing::TestWithParam<Layout> {};

TEST_P(DriverTest, SizesAroundTheEdgesOfTiles) {
  for (const int64_t m : {1, 2, 5, 13, 14, 15, 29}) {
    for (const int64_t n : {1, 7, 15, 16, 17, 33, 49}) {
      for (const int64_t k : {0, 1, 5, 33}) {
        expect_product<float>(GetParam(), 1, m, n, k);
      }
    }
  }
}

TEST_P(DriverTest, SizesAroundTheEdgesOfBlocks) {
  expect_product<float>(GetParam(), 1, 3, 20, 255);
  expect_product<float>(GetParam(), 1, 3, 20, 257);
  expect_product<float>(GetParam(), 1, 270, 5, 600);
  expect_product<float>(GetParam(), 1, 17, 530, 300);
}

TEST_P(DriverTest, Batches) {
  expect_product<float>(GetParam(), 3, 15, 17, 19);
  expect_product<float>(GetParam(), 0, 15, 17, 19);
  expect_product<float>(GetParam(), 2, 0, 17, 19);
  expect_product<float>(GetParam(), 2, 15, 0, 19);
}

TEST_P(DriverTest, OtherTypes) {
  for (const int64_t k : {1, 40, 300}) {
    expect_product<double>(GetParam(), 2, 5, 9, k);
    expect_product<int64_t>(GetParam(), 2, 5, 9, k);
    expect_product<std::complex<float>>(GetParam(), 1, 5, 9, k);
    expect_product<std::complex<double>>(GetParam(), 1, 5, 9, k);
  }
}

INSTANTIATE_TEST_SUITE_P(Layout, DriverTest, testing::ValuesIn(kLayouts),
                         [](const auto& info) {
                           return std::string(info.param.name);
                         });

// Products with few rows, by the dtype of the right operand.

template <class Item>
void expect_few_rows(ScalarType dtype, int64_t m, int64_t n, int64_t k) {
  const auto a = random_items<float>(2 * m * k, 1);
  const auto numbers = random_items<float>(2 * n * k, 2);
  const std::vector<Item> b(numbers.begin(), numbers.end());
  const auto bias = random_items<float>(n, 3);
  std::vector<float> c(2 * m * n);
  const MatrixView left = {a.data(), ScalarType::Float, k, 1, {1, m * k, 0}};
  const MatrixView right = {b.data(), dtype, 1, k, {1, n * k, 0}};
  if (!takes_few_rows(m, right)) {
    return;  // this instruction set does not read the dtype
  }
  MatrixOutput<float> out(c.data(), ScalarType::Float, {n}, {1}, {1, m * n, 0});
  out.column_bias = bias.data();
  ASSERT_EQ(multiply_few_rows(2, m, n, k, left, right, out), Error::Ok);
  for (int64_t i = 0; i < 2 * m * n; ++i) {
    const int64_t batch = i / (m * n), row = i / n % m, column = i % n;
    double sum = bias[column];
    for (int64_t p = 0; p < k; ++p) {
      sum += double(a[(batch * m + row) * k + p]) *
             static_cast<float>(b[(batch * n + column) * k + p]);
    }
    ASSERT_NEAR(c[i], sum, 1e-4) << m << "x" << n << "x" << k << " at " << i;
  }
}

TEST(FewRows, AllDtypesAndSizes) {
  for (int64_t m = 1; m <= kFewRows; ++m) {
    for (const int64_t n : {1, 3, 4, 63, 65, 130}) {
      for (const int64_t k : {0, 1, 15, 16, 17, 100}) {
        expect_few_rows<float>(ScalarType::Float, m, n, k);
        expect_few_rows<aten::Half>(ScalarType::Half, m, n, k);
        expect_few_rows<aten::BFloat16>(ScalarType::BFloat16, m, n, k);
      }
    }
  }
}

// Half-precision sums are kept in float: 2048 + 1 has no half, the sum of 4096
// ones and its double do.
TEST(Driver, HalfIsRoundedOnce) {
  const int64_t k = 4096;
  const std::vector<aten::Half> ones(k, aten::Half(1.0f));
  aten::Half sum;
  const ScalarType half = ScalarType::Half;
  const Matrix<float> left(Side::left, {ones.data(), half, k, 1});
  const Matrix<float> right(Side::right, {ones.data(), half, 1, 1});
  const MatrixOutput<float> out(&sum, half, {1}, {1});
  ASSERT_EQ(multiply<float>(1, 1, 1, k, left, right, out), Error::Ok);
  EXPECT_EQ(static_cast<float>(sum), 4096);
}

TEST(Driver, ScalesAndAddsWithAnyStrides) {
  const float a[] = {1, 2}, b[] = {3, 4, 5};
  const float addend[] = {10, 20};
  float c[6];
  MatrixOutput<float> out(c, ScalarType::Float, {1}, {2});
  out.scale(2, 3, {addend, 1, 0});
  ASSERT_EQ(
      multiply<float>(
          1, 2, 3, 1, Matrix<float>(Side::left, {a, ScalarType::Float, 1, 1}),
          Matrix<float>(Side::right, {b, ScalarType::Float, 3, 1}), out),
      Error::Ok);
  const float expected[] = {36, 72, 38, 76, 40, 80};
  EXPECT_EQ(std::vector<float>(c, c + 6),
            std::vector<float>(expected, expected + 6));
}

TEST(Places, JoinsDimensionsThatLieOnALine) {
  EXPECT_FALSE(Places::on_grid({2, 3, 4}, {12, 4, 1}).grid);
  EXPECT_FALSE(Places::on_grid({1, 3, 4}, {99, 8, 2}).grid);
  EXPECT_FALSE(Places::on_grid({1, 3, 1}, {0, 8, 2}).grid);
  EXPECT_TRUE(Places::on_grid({1, 3, 4}, {0, 5, 1}).grid);
  const Places places = Places::on_grid({2, 2, 2}, {100, 10, 1});
  ASSERT_TRUE(places.grid);
  int64_t offsets[5];
  places.offsets({2, 5}, offsets);
  const int64_t expected[] = {10, 11, 100, 101, 110};
  EXPECT_TRUE(std::equal(offsets, offsets + 5, expected));
}

}  // namespace
}  // namespace executorch::kernels::gemm
