// The loop of every elementwise operator.
//
// An operator brings a function on plain arrays of one compute type; the loop
// brings everything else. Inputs are converted in blocks of some hundred
// elements, an input that already is a plain array of the right type is used in
// place, and shapes are broadcast over any strides. So arithmetic is compiled
// per compute type, and not per combination of input and output dtypes.
#pragma once

#include <executorch/runtime/core/exec_aten/exec_aten.h>

#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernels/common/checks.h"

namespace executorch::kernels {

inline constexpr int kMaxOperands = 4;

// An input, and the dtype that the function reads it in.
struct Operand {
  Operand() = default;
  Operand(const aten::Tensor& tensor,
          aten::ScalarType as = aten::ScalarType::Undefined)
      : data(static_cast<const char*>(tensor.const_data_ptr())),
        dtype(tensor.scalar_type()),
        as(as),
        dims(static_cast<int>(tensor.dim())),
        sizes(tensor.sizes().data()),
        strides(tensor.strides().data()) {}
  // The number must outlive the operand.
  Operand(const Number& number,
          aten::ScalarType as = aten::ScalarType::Undefined)
      : data(reinterpret_cast<const char*>(number.bytes)),
        dtype(number.dtype),
        as(as) {}

  // Whether element i is at the same place as element i of `out`, counted in
  // elements from the start.
  bool is_laid_out_as(const aten::Tensor& out) const {
    if (dims != static_cast<int>(out.dim())) {
      return false;
    }
    const aten::SizesType* out_sizes = out.sizes().data();
    const aten::StridesType* out_strides = out.strides().data();
    for (int d = 0; d < dims; ++d) {
      // The stride of a dimension of size 1 is never used.
      if (sizes[d] != out_sizes[d] ||
          (strides[d] != out_strides[d] && sizes[d] != 1)) {
        return false;
      }
    }
    return true;
  }

  const char* data = nullptr;
  aten::ScalarType dtype = aten::ScalarType::Undefined;
  aten::ScalarType as = aten::ScalarType::Undefined;
  // Values are rounded to this dtype, which holds less than `as`, if it is set.
  aten::ScalarType rounded_to = aten::ScalarType::Undefined;
  int dims = 0;
  const aten::SizesType* sizes = nullptr;
  const aten::StridesType* strides = nullptr;
};

// Computes out[i] from in[0][i], in[1][i], ... for i < n.
using BlockFn = void (*)(const void* const* in, void* out, int64_t n,
                         const void* params);

struct Computation {
  BlockFn run;
  const void* params = nullptr;
  // What `run` writes.
  aten::ScalarType writes;
  // The dtype of the result in PyTorch. A value is rounded to it before it is
  // converted to the dtype of the output.
  aten::ScalarType result;
  // As `run` where the last input is one value, in[count - 1][0]. May be null.
  BlockFn run_with_value = nullptr;
  // Whether two inputs may be exchanged.
  bool commutes = false;
  // Duration of one element, with that of an addition as the unit.
  int cost = 1;
};

// Broadcasts the operands, resizes `out` to their shape and fills it. Whether
// `computation.result` may be cast to `out` is up to the caller. `out` may be
// an operand, but must not overlap with one in another way.
runtime::Error elementwise(const Computation& computation,
                           runtime::Span<const Operand> operands,
                           aten::Tensor& out);

// A BlockFn from a functor on single values, `R F::operator()(T...) const`,
// that comes as the params.
template <class F, class R, class... T>
struct Block {
  static void run(const void* const* in, void* out, int64_t n,
                  const void* params) {
    run(std::index_sequence_for<T...>{}, in, static_cast<R*>(out), n,
        *static_cast<const F*>(params));
  }

 private:
  template <size_t... I>
  static void run(std::index_sequence<I...>, const void* const* in, R* out,
                  int64_t n, F f) {
    for (int64_t i = 0; i < n; ++i) {
      out[i] = f(static_cast<const T*>(in[I])[i]...);
    }
  }
};

}  // namespace executorch::kernels
