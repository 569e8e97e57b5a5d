// The packer of expert weights on the matrices in test/data/moe: quantized
// weights must give the stored blobs byte for byte.
#include <executorch/extension/llm/moe/pack.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "test/support/npy.h"

namespace executorch::test {
namespace {

using extension::llm::pack_linear;
using extension::llm::packed_linear_size;
using extension::llm::PackedLinearShape;
using runtime::Error;
using runtime::Span;

struct Matrix {
  PackedLinearShape shape;
  std::vector<int8_t> weights;
  std::vector<float> scales;
  std::vector<uint8_t> blob;

  std::vector<float> dequantized() const {
    std::vector<float> values(weights.size());
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] =
          weights[i] * scales[i / static_cast<size_t>(shape.group_size)];
    }
    return values;
  }
};

template <class T>
std::vector<T> elements(const std::filesystem::path& file,
                        const std::string& dtype) {
  const Array array = read_npy(file, dtype);
  std::vector<T> values(array.count());
  std::memcpy(values.data(), array.bytes.data(), array.bytes.size());
  return values;
}

std::vector<Matrix> stored() {
  const auto folder = std::filesystem::path(ET_TEST_DATA_DIR) / "moe";
  const auto index =
      nlohmann::json::parse(std::ifstream(folder / "index.json"));
  std::vector<Matrix> all;
  for (const auto& row : index["linear"]) {
    const auto files = folder / row["name"].get<std::string>();
    all.push_back({{row["n"], row["k"], row["group_size"], row["weight_nbit"]},
                   elements<int8_t>(files / "wq.npy", "int8"),
                   elements<float>(files / "ws.npy", "float32"),
                   elements<uint8_t>(files / "w.npy", "uint8")});
  }
  return all;
}

template <class T>
Span<const T> view(const std::vector<T>& values) {
  return {values.data(), values.size()};
}

TEST(PackMoe, QuantizedWeightsGiveTheStoredBytes) {
  const std::vector<Matrix> matrices = stored();
  ASSERT_FALSE(matrices.empty());
  for (const Matrix& m : matrices) {
    SCOPED_TRACE(testing::Message() << m.shape.n << " x " << m.shape.k << ", "
                                    << m.shape.weight_nbit << " bits");
    const auto size = packed_linear_size(m.shape);
    ASSERT_TRUE(size.ok());
    EXPECT_EQ(*size, m.blob.size());
    std::vector<uint8_t> blob(*size);
    ASSERT_EQ(pack_linear(m.shape, view(m.weights), view(m.scales),
                          {blob.data(), blob.size()}),
              Error::Ok);
    EXPECT_EQ(blob, m.blob);
  }
}

// The largest magnitude of a group need not be an end of the range, so that the
// scales may differ; what they describe may not, by more than half a step.
TEST(PackMoe, FloatWeightsAreRoundedToTheNearestStep) {
  const PackedLinearShape shape{8, 16, 16, 4};
  std::vector<float> weights(8 * 16, 0.0f);
  const float row[16] = {7.5f, -7.5f, 1.0f,  0.5f, 1.5f, 2.5f, -0.5f, 0.4f,
                         6.0f, -6.0f, 3.49f, 0,    0,    0,    0,     -1.5f};
  std::copy(row, row + 16, weights.begin());
  std::vector<int8_t> integers(weights.size(), 0);
  // Ties go to even; 7.5 is beyond the largest integer.
  const int8_t expected[16] = {7, -8, 1, 0, 2, 2, 0, 0,
                               6, -6, 3, 0, 0, 0, 0, -2};
  std::copy(expected, expected + 16, integers.begin());
  std::vector<float> scales(8, 1e-9f);
  scales[0] = 1.0f;

  std::vector<uint8_t> want(*packed_linear_size(shape)), got(want.size());
  ASSERT_EQ(pack_linear(shape, view(integers), view(scales),
                        {want.data(), want.size()}),
            Error::Ok);
  ASSERT_EQ(pack_linear(shape, view(weights), {got.data(), got.size()}),
            Error::Ok);
  EXPECT_EQ(got, want);
}

TEST(PackMoe, RefusesWhatCannotBePacked) {
  const Matrix good = stored().front();
  const auto pack = [](const Matrix& m) {
    std::vector<uint8_t> blob(m.blob);
    const Error error = pack_linear(m.shape, view(m.weights), view(m.scales),
                                    {blob.data(), blob.size()});
    EXPECT_EQ(blob, m.blob);
    return error;
  };
  EXPECT_EQ(pack(good), Error::Ok);
  const std::vector<void (*)(Matrix&)> faults = {
      [](Matrix& m) { m.shape.weight_nbit = 3; },
      [](Matrix& m) { m.shape.group_size = 8; },
      [](Matrix& m) { m.shape.group_size = 0; },
      [](Matrix& m) { m.shape.k += 1; },
      [](Matrix& m) { m.shape.n = 0; },
      [](Matrix& m) { m.shape.n = int64_t{1} << 31; },
      [](Matrix& m) { m.weights.pop_back(); },
      [](Matrix& m) { m.scales.push_back(1); },
      [](Matrix& m) { m.scales[1] = std::nanf(""); },
      [](Matrix& m) { m.scales.back() = HUGE_VALF; },
      [](Matrix& m) { m.blob.pop_back(); },
      [](Matrix& m) { m.weights[3] = 8; },
      [](Matrix& m) { m.weights[3] = -9; }};
  for (size_t i = 0; i < faults.size(); ++i) {
    Matrix bad = good;
    faults[i](bad);
    EXPECT_EQ(pack(bad), Error::InvalidArgument) << "fault " << i;
  }
  std::vector<float> weights = good.dequantized();
  weights[1] = std::numeric_limits<float>::quiet_NaN();
  std::vector<uint8_t> blob(good.blob.size());
  EXPECT_EQ(pack_linear(good.shape, view(weights), {blob.data(), blob.size()}),
            Error::InvalidArgument);
}

}  // namespace
}  // namespace executorch::test
