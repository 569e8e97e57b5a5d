// How an elementwise operator is declared: a functor, made into a MapOp. Its
// row takes the dtypes from there.
//
//   struct Mul : Map<kAnyDtype> {
//     static constexpr auto kVecBinary = &vec::Loops::mul;
//     template <class T>
//     T operator()(T a, T b) const { return wrap_mul(a, b); }
//   };
//   ... return map(kMap<Mul, 2>, common, {a, b}, out);
//
// The functor is instantiated for the compute types that its dtypes need: float
// (also for float16 and bfloat16), double, int64 (also for the narrower
// integers and bool: the result wraps to the right value when it is stored) and
// complex. A functor that depends on numbers takes them as a last argument,
// `const T* p`. With a member `kVec` or `kVecBinary`, its float loop is
// that entry of the vector table, and float needs no operator().
#pragma once

#include <complex>
#include <cstdint>
#include <initializer_list>
#include <type_traits>
#include <utility>

#include "kernels/common/elementwise.h"
#include "kernels/common/op.h"
#include "kernels/optimized/vec/loops.h"

namespace executorch::kernels {

enum class MapResult {
  kCommon,    // the dtype the inputs promote to
  kFloating,  // the same, but integers are computed as float32
  kBool,
};

// The properties of an operator; its functor inherits them, and may define them
// anew. `kMapCost` is the duration of one element, with that of an addition as
// the unit.
template <DtypeSet kDtypes, MapResult kMapResult = MapResult::kCommon,
          int kMapCost = 1>
struct Map {
  static constexpr DtypeSet kAllowed = kDtypes;
  static constexpr MapResult kResult = kMapResult;
  static constexpr int kCost = kMapCost;
  // The output must have the dtype of the result, and is not converted to.
  static constexpr bool kSameDtype = false;
  // Numbers that are not rounded to the dtype of a float16 or bfloat16 tensor
  // before they take part in its arithmetic: the last operand, the params.
  static constexpr bool kExactLast = false;
  static constexpr bool kExactParams = false;
  // Whether two operands may be exchanged.
  static constexpr bool kCommutes = false;
  static constexpr vec::LoopMember kVec = nullptr;
  static constexpr vec::BinaryLoopMember kVecBinary = nullptr;
};

struct MapOp {
  DtypeSet allowed;  // what the inputs may promote to
  MapResult result;
  int cost;
  bool same_dtype, exact_last, exact_params, commutes;
  vec::LoopMember vec;
  vec::BinaryLoopMember vec_binary;
  BlockFn f32, f64, i64, c64, c128;
};

inline constexpr int kMaxParams = 4;

// Computes `out` from operands that are read in the compute type of their
// common dtype, as `params` are. On failure `out` is as before.
Error map(const MapOp& op, ScalarType common, Span<Operand> operands,
          Tensor& out, std::initializer_list<Scalar> params = {});
template <size_t N>
Error map(const MapOp& op, ScalarType common, Operand (&&operands)[N],
          Tensor& out, std::initializer_list<Scalar> params = {}) {
  return map(op, common, Span<Operand>(operands, N), out, params);
}

// The loop that calls F on kInputs arrays of T.
template <class F, class T, class I>
struct MapLoop;

template <class F, class T, size_t... I>
struct MapLoop<F, T, std::index_sequence<I...>> {
  static void run(const void* const* in, void* out, int64_t n,
                  const void* params) {
    loop(out, n, static_cast<const T*>(params),
         static_cast<const T*>(in[I])...);
  }

 private:
  template <class... In>
  static void loop(void* out, int64_t n, const T* params, const In*... in) {
    if constexpr (std::is_invocable_v<F, In..., const T*>) {
      using R = std::invoke_result_t<F, In..., const T*>;
      auto* r = static_cast<R*>(out);
      for (int64_t i = 0; i < n; ++i) {
        r[i] = F{}(in[i]..., params);
      }
    } else {
      using R = std::invoke_result_t<F, In...>;
      auto* r = static_cast<R*>(out);
      for (int64_t i = 0; i < n; ++i) {
        r[i] = F{}(in[i]...);
      }
    }
  }
};

template <class F, class T, int kInputs>
constexpr BlockFn map_loop() {
  constexpr DtypeSet kComputed = std::is_same_v<T, int64_t>    ? kInts | kBool
                                 : std::is_floating_point_v<T> ? kFloats
                                                               : kComplex;
  constexpr bool kAsFloat =
      std::is_same_v<T, int64_t> && F::kResult == MapResult::kFloating;
  constexpr bool kInTable = std::is_same_v<T, float> &&
                            (F::kVec != nullptr || F::kVecBinary != nullptr);
  if constexpr ((F::kAllowed & kComputed) == 0 || kAsFloat || kInTable) {
    return nullptr;
  } else {
    return MapLoop<F, T, std::make_index_sequence<kInputs>>::run;
  }
}

template <class F, int kInputs>
inline constexpr MapOp kMap = {
    F::kAllowed,
    F::kResult,
    F::kCost,
    F::kSameDtype,
    F::kExactLast,
    F::kExactParams,
    F::kCommutes,
    F::kVec,
    F::kVecBinary,
    map_loop<F, float, kInputs>(),
    map_loop<F, double, kInputs>(),
    map_loop<F, int64_t, kInputs>(),
    map_loop<F, std::complex<float>, kInputs>(),
    map_loop<F, std::complex<double>, kInputs>(),
};

// The dtypes of an operand that may promote, with another one, to one of `set`.
constexpr DtypeSet promoting_to(DtypeSet set) {
  return set | ((set & kComplex) != 0 ? kRealBool : 0) |
         ((set & kFloats) != 0 ? kInts | kBool : 0) |
         ((set & kInts) != 0 ? kBool : 0);
}

// The kernels and rows of operators that are a functor and nothing else.
template <class F>
Error unary(KernelRuntimeContext&, const Tensor& x, Tensor& out) {
  return map(kMap<F, 1>, ResultType::of(x), {x}, out);
}
template <class F>
Error binary(KernelRuntimeContext&, const Tensor& a, const Tensor& b,
             Tensor& out) {
  return map(kMap<F, 2>, ResultType::of(a, b), {a, b}, out);
}
template <class F>
Error binary_scalar(KernelRuntimeContext&, const Tensor& a, const Scalar& b,
                    Tensor& out) {
  return map(kMap<F, 2>, ResultType::of(a, b), {a, number(b)}, out);
}
template <class F>
constexpr Op unary_op(const char* name) {
  return op<F::kAllowed, unary<F>>(name);
}
template <class F>
constexpr Op binary_op(const char* name) {
  return op<promoting_to(F::kAllowed), binary<F>>(name);
}
template <class F>
constexpr Op binary_scalar_op(const char* name) {
  return op<promoting_to(F::kAllowed), binary_scalar<F>>(name);
}

}  // namespace executorch::kernels
