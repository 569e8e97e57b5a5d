// The matrix product that matmul, linear and convolution share.
//
//   out[b][i][j] = finish(sum over k of left[b][i][k] * right[b][k][j])
//
// The driver cuts the result into tasks for the thread pool and a task into
// tiles for a micro-kernel. It sees its operands only as panels: some rows of
// `left` (or columns of `right`) with their items interleaved along k. Who
// knows how to make panels of something (a strided matrix, the patches of an
// image, weights packed beforehand) can be an operand; who knows where results
// go is the output.
//
// The type T is what sums are kept in: float for float32, float16 and bfloat16
// (rounded once, at the end), double, int64_t for all integers, std::complex.
// Each sum runs over k in order, whatever the tile or the number of threads.
#pragma once

#include <executorch/runtime/core/error.h>

#include <complex>
#include <cstdint>
#include <memory>

#include "kernels/common/op.h"
#include "kernels/common/scratch.h"
#include "kernels/optimized/gemm/sgemm.h"

namespace executorch::kernels::gemm {

enum class Side { left, right };

// The micro-kernels in use for T.
template <class T>
const Kernels<T>& kernels();

// Offset of batch entry b: convolution has images, and groups within each.
struct BatchOffset {
  int64_t inner = 1;  // entries per outer step
  int64_t outer_stride = 0;
  int64_t inner_stride = 0;

  int64_t operator()(int64_t b) const {
    return b / inner * outer_stride + b % inner * inner_stride;
  }
};

// `count` of the m rows of a left operand, or of the n columns of a right one.
struct Range {
  int64_t first;
  int64_t count;
};

// How the driver cuts m rows, or n columns, into panels.
struct Panels {
  Panels(Side side, int64_t size, int max_rows, int lanes, int max_vectors);

  Range range(int64_t p) const {
    const int64_t first = start(p);
    return {first, start(p + 1) - first};
  }
  // The number of the panel that begins at `first`.
  int64_t number(int64_t first) const {
    return side == Side::left ? (first * count + size - 1) / size
                              : first / full;
  }
  // Items per step of k: panels of a right operand are filled up to a vector.
  int64_t width(const Range& r) const {
    return side == Side::left ? r.count : (r.count + lanes - 1) / lanes * lanes;
  }

  // At most.
  int64_t width() const {
    return side == Side::left ? (size + count - 1) / count : full;
  }

  Side side;
  int64_t size, count, lanes;
  int64_t full;  // columns of a panel of a right operand

 private:
  int64_t start(int64_t p) const {
    if (side == Side::left) {  // evenly, so that no panel is thin
      return p * size / count;
    }
    return p * full < size ? p * full : size;
  }
};

template <class T>
Panels panels(Side side, int64_t size) {
  const Kernels<T>& k = kernels<T>();
  return Panels(side, size, k.max_rows, k.lanes, k.max_vectors);
}

template <class T>
struct Panel {
  const T* data;
  int64_t step;  // items from one k to the next
  // Where the items of each k are instead, for a left operand only.
  const int64_t* offsets = nullptr;

  const T* items(int64_t k) const {
    return data + (offsets != nullptr ? offsets[k] : k * step);
  }
};

template <class T>
class Operand {
 public:
  // The items of `range` for `depth` steps from k = `from` on: in place, or
  // written to `buffer` (width * depth + kSlack items) with step `width`. Items
  // between range.count and width may be anything.
  virtual Panel<T> panel(int64_t batch, const Range& range, int64_t width,
                         int64_t from, int64_t depth, T* buffer) const = 0;

  // Where panel() will give a panel in place, or null.
  virtual const T* in_place(int64_t, const Range&, int64_t, int64_t) const {
    return nullptr;
  }

 protected:
  ~Operand() = default;
};

// Where results go.
template <class T>
class Output {
 public:
  // What the sums start with: a bias in T per row or per column. A bias per
  // column is readable up to kPadding items past its end.
  static constexpr int64_t kPadding = 64;
  const T* row_bias = nullptr;
  const T* column_bias = nullptr;
  int64_t bias_stride = 0;  // from one inner batch entry to the next
  int64_t bias_inner = 1;
  const T* clamp = nullptr;  // lowest and highest result, or null

  // The address of result (0, 0), when result (i, j) is at i * step + j and
  // takes a T as it is; else null.
  virtual T* direct(int64_t batch, int64_t* step) const = 0;

  // Takes a tile of finished sums.
  virtual void store(int64_t batch, const Range& rows, const Range& columns,
                     const T* tile, int64_t step) const = 0;

 protected:
  ~Output() = default;
};

// Fails only for want of memory.
template <class T>
runtime::Error multiply(int64_t batch, int64_t m, int64_t n, int64_t k,
                        const Operand<T>& left, const Operand<T>& right,
                        const Output<T>& out);

}  // namespace executorch::kernels::gemm
