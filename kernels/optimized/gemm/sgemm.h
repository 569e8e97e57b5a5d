// The float micro-kernels of the matrix product, per instruction set.
#pragma once

#include <stdint.h>

#include "src/threadpool/cpu.h"

namespace executorch::kernels::gemm {

// What a tile of the product holds before the first step along k.
enum class Start : uint8_t {
  zero,
  rows,    // init[i] in all of row i
  values,  // init[i * init_step + j]
};

// One call of a micro-kernel: `rows` x (`vectors` * lanes) results.
//   c[i][j] = start(i, j) + sum over k of a[at(k) + i] * b[k * b_step + j]
// where at(k) is k * a_step, or a_offsets[k] if there are offsets.
template <class T>
struct Tile {
  int rows;
  int vectors;
  int64_t k;
  const T* a;
  int64_t a_step;
  const int64_t* a_offsets;
  const T* b;
  int64_t b_step;
  T* c;
  int64_t c_step;
  Start start = Start::zero;
  const T* init = nullptr;
  int64_t init_step = 0;
  const T* clamp = nullptr;  // lowest and highest result, or null
  // What is read next: ahead[k * ahead_step] and the items behind it.
  const T* ahead = nullptr;
  int64_t ahead_step = 0;
};

// `length` items at `from` of each source row go to `to` of each panel row.
struct Run {
  int64_t from;
  int32_t to;
  int32_t length;
};

// A copy of runs may write up to this many items past the end of a panel, and
// read as many past the end of a run.
inline constexpr int64_t kSlack = 16;

// Micro-kernels for one element type. `lanes` is the width of a vector.
template <class T>
struct Kernels {
  int max_rows;
  int max_vectors;
  int lanes;

  void (*tile)(const Tile<T>& t);

  // dst[k * step + i] = src[i * src_step + k] for i < rows, k < depth.
  void (*pack_rows)(T* dst, int64_t step, const T* src, int64_t src_step,
                    int64_t rows, int64_t depth);

  // For k < depth, each run of the row at src + offsets[k] goes to the row at
  // dst + k * step. Runs are in the order of `to`, without gaps.
  void (*pack_runs)(T* dst, int64_t step, const T* src, const int64_t* offsets,
                    int64_t depth, const Run* runs, int64_t num_runs);
};

// Products with so few rows on the left that time goes into reading the right
// operand once, where it is.
inline constexpr int kFewRows = 4;

// out[i * out_step + j] = sum over t < k of a[i * a_step + t] * b[j * b_step +
// t] for i < rows and j < count. Rows of `a` are zero up to a whole vector.
struct Dots {
  int rows;  // up to kFewRows
  int64_t count;
  int64_t k;
  const float* a;
  int64_t a_step;
  const void* b;
  int64_t b_step;
  float* out;
  int64_t out_step;
};

struct Sgemm {
  cpu::Isa isa;
  Kernels<float> kernels;

  // By the dtype of `b`; null where it cannot be read.
  void (*dots_f32)(const Dots& d);
  void (*dots_f16)(const Dots& d);
  void (*dots_bf16)(const Dots& d);
};

const Sgemm& sgemm();

}  // namespace executorch::kernels::gemm
