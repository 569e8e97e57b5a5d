// Affine quantization, q = x / scale + zero_point, as PyTorch computes it.
//
// Every quantize and dequantize operator is the same element function with
// other parameters: one scale and zero point for a whole tensor, one per
// channel, per row, per group or per block. An operator says how its parameters
// lie over the tensor (Param); the tensor, in whatever dim order, is then cut
// into rows along which they are constant or advance evenly (Rows), and a
// worker (quantizer.h, dequantizer.h) turns these into results.
#pragma once

#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>

#include <algorithm>
#include <limits>
#include <type_traits>

#include "kernels/common/op.h"
#include "kernels/common/parallel.h"
#include "kernels/common/types.h"
#include "kernels/quantized/vec/loops.h"

namespace executorch::kernels {

inline constexpr int kMaxDims = runtime::kTensorDimensionLimit;

using QuantizedTypes = Types<uint8_t, int8_t, uint16_t, int16_t, int32_t>;

// Rounds to a floating type what was computed in double. PyTorch rounds after
// every step to the type that its promotion rules give; one operation on
// float32 or narrower operands comes out as if it were computed in that type.
using Fit = double (*)(double);
Fit fit(ScalarType type);

// The type in which PyTorch computes what it then rounds to `type`, and in
// which it takes an operand that is a single number.
ScalarType wide(ScalarType type);

// What casting gives; as in eager on x86 a value that does not fit, and NaN, is
// the least one of int32, or of int64 for that type, cut to the type.
template <class T>
T cast_to(double x) {
  if constexpr (!std::is_integral_v<T>) {
    if constexpr (sizeof(T) == 2) {
      return T(static_cast<float>(x));
    }
    return static_cast<T>(x);
  } else {
    using Wide = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
    constexpr Wide kLeast = std::numeric_limits<Wide>::min();
    const double limit = -static_cast<double>(kLeast);
    const bool fits = x >= -limit && x < limit;
    return static_cast<T>(fits ? static_cast<Wide>(x) : kLeast);
  }
}

// Sets one element of a tensor of a real type.
void put(Tensor& t, int64_t i, double value);

// Where the vector loops for a type are found in their tables.
vec::Int integer_index(ScalarType type);
vec::Precision precision_of(ScalarType type);

// Scales or zero points.
class Param {
 public:
  // A number: the same everywhere.
  explicit Param(double value);
  // The elements of a tensor, in order.
  explicit Param(const Tensor& t);

  double at(int64_t i) const {
    return data_ == nullptr ? number_ : read_(data_, i);
  }
  ScalarType type() const { return type_; }

  // As if a tensor of `type` had been given.
  void convert_to(ScalarType type) { type_ = type; }

  // As if the tensor had been viewed in a shape with dimensions.
  void add_dimensions() { weak_ = false; }

  // The type in which these values meet ones of type `other`. A number, or a
  // tensor without dimensions, does not widen a type of its own kind.
  ScalarType meet(ScalarType other) const;

  // What the values become as factors of a product in the type `met`. Only for
  // products does PyTorch take a number in a wider type than half precision.
  Fit factor_fit(ScalarType met) const { return fit(weak_ ? wide(met) : met); }

  // How far to advance for each step along a dimension of the tensor that the
  // values belong to: per element, or per block if that is cut into blocks.
  int64_t step[kMaxDims] = {};

 private:
  const void* data_ = nullptr;
  double (*read_)(const void* data, int64_t i) = nullptr;
  double number_ = 0;
  ScalarType type_ = ScalarType::Double;
  bool weak_ = true;
};

// The elements of a tensor in memory order, cut into rows of equal length.
// Along a row each parameter advances by a constant step, in most cases by 0.
class Rows {
 public:
  // `block[d]` elements along dimension d share their parameters; without it
  // each has its own.
  Rows(const Tensor& t, const int64_t* block, const Param& scale,
       const Param& zero_point);

  int64_t count() const { return numel_ / length_; }
  int64_t numel() const { return numel_; }
  int64_t length() const { return length_; }
  const int64_t* step() const { return step_; }

  // The indices of the parameters with which a row begins.
  void start(int64_t row, int64_t at[2]) const;

 private:
  struct Dim {
    int64_t size;
    int64_t step[2];
  };
  void add_inner(const Dim& dim);

  Dim dims_[2 * kMaxDims];
  int count_ = 0;
  int64_t numel_ = 1;
  int64_t length_ = 1;
  int64_t step_[2] = {0, 0};
};

// Parameters are loaded, and elements with parameters of their own handled,
// this many at a time.
inline constexpr int64_t kPiece = 256;

// Work below this number of elements is not split.
inline constexpr int64_t kGrain = kGrainBytes / 4;

// Repeats the last of `n` parameters up to the next multiple of sixteen, as far
// as the vector loops read.
template <class T>
void fill_tail(T* params, int64_t n) {
  for (int64_t i = n; i % 16 != 0; ++i) {
    params[i] = params[n - 1];
  }
}

// Lets workers that `make()` returns, one per thread, do all rows:
//   worker.load(at, step, n)  take n parameters, or one if they are constant
//   worker.run(offset, n)     do n elements with them
template <class Make>
void run_rows(const Rows& rows, Make make) {
  const int64_t length = rows.length();
  const int64_t* step = rows.step();
  if (step[0] == 0 && step[1] == 0) {
    parallel(rows.numel(), kGrain, [&](int64_t begin, int64_t end) {
      auto worker = make();
      int64_t left = length - begin % length;
      for (int64_t row = begin / length; begin < end; ++row) {
        int64_t at[2];
        rows.start(row, at);
        const int64_t n = std::min(end - begin, left);
        worker.load(at, step, 1);
        worker.run(begin, n);
        begin += n;
        left = length;
      }
    });
    return;
  }
  // Column by column: most rows begin with the same parameters, loaded once.
  const int64_t grain = std::max<int64_t>(1, kGrain / length);
  parallel(rows.count(), grain, [&](int64_t begin, int64_t end) {
    auto worker = make();
    for (int64_t column = 0; column < length; column += kPiece) {
      const int64_t n = std::min(kPiece, length - column);
      int64_t loaded[2] = {-1, -1};
      for (int64_t row = begin; row < end; ++row) {
        int64_t at[2];
        rows.start(row, at);
        if (at[0] != loaded[0] || at[1] != loaded[1]) {
          loaded[0] = at[0];
          loaded[1] = at[1];
          const int64_t from[2] = {at[0] + column * step[0],
                                   at[1] + column * step[1]};
          worker.load(from, step, n);
        }
        worker.run(row * length + column, n);
      }
    }
  });
}

}  // namespace executorch::kernels
