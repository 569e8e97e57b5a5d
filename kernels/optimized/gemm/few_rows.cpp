#include "kernels/optimized/gemm/few_rows.h"

#include <algorithm>
#include <atomic>

#include "kernels/common/parallel.h"

namespace executorch::kernels::gemm {

using runtime::Error;

namespace {

constexpr int64_t kChunk = 64;  // results of a row at a time

using DotsFn = void (*)(const Dots&);

DotsFn dots_of(ScalarType dtype) {
  return dtype == ScalarType::Float      ? sgemm().dots_f32
         : dtype == ScalarType::Half     ? sgemm().dots_f16
         : dtype == ScalarType::BFloat16 ? sgemm().dots_bf16
                                         : nullptr;
}

struct Product {
  int64_t m, n, k;
  const MatrixView& right;
  const Output<float>& out;

  const char* right_data(int64_t batch, int64_t column) const {
    const int64_t at = right.batch(batch) + column * right.column_stride;
    return static_cast<const char*>(right.data) +
           at * Cast<float>(right.dtype).item();
  }

  float bias(int64_t row, int64_t column) const {
    return out.row_bias != nullptr      ? out.row_bias[row]
           : out.column_bias != nullptr ? out.column_bias[column]
                                        : 0.0f;
  }

  // Adds biases to `count` results of each row, and gives them away.
  void finish(int64_t batch, int64_t first, int64_t count, float* sums,
              int64_t step) const {
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < count; ++j) {
        float& x = sums[i * step + j];
        x += bias(i, first + j);
        if (out.clamp != nullptr) {
          x = x < out.clamp[0]   ? out.clamp[0]
              : x > out.clamp[1] ? out.clamp[1]
                                 : x;
        }
      }
    }
    out.store(batch, {0, m}, {first, count}, sums, step);
  }
};

// Results [begin, end) of all rows, from rows of the left operand in `a`.
void run_dots(const Product& p, int64_t batch, int64_t begin, int64_t end,
              const float* a, int64_t a_step) {
  float sums[kFewRows * kChunk];
  const DotsFn dots = dots_of(p.right.dtype);
  for (int64_t j = begin; j < end; j += kChunk) {
    const int64_t count = std::min(kChunk, end - j);
    dots({static_cast<int>(p.m), count, p.k, a, a_step, p.right_data(batch, j),
          p.right.column_stride, sums, kChunk});
    p.finish(batch, j, count, sums, kChunk);
  }
}

}  // namespace

bool takes_few_rows(int64_t m, const MatrixView& right) {
  return m >= 1 && m <= kFewRows && right.row_stride == 1 &&
         dots_of(right.dtype) != nullptr;
}

Error multiply_few_rows(int64_t batch, int64_t m, int64_t n, int64_t k,
                        const MatrixView& left, const MatrixView& right,
                        const Output<float>& out) {
  const Product p = {m, n, k, right, out};
  const Cast<float> cast(left.dtype);
  const int64_t lanes = sgemm().kernels.lanes;
  const int64_t a_step = (k + lanes - 1) / lanes * lanes;
  // Pieces of a row of results, of at least a grain each.
  const int64_t piece =
      std::max<int64_t>(kGrainBytes / (4 * k + 1) / kChunk * kChunk, kChunk);
  const int64_t pieces = (n + piece - 1) / piece;
  std::atomic<bool> out_of_memory{false};
  parallel(batch * pieces, 1, [&](int64_t begin, int64_t end) {
    Scratch memory;
    float* a = memory.array<float>(m * a_step);
    if (a == nullptr) {
      out_of_memory = true;
      return;
    }
    int64_t packed = -1;  // entry whose left operand is in `a`
    for (int64_t i = begin; i < end; ++i) {
      const int64_t b = i / pieces, first = i % pieces * piece;
      if (b != packed) {
        for (int64_t r = 0; r < m; ++r) {
          const int64_t at = left.batch(b) + r * left.row_stride;
          cast.read(static_cast<const char*>(left.data) + at * cast.item(),
                    left.column_stride, a + r * a_step, k);
          std::fill(a + r * a_step + k, a + (r + 1) * a_step, 0.0f);
        }
        packed = b;
      }
      run_dots(p, b, first, std::min(first + piece, n), a, a_step);
    }
  });
  ET_CHECK_OR_RETURN_ERROR(!out_of_memory, MemoryAllocationFailed,
                           "no memory for %lld rows of %lld items",
                           (long long)m, (long long)k);
  return Error::Ok;
}

}  // namespace executorch::kernels::gemm
