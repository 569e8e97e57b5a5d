// Extremes together with where they are: argmax, argmin, max and min along a
// dimension.
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include "kernels/common/op.h"
#include "kernels/common/reduce.h"
#include "kernels/optimized/vec/reduce.h"

namespace executorch::kernels {
namespace {

// Whether x is a better extreme than `old`. The first NaN is the best of all.
struct Greater {
  template <class T>
  static bool better(T old, T x) {
    return x > old || (x != x && old == old);
  }
  static float row(float start, const float* x, int64_t n) {
    return vec::reduce().max(start, x, n);
  }
};
struct Less {
  template <class T>
  static bool better(T old, T x) {
    return x < old || (x != x && old == old);
  }
  static float row(float start, const float* x, int64_t n) {
    return vec::reduce().min(start, x, n);
  }
};

template <class T>
struct Best {
  T value;
  int64_t index;  // -1 before the first element
};

template <class Better, class T>
struct ArgExtreme {
  using In = T;
  using State = Best<T>;
  static State empty() { return {T{}, -1}; }
  static void take(State& best, T x, int64_t index) {
    if (best.index < 0 || Better::better(best.value, x)) {
      best = {x, index};
    }
  }
  static void row(State& best, const T* x, int64_t n, int64_t first) {
    if constexpr (std::is_same_v<T, float>) {
      // One fast pass tells whether, and for what, to look closer.
      const float extreme = Better::row(x[0], x, n);
      if (best.index >= 0 && !Better::better(best.value, extreme)) {
        return;
      }
      int64_t i = 0;
      while (x[i] != extreme && x[i] == x[i]) {
        ++i;
      }
      best = {x[i], first + i};
    } else {
      for (int64_t i = 0; i < n; ++i) {
        take(best, x[i], first + i);
      }
    }
  }
  static void column(State* best, const T* x, int64_t n, int64_t index) {
    for (int64_t i = 0; i < n; ++i) {
      take(best[i], x[i], index);
    }
  }
  static void merge(State& best, const State& next) {
    take(best, next.value, next.index);
  }
};

template <class T>
void write_index(const void* states, int64_t n, int64_t, const void*,
                 void* const* out) {
  for (int64_t i = 0; i < n; ++i) {
    static_cast<int64_t*>(out[0])[i] =
        static_cast<const Best<T>*>(states)[i].index;
  }
}
template <class T>
void write_both(const void* states, int64_t n, int64_t, const void*,
                void* const* out) {
  for (int64_t i = 0; i < n; ++i) {
    const auto& best = static_cast<const Best<T>*>(states)[i];
    static_cast<T*>(out[0])[i] = best.value;
    static_cast<int64_t*>(out[1])[i] = best.index;
  }
}

Error check(const Tensor& in, DimSet dims, const Tensor& indices) {
  ET_CHECK_OR_RETURN_ERROR(indices.scalar_type() == ScalarType::Long,
                           InvalidArgument,
                           "indices are int64, the output has dtype %s",
                           runtime::toString(indices.scalar_type()));
  ET_CHECK_OR_RETURN_ERROR(
      reduced_count(in, dims) > 0, InvalidArgument,
      "the extreme of no elements is not defined: a reduced dimension is 0");
  return Error::Ok;
}

template <class Better>
Error arg_extreme(KernelRuntimeContext&, const Tensor& in,
                  std::optional<int64_t> dim, bool keepdim, Tensor& out) {
  const DimSet dims =
      ET_UNWRAP(dim ? dim_set(*dim, in) : dim_set(std::nullopt, in));
  ET_CHECK_OK_OR_RETURN_ERROR(check(in, dims, out));
  ET_CHECK_OK_OR_RETURN_ERROR(
      runtime::resize_tensor(out, reduced_shape(in, dims, keepdim).view()));
  Error error = Error::InvalidArgument;
  visit(
      AccumulationTypes{}, accumulation_dtype(in.scalar_type()), [&](auto tag) {
        using T = typename decltype(tag)::type;
        Reduction r =
            reduction<ArgExtreme<Better, T>>(in.scalar_type(), write_index<T>);
        r.ordered = true;
        const ReduceOut outs[] = {{out, ScalarType::Long}};
        error = reduce(r, in, dims, keepdim, {outs, 1});
      });
  return error;
}

template <class Better>
Error extreme_along(KernelRuntimeContext&, const Tensor& in, int64_t dim,
                    bool keepdim, Tensor& values, Tensor& indices) {
  const DimSet dims = ET_UNWRAP(dim_set(dim, in));
  const ScalarType dtype = in.scalar_type();
  ET_CHECK_OK_OR_RETURN_ERROR(check(in, dims, indices));
  ET_CHECK_OK_OR_RETURN_ERROR(check_cast(dtype, values));
  const Shape shape = reduced_shape(in, dims, keepdim);
  ET_CHECK_OK_OR_RETURN_ERROR(runtime::resize_tensor(values, shape.view()));
  ET_CHECK_OK_OR_RETURN_ERROR(runtime::resize_tensor(indices, shape.view()));
  Error error = Error::InvalidArgument;
  visit(AccumulationTypes{}, accumulation_dtype(dtype), [&](auto tag) {
    using T = typename decltype(tag)::type;
    Reduction r = reduction<ArgExtreme<Better, T>>(dtype, write_both<T>);
    r.ordered = true;
    const ReduceOut outs[] = {{values, accumulation_dtype(dtype)},
                              {indices, ScalarType::Long}};
    error = reduce(r, in, dims, keepdim, {outs, 2});
  });
  return error;
}

const Op kOps[] = {
    op<kRealBool, arg_extreme<Greater>>("aten::argmax.out"),
    op<kRealBool, arg_extreme<Less>>("aten::argmin.out"),
    op<kRealBool, extreme_along<Greater>>("aten::max.dim_max"),
    op<kRealBool, extreme_along<Less>>("aten::min.dim_min"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
