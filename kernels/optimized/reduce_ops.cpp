// Sums, products, means, extremes and any(): operators with one result per
// reduced set of elements.
//
// To add one: an accumulator (see kernels/common/reduce.h) and one row.
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <cmath>
#include <limits>

#include "kernels/common/op.h"
#include "kernels/common/reduce.h"
#include "kernels/optimized/vec/reduce.h"

namespace executorch::kernels {
namespace {

using Dims = std::optional<ArrayRef<int64_t>>;

// An accumulator whose state takes one element after the other.
template <class Self, class T, class S>
struct OneByOne {
  using In = T;
  using State = S;
  static void row(S& state, const T* x, int64_t n, int64_t) {
    for (int64_t i = 0; i < n; ++i) {
      Self::take(state, x[i]);
    }
  }
  static void column(S* states, const T* x, int64_t n, int64_t) {
    for (int64_t i = 0; i < n; ++i) {
      Self::take(states[i], x[i]);
    }
  }
};

// Float sums are accumulated in double, integers wrap.
template <class T>
struct Sum
    : OneByOne<Sum<T>, T,
               std::conditional_t<std::is_integral_v<T>, uint64_t, double>> {
  using State = typename Sum::State;
  static State empty() { return 0; }
  static void take(State& sum, T x) { sum += static_cast<State>(x); }
  static void merge(State& sum, const State& next) { sum += next; }
};
template <>
struct Sum<float> {
  using In = float;
  using State = double;
  static State empty() { return 0; }
  static void row(double& sum, const float* x, int64_t n, int64_t) {
    sum += vec::reduce().sum(x, n);
  }
  static void column(double* sums, const float* x, int64_t n, int64_t) {
    vec::reduce().add(sums, x, n);
  }
  static void merge(double& sum, const double& next) { sum += next; }
};
template <>
struct Sum<double> {  // pairwise: each sum is of half as many as the next
  struct State {
    double sum, block;
    int64_t in_block;
  };
  using In = double;
  static constexpr int64_t kBlock = 128;
  static State empty() { return {0, 0, 0}; }
  static void take(State& s, double x) {
    s.block += x;
    if (++s.in_block == kBlock) {
      s = {s.sum + s.block, 0, 0};
    }
  }
  static void row(State& s, const double* x, int64_t n, int64_t) {
    for (int64_t i = 0; i < n; ++i) {
      take(s, x[i]);
    }
  }
  static void column(State* states, const double* x, int64_t n, int64_t) {
    for (int64_t i = 0; i < n; ++i) {
      take(states[i], x[i]);
    }
  }
  static void merge(State& s, const State& next) {
    s = {s.sum + s.block + next.sum + next.block, 0, 0};
  }
};

template <class T, class State>
T total(const State& sum) {
  if constexpr (std::is_same_v<State, Sum<double>::State>) {
    return sum.sum + sum.block;
  } else {
    return static_cast<T>(sum);
  }
}
template <class T, class State>
T sum_of(const State& sum, int64_t) {
  return total<T>(sum);
}
template <class T, class State>
T mean_of(const State& sum, int64_t count) {
  if constexpr (std::is_same_v<State, Sum<double>::State>) {
    return total<T>(sum) / static_cast<double>(count);
  } else {
    return static_cast<T>(static_cast<double>(sum) /
                          static_cast<double>(count));
  }
}

template <class T>
struct Product
    : OneByOne<Product<T>, T,
               std::conditional_t<std::is_integral_v<T>, uint64_t, T>> {
  using State = typename Product::State;
  static State empty() { return 1; }
  static void take(State& product, T x) { product *= static_cast<State>(x); }
  static void merge(State& product, const State& next) { product *= next; }
};
template <class T, class State>
T product_of(const State& product, int64_t) {
  return static_cast<T>(product);
}

// `Better` says whether its second argument replaces the first.
struct Greater {
  template <class T>
  static bool better(T old, T x) {
    return x > old || x != x;
  }
  template <class T>
  static constexpr T worst() {
    return std::numeric_limits<T>::has_infinity
               ? -std::numeric_limits<T>::infinity()
               : std::numeric_limits<T>::lowest();
  }
  static float row(float start, const float* x, int64_t n) {
    return vec::reduce().max(start, x, n);
  }
  static void each(float* extremes, const float* x, int64_t n) {
    vec::reduce().max_each(extremes, x, n);
  }
};
struct Less {
  template <class T>
  static bool better(T old, T x) {
    return x < old || x != x;
  }
  template <class T>
  static constexpr T worst() {
    return std::numeric_limits<T>::has_infinity
               ? std::numeric_limits<T>::infinity()
               : std::numeric_limits<T>::max();
  }
  static float row(float start, const float* x, int64_t n) {
    return vec::reduce().min(start, x, n);
  }
  static void each(float* extremes, const float* x, int64_t n) {
    vec::reduce().min_each(extremes, x, n);
  }
};

template <class Better, class T>
struct Extreme : OneByOne<Extreme<Better, T>, T, T> {
  static T empty() { return Better::template worst<T>(); }
  static void take(T& extreme, T x) {
    extreme = Better::better(extreme, x) ? x : extreme;
  }
  static void merge(T& extreme, const T& next) { take(extreme, next); }
};
template <class Better>
struct Extreme<Better, float> {
  using In = float;
  using State = float;
  static float empty() { return Better::template worst<float>(); }
  static void row(float& extreme, const float* x, int64_t n, int64_t) {
    extreme = Better::row(extreme, x, n);
  }
  static void column(float* extremes, const float* x, int64_t n, int64_t) {
    Better::each(extremes, x, n);
  }
  static void merge(float& extreme, const float& next) {
    extreme = Better::better(extreme, next) ? next : extreme;
  }
};
template <class T, class State>
T extreme_of(const State& extreme, int64_t) {
  return extreme;
}

struct Any : OneByOne<Any, bool, bool> {
  static bool empty() { return false; }
  static void take(bool& any, bool x) { any = any || x; }
  static void merge(bool& any, const bool& next) { any = any || next; }
};
bool any_of(const bool& any, int64_t) { return any; }

// Checks, resizes and reduces. `result` is the dtype that PyTorch gives.
Error run(const Reduction& r, ScalarType writes, ScalarType result,
          const Tensor& in, const Result<DimSet>& dims, bool keepdim,
          Tensor& out) {
  if (!dims.ok()) {
    return dims.error();
  }
  ET_CHECK_OK_OR_RETURN_ERROR(check_cast(result, out));
  ET_CHECK_OK_OR_RETURN_ERROR(
      runtime::resize_tensor(out, reduced_shape(in, *dims, keepdim).view()));
  const ReduceOut outs[] = {{out, writes}};
  return reduce(r, in, *dims, keepdim, {outs, 1});
}

// The dtype that a sum is made in: the one asked for, else that of the output;
// integers become int64.
ScalarType sum_dtype(const Tensor& in, std::optional<ScalarType> dtype) {
  return dtype.has_value()                        ? *dtype
         : is_in(in.scalar_type(), kInts | kBool) ? ScalarType::Long
                                                  : in.scalar_type();
}

template <template <class> class Acc, class T>
using StateOf = typename Acc<T>::State;

Error sum(KernelRuntimeContext&, const Tensor& in, Dims dims, bool keepdim,
          std::optional<ScalarType> dtype, Tensor& out) {
  const ScalarType result = sum_dtype(in, dtype);
  ET_CHECK_OK_OR_RETURN_ERROR(check_dtype(result, kRealBool));
  Error error = Error::InvalidArgument;
  visit(AccumulationTypes{}, accumulation_dtype(result), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using State = StateOf<Sum, T>;
    error = run(reduction<Sum<T>>(result, finish_each<State, T, sum_of<T>>),
                accumulation_dtype(result), result, in, dim_set(dims, in),
                keepdim, out);
  });
  return error;
}

Error mean(KernelRuntimeContext&, const Tensor& in, Dims dims, bool keepdim,
           std::optional<ScalarType> dtype, Tensor& out) {
  const ScalarType result = dtype.value_or(in.scalar_type());
  ET_CHECK_OR_RETURN_ERROR(is_in(result, kFloats), InvalidArgument,
                           "a mean is floating point, not %s; give a dtype",
                           runtime::toString(result));
  Error error = Error::InvalidArgument;
  visit(Types<float, double>{}, accumulation_dtype(result), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using State = StateOf<Sum, T>;
    error = run(reduction<Sum<T>>(result, finish_each<State, T, mean_of<T>>),
                accumulation_dtype(result), result, in, dim_set(dims, in),
                keepdim, out);
  });
  return error;
}
Error mean_all(KernelRuntimeContext& ctx, const Tensor& in,
               std::optional<ScalarType> dtype, Tensor& out) {
  return mean(ctx, in, std::nullopt, false, dtype, out);
}

Error product(const Tensor& in, const Result<DimSet>& dims, bool keepdim,
              std::optional<ScalarType> dtype, Tensor& out) {
  const ScalarType result = sum_dtype(in, dtype);
  ET_CHECK_OK_OR_RETURN_ERROR(check_dtype(result, kRealBool));
  Error error = Error::InvalidArgument;
  visit(AccumulationTypes{}, accumulation_dtype(result), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using State = StateOf<Product, T>;
    error =
        run(reduction<Product<T>>(result, finish_each<State, T, product_of<T>>),
            accumulation_dtype(result), result, in, dims, keepdim, out);
  });
  return error;
}
Error prod_all(KernelRuntimeContext&, const Tensor& in,
               std::optional<ScalarType> dtype, Tensor& out) {
  return product(in, dim_set(std::nullopt, in), false, dtype, out);
}
Error prod(KernelRuntimeContext&, const Tensor& in, int64_t dim, bool keepdim,
           std::optional<ScalarType> dtype, Tensor& out) {
  return product(in, dim_set(dim, in), keepdim, dtype, out);
}

template <class Better>
Error extreme(KernelRuntimeContext&, const Tensor& in, ArrayRef<int64_t> dims,
              bool keepdim, Tensor& out) {
  const ScalarType dtype = in.scalar_type();
  const Result<DimSet> set = dim_set(dims, in);
  ET_CHECK_OR_RETURN_ERROR(
      !set.ok() || reduced_count(in, *set) > 0, InvalidArgument,
      "the extreme of no elements is not defined: a reduced dimension is 0");
  Error error = Error::InvalidArgument;
  visit(AccumulationTypes{}, accumulation_dtype(dtype), [&](auto tag) {
    using T = typename decltype(tag)::type;
    error = run(
        reduction<Extreme<Better, T>>(dtype, finish_each<T, T, extreme_of<T>>),
        accumulation_dtype(dtype), dtype, in, set, keepdim, out);
  });
  return error;
}
template <class Better>
Error extreme_all(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return extreme<Better>(ctx, in, {}, false, out);
}

Error any(const Tensor& in, const Result<DimSet>& dims, bool keepdim,
          Tensor& out) {
  ET_CHECK_OR_RETURN_ERROR(
      is_in(out.scalar_type(), kBool | dtype_bit(ScalarType::Byte)),
      InvalidArgument, "the output of any is Bool or Byte, not %s",
      runtime::toString(out.scalar_type()));
  return run(reduction<Any>(ScalarType::Bool, finish_each<bool, bool, any_of>),
             ScalarType::Bool, ScalarType::Bool, in, dims, keepdim, out);
}
Error any_all(KernelRuntimeContext&, const Tensor& in, Tensor& out) {
  return any(in, dim_set(std::nullopt, in), false, out);
}
Error any_dim(KernelRuntimeContext&, const Tensor& in, int64_t dim,
              bool keepdim, Tensor& out) {
  return any(in, dim_set(dim, in), keepdim, out);
}
Error any_dims(KernelRuntimeContext&, const Tensor& in, Dims dims, bool keepdim,
               Tensor& out) {
  return any(in, dim_set(dims, in), keepdim, out);
}

const Op kOps[] = {
    op<kAnyDtype, sum>("aten::sum.IntList_out"),
    op<kAnyDtype, mean>("aten::mean.out"),
    op<kAnyDtype, mean_all>("aten::mean.dtype_out"),
    op<kAnyDtype, prod>("aten::prod.int_out"),
    op<kAnyDtype, prod_all>("aten::prod.out"),
    op<kRealBool, extreme<Greater>>("aten::amax.out"),
    op<kRealBool, extreme<Less>>("aten::amin.out"),
    op<kRealBool, extreme_all<Greater>>("aten::max.unary_out"),
    op<kRealBool, extreme_all<Less>>("aten::min.unary_out"),
    op<kRealBool, any_all>("aten::any.all_out"),
    op<kRealBool, any_dim>("aten::any.out"),
    op<kRealBool, any_dims>("aten::any.dims_out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
