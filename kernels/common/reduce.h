// The loops of every reduction: sums, extremes, moments, over any dimensions.
//
// An operator brings an accumulator: a state, how it takes in elements, and
// what results from it. The loop brings everything else: which dimensions, in
// which order of memory, conversion to the type that the accumulator reads,
// threads. An accumulator is compiled per compute type, not per dtype:
//
//   struct Acc {
//     using In = float;      // what it reads
//     using State = double;  // at most kMaxStateSize bytes, trivially copyable
//     static State empty();
//     // Takes x[0..n); x[0] is number `first` of the elements of this result.
//     static void row(State& state, const In* x, int64_t n, int64_t first);
//     // State i takes x[i], number `index` of the elements of its result.
//     static void column(State* states, const In* x, int64_t n, int64_t index);
//     // `state` takes what `next` took; its elements come after.
//     static void merge(State& state, const State& next);
//   };
#pragma once

#include <executorch/runtime/core/exec_aten/exec_aten.h>

#include <cstdint>
#include <optional>

#include "kernels/common/checks.h"
#include "kernels/common/types.h"

namespace executorch::kernels {

inline constexpr int64_t kMaxStateSize = 32;
inline constexpr int kMaxReduceOuts = 2;

// The dimensions that are reduced; bit d stands for dimension d.
using DimSet = uint32_t;

// All dimensions if there is no list or an empty one. Fails for a dimension out
// of range or named twice.
runtime::Result<DimSet> dim_set(std::optional<aten::ArrayRef<int64_t>> dims,
                                const aten::Tensor& in);
runtime::Result<DimSet> dim_set(int64_t dim, const aten::Tensor& in);

// The shape of the result.
Shape reduced_shape(const aten::Tensor& in, DimSet dims, bool keepdim);

// The dtype elements are accumulated as: half types as float, integers and bool
// as int64_t, which wraps.
constexpr aten::ScalarType accumulation_dtype(aten::ScalarType dtype) {
  return dtype == aten::ScalarType::Double ? dtype
         : is_in(dtype, kFloats)           ? aten::ScalarType::Float
                                           : aten::ScalarType::Long;
}
using AccumulationTypes = Types<float, double, int64_t>;

// The number of elements that one result is made of.
int64_t reduced_count(const aten::Tensor& in, DimSet dims);

// Writes the results of n states to out[0][i], out[1][i], ...
using FinishFn = void (*)(const void* states, int64_t n, int64_t count,
                          const void* params, void* const* out);

// Accumulator and result of one reduction, with the types erased.
struct Reduction {
  aten::ScalarType as;  // the dtype that elements are converted to, rounding
                        // to that dtype; then they are read as In
  aten::ScalarType in;
  int64_t state_size;
  void (*empty)(void* states, int64_t n);
  void (*row)(void* state, const void* x, int64_t n, int64_t first);
  void (*column)(void* states, const void* x, int64_t n, int64_t index);
  void (*merge)(void* state, const void* next);
  FinishFn finish;
  const void* params = nullptr;
  bool ordered = false;  // the numbers of the elements matter
};

template <class Acc>
Reduction reduction(aten::ScalarType as, FinishFn finish,
                    const void* params = nullptr) {
  using State = typename Acc::State;
  using In = typename Acc::In;
  static_assert(sizeof(State) <= kMaxStateSize);
  Reduction r;
  r.as = as;
  r.in = runtime::CppTypeToScalarType<In>::value;
  r.state_size = sizeof(State);
  r.empty = [](void* states, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      static_cast<State*>(states)[i] = Acc::empty();
    }
  };
  r.row = [](void* state, const void* x, int64_t n, int64_t first) {
    Acc::row(*static_cast<State*>(state), static_cast<const In*>(x), n, first);
  };
  r.column = [](void* states, const void* x, int64_t n, int64_t index) {
    Acc::column(static_cast<State*>(states), static_cast<const In*>(x), n,
                index);
  };
  r.merge = [](void* state, const void* next) {
    Acc::merge(*static_cast<State*>(state), *static_cast<const State*>(next));
  };
  r.finish = finish;
  r.params = params;
  return r;
}

// A FinishFn from a function on one state, `Out f(const State&, int64_t
// count)`.
template <class State, class Out, Out (*f)(const State&, int64_t)>
void finish_each(const void* states, int64_t n, int64_t count, const void*,
                 void* const* out) {
  for (int64_t i = 0; i < n; ++i) {
    static_cast<Out*>(out[0])[i] =
        f(static_cast<const State*>(states)[i], count);
  }
}

struct ReduceOut {
  aten::Tensor& tensor;
  aten::ScalarType writes;  // what `finish` writes
};

// Reduces `dims` of `in`. The outputs have been resized to reduced_shape().
runtime::Error reduce(const Reduction& reduction, const aten::Tensor& in,
                      DimSet dims, bool keepdim,
                      runtime::Span<const ReduceOut> outs);

}  // namespace executorch::kernels
