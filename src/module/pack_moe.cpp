// Writer of the packed weights that kernels/optimized/gemm/grouped_weights.h
// reads; the layout is described there.
#include <executorch/extension/llm/moe/pack.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <new>

namespace executorch::extension::llm {

using runtime::Error;
using runtime::Result;
using runtime::Span;

namespace {

constexpr int64_t kColumns = 8;  // rows of the matrix in a panel
constexpr int64_t kChunk = 16;   // steps of k that are stored together
constexpr int64_t kHalf = kChunk / 2;
constexpr int64_t kChunkValues = kColumns * kChunk;
constexpr int64_t kHeaderBytes = 64;

long long ll(int64_t x) { return x; }

Error check(const PackedLinearShape& shape) {
  ET_CHECK_OR_RETURN_ERROR(
      shape.weight_nbit == 4 || shape.weight_nbit == 8, InvalidArgument,
      "weights of %d bits cannot be packed: use 4 or 8", shape.weight_nbit);
  ET_CHECK_OR_RETURN_ERROR(
      shape.group_size > 0 && shape.group_size % kChunk == 0, InvalidArgument,
      "the group size is %lld; it must be a multiple of 16",
      ll(shape.group_size));
  constexpr int64_t kLimit = int64_t{1} << 31;
  ET_CHECK_OR_RETURN_ERROR(
      shape.n > 0 && shape.k > 0 && shape.n < kLimit && shape.k < kLimit &&
          shape.k % shape.group_size == 0,
      InvalidArgument,
      "a weight of %lld x %lld is not made of whole groups of %lld along k",
      ll(shape.n), ll(shape.k), ll(shape.group_size));
  return Error::Ok;
}

Error check_length(const char* what, size_t got, int64_t expected) {
  ET_CHECK_OR_RETURN_ERROR(
      got == static_cast<size_t>(expected), InvalidArgument,
      "%s has %zu elements, the shape needs %lld", what, got, ll(expected));
  return Error::Ok;
}

Error check_finite(const char* what, Span<const float> values) {
  const auto bad = std::find_if(values.begin(), values.end(),
                                [](float x) { return !std::isfinite(x); });
  ET_CHECK_OR_RETURN_ERROR(bad == values.end(), InvalidArgument,
                           "%s %zu is not finite", what,
                           static_cast<size_t>(bad - values.begin()));
  return Error::Ok;
}

template <class T>
uint8_t* put(uint8_t* to, T value) {
  std::memcpy(to, &value, sizeof(value));
  return to + sizeof(value);
}

// Value `i` of a chunk is of column (i / 8) % 8 and, in the half i / 64, of
// step i % 8. Columns from `columns` on are padding.
uint8_t* put_chunk(uint8_t* to, const int8_t* weights, int64_t k,
                   int64_t columns, int bits) {
  int8_t values[kChunkValues] = {};
  for (int64_t i = 0; i < kChunkValues; ++i) {
    const int64_t column = i / kHalf % kColumns;
    const int64_t step = i / (kColumns * kHalf) * kHalf + i % kHalf;
    if (column < columns) {
      values[i] = weights[column * k + step];
    }
  }
  if (bits == 8) {
    std::memcpy(to, values, sizeof(values));
    return to + sizeof(values);
  }
  for (int64_t block = 0; block < kChunkValues; block += 32) {
    for (int64_t i = block; i < block + 16; ++i) {
      *to++ = static_cast<uint8_t>((values[i] + 8) | (values[i + 16] + 8) << 4);
    }
  }
  return to;
}

uint8_t* put_panel(uint8_t* to, const PackedLinearShape& shape,
                   const int8_t* weights, const float* scales,
                   int64_t columns) {
  const int64_t groups = shape.k / shape.group_size;
  for (int64_t group = 0; group < groups; ++group) {
    const int8_t* begin = weights + group * shape.group_size;
    for (int64_t step = 0; step < shape.group_size; step += kChunk) {
      to = put_chunk(to, begin + step, shape.k, columns, shape.weight_nbit);
    }
    for (int64_t column = 0; column < kColumns; ++column) {
      to = put(to, column < columns ? scales[column * groups + group] : 0.0f);
    }
    for (int64_t column = 0; column < kColumns; ++column) {
      int32_t sum = 0;
      for (int64_t i = 0; column < columns && i < shape.group_size; ++i) {
        sum += begin[column * shape.k + i];
      }
      to = put(to, sum);
    }
  }
  return to;
}

// The scale of a group, and its integers.
float quantize_group(Span<const float> weights, int bits, int8_t* to) {
  const int lowest = -(1 << (bits - 1));
  const int highest = -lowest - 1;
  float largest = 0;
  for (const float weight : weights) {
    largest = std::max(largest, std::fabs(weight));
  }
  // Division in float: packers in other languages give the same bytes.
  const float half_range = static_cast<float>(highest - lowest) / 2;
  const float scale = std::max(largest / half_range, 1e-9f);
  for (size_t i = 0; i < weights.size(); ++i) {
    const float value = std::nearbyint(weights[i] / scale);
    to[i] = static_cast<int8_t>(std::clamp(value, static_cast<float>(lowest),
                                           static_cast<float>(highest)));
  }
  return scale;
}

}  // namespace

Result<size_t> packed_linear_size(const PackedLinearShape& shape) {
  ET_CHECK_OK_OR_RETURN_ERROR(check(shape));
  const int64_t rows = (shape.n + kColumns - 1) / kColumns * kColumns;
  const int64_t row_bytes =
      shape.k * shape.weight_nbit / 8 +
      shape.k / shape.group_size * (sizeof(float) + sizeof(int32_t));
  return static_cast<size_t>(kHeaderBytes + rows * row_bytes);
}

Error pack_linear(const PackedLinearShape& shape, Span<const int8_t> weights,
                  Span<const float> scales, Span<uint8_t> blob) {
  ET_ASSIGN_OR_RETURN(size, packed_linear_size(shape));
  const int64_t groups = shape.k / shape.group_size;
  ET_CHECK_OK_OR_RETURN_ERROR(
      check_length("weights", weights.size(), shape.n * shape.k));
  ET_CHECK_OK_OR_RETURN_ERROR(
      check_length("scales", scales.size(), shape.n * groups));
  ET_CHECK_OK_OR_RETURN_ERROR(
      check_length("blob", blob.size(), static_cast<int64_t>(size)));
  ET_CHECK_OK_OR_RETURN_ERROR(check_finite("scale", scales));
  if (shape.weight_nbit == 4) {
    const auto wide = std::find_if(weights.begin(), weights.end(),
                                   [](int8_t q) { return q < -8 || q > 7; });
    ET_CHECK_OR_RETURN_ERROR(
        wide == weights.end(), InvalidArgument,
        "weight %zu is %d; weights of 4 bits are from -8 to 7",
        static_cast<size_t>(wide - weights.begin()), int{*wide});
  }
  const int32_t header[kHeaderBytes / 4] = {
      6712, 1, shape.weight_nbit, 0, 0, kColumns, kChunk, kChunk / kHalf};
  std::memcpy(blob.data(), header, sizeof(header));
  uint8_t* to = blob.data() + sizeof(header);
  for (int64_t row = 0; row < shape.n; row += kColumns) {
    to = put_panel(to, shape, weights.data() + row * shape.k,
                   scales.data() + row * groups,
                   std::min(kColumns, shape.n - row));
  }
  return Error::Ok;
}

Error pack_linear(const PackedLinearShape& shape, Span<const float> weights,
                  Span<uint8_t> blob) {
  ET_CHECK_OK_OR_RETURN_ERROR(check(shape));
  ET_CHECK_OK_OR_RETURN_ERROR(
      check_length("weights", weights.size(), shape.n * shape.k));
  ET_CHECK_OK_OR_RETURN_ERROR(check_finite("weight", weights));
  const size_t count = weights.size();
  const auto group = static_cast<size_t>(shape.group_size);
  const std::unique_ptr<int8_t[]> values(new (std::nothrow) int8_t[count]);
  const std::unique_ptr<float[]> scales(
      new (std::nothrow) float[count / group]);
  ET_CHECK_OR_RETURN_ERROR(values != nullptr && scales != nullptr,
                           MemoryAllocationFailed,
                           "no memory for %zu quantized weights", count);
  for (size_t i = 0; i < count; i += group) {
    scales[i / group] = quantize_group({weights.data() + i, group},
                                       shape.weight_nbit, values.get() + i);
  }
  return pack_linear(shape, Span<const int8_t>(values.get(), count),
                     Span<const float>(scales.get(), count / group), blob);
}

}  // namespace executorch::extension::llm
