#include "kernels/optimized/moe/experts.h"

#include <algorithm>

#include "kernels/common/parallel.h"
#include "kernels/optimized/gemm/q8.h"
#include "kernels/optimized/vec/loops.h"

namespace executorch::kernels::moe {

using gemm::GroupedShape;
using gemm::Q8Kernels;
using runtime::Error;
using runtime::Span;

namespace {

constexpr int kMaxRows = 8;     // of a tile, for any kernel
constexpr int64_t kPanels = 8;  // per task
constexpr int64_t kWidth = kPanels * GroupedShape::kColumns;
constexpr int64_t kGrain = 256 * 1024;  // multiplications per task

// Rows as q8.h quantizes them.
class QuantizedRows {
 public:
  bool reserve(int64_t rows, int64_t k, int64_t group) {
    k_ = k;
    group_ = group;
    values_ = value_memory_.array<int8_t>(rows * k);
    starts_ = start_memory_.array<int32_t>(rows * (k / group));
    scales_ = scale_memory_.array<float>(rows);
    zeros_ = zero_memory_.array<int32_t>(rows);
    return values_ != nullptr && starts_ != nullptr && scales_ != nullptr &&
           zeros_ != nullptr;
  }
  void set(const float* x, int64_t rows) {
    parallel(rows, std::max<int64_t>(1, 8 * 1024 / k_),
             [&](int64_t begin, int64_t end) {
               for (int64_t r = begin; r < end; ++r) {
                 gemm::q8().quantize(x + r * k_, k_, group_, values_ + r * k_,
                                     starts_ + r * (k_ / group_), scales_ + r,
                                     zeros_ + r);
               }
             });
  }
  const int8_t* values(int64_t row) const { return values_ + row * k_; }
  const int32_t* starts(int64_t row) const {
    return starts_ + row * (k_ / group_);
  }
  float scale(int64_t row) const { return scales_[row]; }
  int32_t zero(int64_t row) const { return zeros_[row]; }

 private:
  Scratch value_memory_, start_memory_, scale_memory_, zero_memory_;
  int8_t* values_ = nullptr;
  int32_t* starts_ = nullptr;
  float* scales_ = nullptr;
  int32_t* zeros_ = nullptr;
  int64_t k_ = 1, group_ = 1;
};

// Some rows times up to kPanels panels, row by row into `out`.
class TileRows {
 public:
  void add(const QuantizedRows& rows, int64_t row) {
    values_[count_] = rows.values(row);
    starts_[count_] = rows.starts(row);
    scales_[count_] = rows.scale(row);
    zeros_[count_] = rows.zero(row);
    ++count_;
  }
  int count() const { return count_; }

  void multiply(const GroupedShape& shape, const uint8_t* panels,
                int64_t panel_count, float (*out)[kWidth]) const {
    const Q8Kernels::Run& run =
        shape.bits == 4 ? gemm::q8().bits4 : gemm::q8().bits8;
    float* to[kMaxRows];
    for (int r = 0; r < count_; ++r) {
      to[r] = out[r];
    }
    for (int r = 0; r < count_; r += run.rows) {
      run.tile({panels, shape.panel_bytes(), shape.groups(),
                shape.group / GroupedShape::kChunk, values_ + r, starts_ + r,
                scales_ + r, zeros_ + r, to + r},
               std::min(run.rows, count_ - r), panel_count);
    }
  }

 private:
  const int8_t* values_[kMaxRows];
  const int32_t* starts_[kMaxRows];
  float scales_[kMaxRows];
  int32_t zeros_[kMaxRows];
  int count_ = 0;
};

// The first `rows` pairs from `pair` on, as rows of a tile.
TileRows token_rows(const QuantizedRows& tokens, const Routing& routing,
                    int64_t pair, int64_t rows) {
  TileRows tile;
  for (int64_t r = 0; r < rows; ++r) {
    tile.add(tokens, routing.pairs()[pair + r].token);
  }
  return tile;
}
TileRows pair_rows(const QuantizedRows& pairs, int64_t pair, int64_t rows) {
  TileRows tile;
  for (int64_t r = 0; r < rows; ++r) {
    tile.add(pairs, pair + r);
  }
  return tile;
}

// out[i] = x[i] * sigmoid(x[i]) * y[i]
void gate(const float* x, const float* y, float* out, int64_t n) {
  float sigmoid[kWidth];
  const void* const in[] = {x};
  vec::loops().sigmoid(in, sigmoid, n, nullptr);
  for (int64_t i = 0; i < n; ++i) {
    out[i] = x[i] * sigmoid[i] * y[i];
  }
}

int64_t blocks_of(int64_t columns) { return (columns + kWidth - 1) / kWidth; }

int64_t grain(int64_t tasks, int64_t pairs, int64_t n, int64_t k) {
  const double per_task = static_cast<double>(pairs) * static_cast<double>(n) *
                          static_cast<double>(k) / static_cast<double>(tasks);
  return per_task >= kGrain ? 1 : static_cast<int64_t>(kGrain / per_task);
}

}  // namespace

Error ExpertWeights::check(const char* name, int64_t experts) const {
  for (int64_t e = 0; e < experts; ++e) {
    const Span<const uint8_t> blob(blobs + e * bytes,
                                   static_cast<size_t>(bytes));
    ET_CHECK_OK_OR_RETURN_ERROR(gemm::check_grouped(blob, shape, name, e));
  }
  return Error::Ok;
}

const uint8_t* ExpertWeights::panels(int64_t expert) const {
  return blobs + expert * bytes + gemm::kGroupedHeaderBytes;
}

Error Experts::run(const float* x, int64_t tokens, const Routing& routing,
                   float* out) const {
  const int64_t pairs = routing.size();
  QuantizedRows inputs, middles;
  Scratch middle_memory;
  float* middle = middle_memory.array<float>(pairs * hidden);
  ET_CHECK_OR_RETURN_ERROR(
      middle != nullptr && inputs.reserve(tokens, dim, up.shape.group) &&
          middles.reserve(pairs, hidden, down.shape.group),
      MemoryAllocationFailed, "no memory for %lld pairs of token and expert",
      static_cast<long long>(pairs));
  inputs.set(x, tokens);

  // A task is some columns of one expert: its weights are read once.
  const int64_t up_blocks = blocks_of(hidden);
  parallel(
      count * up_blocks, grain(count * up_blocks, pairs, 2 * hidden, dim),
      [&](int64_t begin, int64_t end) {
        for (int64_t task = begin; task < end; ++task) {
          const int64_t expert = task / up_blocks;
          const int64_t column = task % up_blocks * kWidth;
          const int64_t width = std::min(kWidth, hidden - column);
          const uint8_t* gated =
              up.panels(expert) +
              column / GroupedShape::kColumns * up.shape.panel_bytes();
          const uint8_t* linear =
              gated + hidden / GroupedShape::kColumns * up.shape.panel_bytes();
          const int64_t last = routing.first(expert + 1);
          for (int64_t pair = routing.first(expert); pair < last;
               pair += kMaxRows) {
            const int64_t rows = std::min<int64_t>(kMaxRows, last - pair);
            const TileRows tile = token_rows(inputs, routing, pair, rows);
            float a[kMaxRows][kWidth], b[kMaxRows][kWidth];
            tile.multiply(up.shape, gated, width / GroupedShape::kColumns, a);
            tile.multiply(up.shape, linear, width / GroupedShape::kColumns, b);
            for (int64_t r = 0; r < rows; ++r) {
              gate(a[r], b[r], middle + (pair + r) * hidden + column, width);
            }
          }
        }
      });
  middles.set(middle, pairs);

  // A task is some columns of the result for all experts: it adds them up in
  // their order, and nobody else writes there.
  const int64_t down_blocks = blocks_of(dim);
  parallel(down_blocks, grain(down_blocks, pairs, dim, hidden),
           [&](int64_t begin, int64_t end) {
             for (int64_t task = begin; task < end; ++task) {
               const int64_t column = task * kWidth;
               const int64_t width = std::min(kWidth, dim - column);
               for (int64_t t = 0; t < tokens; ++t) {
                 std::fill_n(out + t * dim + column, width, 0.f);
               }
               for (int64_t expert = 0; expert < count; ++expert) {
                 const uint8_t* panels =
                     down.panels(expert) +
                     column / GroupedShape::kColumns * down.shape.panel_bytes();
                 const int64_t last = routing.first(expert + 1);
                 for (int64_t pair = routing.first(expert); pair < last;
                      pair += kMaxRows) {
                   const int64_t rows =
                       std::min<int64_t>(kMaxRows, last - pair);
                   float y[kMaxRows][kWidth];
                   pair_rows(middles, pair, rows)
                       .multiply(down.shape, panels,
                                 width / GroupedShape::kColumns, y);
                   for (int64_t r = 0; r < rows; ++r) {
                     const Pair& p = routing.pairs()[pair + r];
                     float* to = out + p.token * dim + column;
                     for (int64_t i = 0; i < width; ++i) {
                       to[i] += p.weight * y[r][i];
                     }
                   }
                 }
               }
             }
           });
  return Error::Ok;
}

}  // namespace executorch::kernels::moe
