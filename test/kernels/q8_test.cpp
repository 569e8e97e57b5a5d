// Products with grouped weights: the stored cases against what their arithmetic
// gives in NumPy, and random ones against the plain kernel, bit by bit.
#include "kernels/optimized/gemm/q8.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "kernels/optimized/gemm/grouped_weights.h"
#include "test/support/npy.h"

namespace executorch::kernels::gemm {

extern const Q8Kernels q8_baseline;

namespace {

using test::Array;
using test::read_npy;

const std::filesystem::path kData =
    std::filesystem::path(ET_TEST_DATA_DIR) / "moe";

struct Quantized {
  std::vector<int8_t> a;
  std::vector<int32_t> starts, zeros;
  std::vector<float> scales;
};

Quantized quantize(const Q8Kernels& kernels, const float* x, int64_t rows,
                   const GroupedShape& shape) {
  Quantized q;
  q.a.resize(rows * shape.k);
  q.starts.resize(rows * shape.groups());
  q.zeros.resize(rows);
  q.scales.resize(rows);
  for (int64_t r = 0; r < rows; ++r) {
    kernels.quantize(x + r * shape.k, shape.k, shape.group, &q.a[r * shape.k],
                     &q.starts[r * shape.groups()], &q.scales[r], &q.zeros[r]);
  }
  return q;
}

// All panels, by as many rows as the kernel takes.
std::vector<float> multiply(const Q8Kernels& kernels, const Quantized& q,
                            int64_t rows, const GroupedShape& shape,
                            const uint8_t* panels) {
  const Q8Kernels::Run& run = shape.bits == 4 ? kernels.bits4 : kernels.bits8;
  const int64_t width = shape.panels() * 8;
  std::vector<float> out(rows * width);
  for (int64_t r = 0; r < rows; r += run.rows) {
    const int count = static_cast<int>(std::min<int64_t>(run.rows, rows - r));
    std::vector<const int8_t*> a;
    std::vector<const int32_t*> starts;
    for (int i = 0; i < count; ++i) {
      a.push_back(&q.a[(r + i) * shape.k]);
      starts.push_back(&q.starts[(r + i) * shape.groups()]);
    }
    std::vector<float*> to;
    for (int i = 0; i < count; ++i) {
      to.push_back(&out[(r + i) * width]);
    }
    run.tile({panels, shape.panel_bytes(), shape.groups(), shape.group / 16,
              a.data(), starts.data(), &q.scales[r], &q.zeros[r], to.data()},
             count, shape.panels());
  }
  return out;
}

TEST(GroupedShape, RefusesWhatCannotBePacked) {
  constexpr int64_t kHuge = int64_t{1} << 40;
  for (const GroupedShape& shape :
       {GroupedShape{8, 32, 32, 5}, GroupedShape{8, 32, 0, 4},
        GroupedShape{8, 32, -16, 4}, GroupedShape{8, 32, 8, 4},
        GroupedShape{8, 48, 32, 4}, GroupedShape{0, 32, 32, 4},
        GroupedShape{8, 0, 32, 4}, GroupedShape{kHuge, 32, 32, 4},
        GroupedShape{8, kHuge, 32, 4}, GroupedShape{8, 65536, 65536, 4}}) {
    EXPECT_EQ(shape.check(), runtime::Error::InvalidArgument)
        << shape.n << " x " << shape.k << ", group " << shape.group << ", "
        << shape.bits << " bits";
  }
  EXPECT_EQ((GroupedShape{8, 65520, 65520, 8}.check()), runtime::Error::Ok);
}

class StoredProduct : public ::testing::TestWithParam<nlohmann::json> {};

TEST_P(StoredProduct, MatchesNumPy) {
  const nlohmann::json& c = GetParam();
  const auto folder = kData / c["name"].get<std::string>();
  const GroupedShape shape{c["n"], c["k"], c["group_size"], c["weight_nbit"]};
  const int64_t rows = c["m"];
  const Array x = read_npy(folder / "x.npy", "float32");
  const Array w = read_npy(folder / "w.npy", "uint8");
  const Array values = read_npy(folder / "aq.npy", "int8");
  const Array expected = read_npy(folder / "expected_q8.npy", "float32");
  ASSERT_EQ(shape.check(), runtime::Error::Ok);
  ASSERT_EQ(check_grouped({w.bytes.data(), w.bytes.size()}, shape, "w", 0),
            runtime::Error::Ok);
  const Quantized q = quantize(
      q8(), reinterpret_cast<const float*>(x.bytes.data()), rows, shape);
  EXPECT_EQ(0, std::memcmp(q.a.data(), values.bytes.data(), q.a.size()));
  const auto got =
      multiply(q8(), q, rows, shape, w.bytes.data() + kGroupedHeaderBytes);
  const auto* want = reinterpret_cast<const float*>(expected.bytes.data());
  const float rtol = c["tol"]["q8_rtol"], atol = c["tol"]["q8_atol"];
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t n = 0; n < shape.n; ++n) {
      const float g = got[r * shape.panels() * 8 + n];
      const float e = want[r * shape.n + n];
      ASSERT_LE(std::fabs(g - e), atol + rtol * std::fabs(e))
          << "row " << r << ", column " << n;
    }
  }
}

std::vector<nlohmann::json> stored() {
  return nlohmann::json::parse(std::ifstream(kData / "index.json"))["linear"];
}
INSTANTIATE_TEST_SUITE_P(
    Q8, StoredProduct, ::testing::ValuesIn(stored()), [](const auto& info) {
      return info.param["name"].template get<std::string>();
    });

// The sum of a column's weights in the group whose chunks begin at `chunks`.
int32_t column_sum(const uint8_t* chunks, const GroupedShape& shape,
                   int column) {
  int32_t sum = 0;
  for (int64_t k = 0; k < shape.group; ++k) {
    const uint8_t* chunk = chunks + k / 16 * 16 * shape.bits;
    const int64_t i = k % 16 / 8 * 64 + column * 8 + k % 8;
    if (shape.bits == 8) {
      sum += static_cast<int8_t>(chunk[i]);
    } else {
      const uint8_t byte = chunk[i / 32 * 16 + i % 16];
      sum += (i % 32 < 16 ? byte & 15 : byte >> 4) - 8;
    }
  }
  return sum;
}

// Realistic sizes, at an odd address.
TEST(Q8, GivesTheBitsOfThePlainKernel) {
  std::mt19937 random(1);
  for (const GroupedShape& shape :
       {GroupedShape{64, 2048, 32, 4}, GroupedShape{24, 768, 128, 4},
        GroupedShape{40, 4096, 2048, 4}, GroupedShape{64, 2048, 32, 8},
        GroupedShape{24, 768, 256, 8}, GroupedShape{16, 144, 16, 4},
        GroupedShape{16, 6144, 48, 4}, GroupedShape{16, 144, 48, 8},
        GroupedShape{8, 4096, 4096, 4}, GroupedShape{8, 4096, 4096, 8}}) {
    std::vector<uint8_t> memory(shape.panels() * shape.panel_bytes() + 1);
    uint8_t* panels = memory.data() + 1;
    for (uint8_t& byte : memory) {
      byte = static_cast<uint8_t>(random());
    }
    std::uniform_real_distribution<float> scale(1e-3f, 1e-1f);
    const int64_t group_bytes = shape.group * shape.bits;
    for (uint8_t* at = panels;
         at < panels + shape.panels() * shape.panel_bytes();
         at += group_bytes + 64) {
      for (int column = 0; column < 8; ++column) {
        const float s = scale(random);
        const int32_t sum = column_sum(at, shape, column);
        std::memcpy(at + group_bytes + 4 * column, &s, 4);
        std::memcpy(at + group_bytes + 32 + 4 * column, &sum, 4);
      }
    }
    for (const int64_t rows : {1, 2, 3, 4, 5, 7, 8, 19}) {
      std::normal_distribution<float> normal(0.3f, 2.f);
      std::vector<float> x(rows * shape.k);
      for (float& value : x) {
        value = normal(random);
      }
      const Quantized plain = quantize(q8_baseline, x.data(), rows, shape);
      const Quantized fast = quantize(q8(), x.data(), rows, shape);
      ASSERT_EQ(plain.a, fast.a);
      ASSERT_EQ(plain.starts, fast.starts);
      ASSERT_EQ(plain.scales, fast.scales);
      ASSERT_EQ(plain.zeros, fast.zeros);
      ASSERT_EQ(multiply(q8_baseline, plain, rows, shape, panels),
                multiply(q8(), plain, rows, shape, panels))
          << shape.n << " x " << shape.k << ", group " << shape.group << ", "
          << shape.bits << " bits, " << rows << " rows";
    }
  }
}

}  // namespace
}  // namespace executorch::kernels::gemm
