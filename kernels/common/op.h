// How a C++ function becomes an operator.
//
// A kernel is a plain function that takes a context and its arguments in schema
// order, out arguments last, and returns an Error.
// `op<dtypes, fn>("ns::name.overload")` makes the row of a table from it; the
// argument kinds follow from its C++ types. The first argument that is a
// tensor, or a list of them, has one of the dtypes: the row says so and the
// call checks it before `fn` runs. `op<dtypes, fn, prepare>` adds state that is
// made once per instruction:
//
//   std::shared_ptr<const State> prepare(PrepareContext&, A... args);
//   Error fn(KernelRuntimeContext&, const State* /*may be null*/, A... args);
#pragma once

#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>

#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "kernels/common/checks.h"
#include "src/registry/register_op.h"
#include "src/threadpool/cpu.h"

namespace executorch::kernels {

using aten::ArrayRef;
using aten::MemoryFormat;
using aten::Scalar;
using aten::ScalarType;
using aten::Tensor;
using registry::Op;
using registry::PrepareContext;
using registry::tag_bit;
using registry::TagSet;
using runtime::Error;
using runtime::EValue;
using runtime::KernelRuntimeContext;
using runtime::Result;
using runtime::Span;
using runtime::Tag;

// One argument: which tags it may have, and its value once that was checked.
// Values that are made on reading are kept here for the time of the call.
template <class T>
struct Arg;

template <>
struct Arg<const Tensor&> {
  static constexpr TagSet kTags = tag_bit(Tag::Tensor);
  explicit Arg(EValue& v) : v(v) {}
  bool ok() const { return v.isTensor(); }
  const Tensor& get() const { return v.toTensor(); }
  EValue& v;
};
template <>
struct Arg<Tensor&> {
  static constexpr TagSet kTags = tag_bit(Tag::Tensor);
  explicit Arg(EValue& v) : v(v) {}
  bool ok() const { return v.isTensor(); }
  Tensor& get() const { return v.toTensor(); }
  EValue& v;
};

template <>
struct Arg<const Scalar&> {
  static constexpr TagSet kTags =
      tag_bit(Tag::Int) | tag_bit(Tag::Double) | tag_bit(Tag::Bool);
  explicit Arg(EValue& v) : v(v) {}
  bool ok() const { return v.isScalar(); }
  Scalar get() const { return v.toScalar(); }
  EValue& v;
};
template <>
struct Arg<int64_t> {
  static constexpr TagSet kTags = tag_bit(Tag::Int);
  explicit Arg(EValue& v) : v(v) {}
  bool ok() const { return v.isInt(); }
  int64_t get() const { return v.toInt(); }
  EValue& v;
};
template <>
struct Arg<bool> {
  static constexpr TagSet kTags = tag_bit(Tag::Bool);
  explicit Arg(EValue& v) : v(v) {}
  bool ok() const { return v.isBool(); }
  bool get() const { return v.toBool(); }
  EValue& v;
};
template <>
struct Arg<double> {  // a float argument takes an integer too, as in PyTorch
  static constexpr TagSet kTags = tag_bit(Tag::Double) | tag_bit(Tag::Int);
  explicit Arg(EValue& v) : v(v) {}
  bool ok() const { return v.isDouble() || v.isInt(); }
  double get() const {
    return v.isInt() ? static_cast<double>(v.toInt()) : v.toDouble();
  }
  EValue& v;
};

// Enumerations travel as integers; the kernel checks the value.
template <class E>
struct EnumArg : Arg<int64_t> {
  using Arg<int64_t>::Arg;
  E get() const { return static_cast<E>(Arg<int64_t>::get()); }
};
template <>
struct Arg<ScalarType> : EnumArg<ScalarType> {
  using EnumArg::EnumArg;
};
template <>
struct Arg<MemoryFormat> : EnumArg<MemoryFormat> {
  using EnumArg::EnumArg;
};

// Lists and strings: their elements are checked while they are read.
template <class T, Tag kTag>
struct ReadArg {
  static constexpr TagSet kTags = tag_bit(kTag);
  explicit ReadArg(EValue& v) {
    Result<T> result = v.tryTo<T>();
    is_ok = result.ok();
    if (is_ok) {
      value = *result;
    }
  }
  bool ok() const { return is_ok; }
  T get() const { return value; }
  T value{};
  bool is_ok = false;
};
template <>
struct Arg<std::string_view> : ReadArg<std::string_view, Tag::String> {
  using ReadArg::ReadArg;
};
template <>
struct Arg<ArrayRef<int64_t>> : ReadArg<ArrayRef<int64_t>, Tag::ListInt> {
  using ReadArg::ReadArg;
};
template <>
struct Arg<ArrayRef<double>> : ReadArg<ArrayRef<double>, Tag::ListDouble> {
  using ReadArg::ReadArg;
};
template <>
struct Arg<ArrayRef<bool>> : ReadArg<ArrayRef<bool>, Tag::ListBool> {
  using ReadArg::ReadArg;
};
template <>
struct Arg<ArrayRef<Tensor>> : ReadArg<ArrayRef<Tensor>, Tag::ListTensor> {
  using ReadArg::ReadArg;
};
template <>
struct Arg<ArrayRef<std::optional<Tensor>>>
    : ReadArg<ArrayRef<std::optional<Tensor>>, Tag::ListOptionalTensor> {
  using ReadArg::ReadArg;
};

template <class T>
struct Arg<std::optional<T>> {
  using Inner = Arg<std::conditional_t<
      std::is_same_v<T, Tensor>, const Tensor&,
      std::conditional_t<std::is_same_v<T, Scalar>, const Scalar&, T>>>;
  static constexpr TagSet kTags = Inner::kTags | tag_bit(Tag::None);
  explicit Arg(EValue& v) : v(v) {}
  bool ok() const { return v.isNone() || Inner(v).ok(); }
  std::optional<T> get() const {
    return v.isNone() ? std::nullopt : std::optional<T>(Inner(v).get());
  }
  EValue& v;
};
template <class T>
struct Arg<const std::optional<T>&> : Arg<std::optional<T>> {
  using Arg<std::optional<T>>::Arg;
};

// The check of the dtypes of an argument; one without tensors has none.
template <class T>
inline constexpr bool kHasDtypes = false;
template <>
inline constexpr bool kHasDtypes<const Tensor&> = true;
template <>
inline constexpr bool kHasDtypes<Tensor&> = true;
template <>
inline constexpr bool kHasDtypes<const std::optional<Tensor>&> = true;
template <>
inline constexpr bool kHasDtypes<std::optional<Tensor>> = true;
template <>
inline constexpr bool kHasDtypes<ArrayRef<Tensor>> = true;

inline Error check_dtypes(const Tensor& tensor, DtypeSet allowed) {
  return check_dtype(tensor.scalar_type(), allowed);
}
inline Error check_dtypes(const std::optional<Tensor>& tensor,
                          DtypeSet allowed) {
  return tensor ? check_dtypes(*tensor, allowed) : Error::Ok;
}
inline Error check_dtypes(ArrayRef<Tensor> tensors, DtypeSet allowed) {
  for (const Tensor& tensor : tensors) {
    ET_CHECK_OK_OR_RETURN_ERROR(check_dtypes(tensor, allowed));
  }
  return Error::Ok;
}

// Reads the arguments `A...` from a stack and calls `f` with them.
template <DtypeSet kDtypes, class... A>
struct Unboxed {
  static constexpr TagSet kTags[] = {Arg<A>::kTags...};
  static constexpr size_t kCount = sizeof...(A);

  template <class F>
  static Error call(Span<EValue*> stack, F&& f) {
    return call(stack, f, std::index_sequence_for<A...>{});
  }

 private:
  template <class F, size_t... I>
  static Error call(Span<EValue*> stack, F& f, std::index_sequence<I...>) {
    ET_CHECK_OR_RETURN_ERROR(stack.size() >= kCount, InvalidProgram,
                             "%zu arguments given, the operator takes %zu",
                             stack.size(), kCount);
    std::tuple<Arg<A>...> args(*stack[I]...);
    size_t i = 0;
    const bool ok = ((std::get<I>(args).ok() && ++i != 0) && ...);
    ET_CHECK_OR_RETURN_ERROR(ok, InvalidType,
                             "argument %zu has the wrong kind: %s", i,
                             runtime::tag_to_string(stack[i]->tag));
    ET_CHECK_OK_OR_RETURN_ERROR(
        check_dtypes(std::get<first_tensor()>(args).get(), kDtypes));
    return f(std::get<I>(args).get()...);
  }

  static constexpr size_t first_tensor() {
    size_t i = 0;
    (void)((kHasDtypes<A> || (++i, false)) || ...);
    return i;
  }
};

template <DtypeSet kDtypes, auto Run, auto Prepare>
struct Boxed;

template <DtypeSet kDtypes, class... A,
          Error (*Run)(KernelRuntimeContext&, A...)>
struct Boxed<kDtypes, Run, nullptr> {
  using Args = Unboxed<kDtypes, A...>;
  static constexpr registry::PrepareFn kPrepare = nullptr;
  static void call(KernelRuntimeContext& ctx, Span<EValue*> stack) {
    const Error error =
        Args::call(stack, [&](auto&&... args) { return Run(ctx, args...); });
    if (error != Error::Ok) {
      ctx.fail(error);
    }
  }
};

template <DtypeSet kDtypes, class State, class... A,
          Error (*Run)(KernelRuntimeContext&, const State*, A...),
          std::shared_ptr<const State> (*Prepare)(PrepareContext&, A...)>
struct Boxed<kDtypes, Run, Prepare> {
  using Args = Unboxed<kDtypes, A...>;
  static constexpr registry::PrepareFn kPrepare = [](PrepareContext& ctx,
                                                     Span<EValue*> stack) {
    registry::PreparedState state;
    (void)Args::call(stack, [&](auto&&... args) {
      state = Prepare(ctx, args...);
      return Error::Ok;
    });
    return state;
  };
  static void call(KernelRuntimeContext& ctx, Span<EValue*> stack) {
    const auto* state =
        static_cast<const State*>(ctx.internal_prepared_state());
    const Error error = Args::call(
        stack, [&](auto&&... args) { return Run(ctx, state, args...); });
    if (error != Error::Ok) {
      ctx.fail(error);
    }
  }
};

template <DtypeSet kDtypes, auto Run, auto Prepare = nullptr>
constexpr Op op(const char* name) {
  using B = Boxed<kDtypes, Run, Prepare>;
  return {name,        &B::call, B::Args::kTags, B::Args::kCount,
          B::kPrepare, kDtypes};
}

// The row of a kernel that reads its tensors by their strides: a constant is
// transposed for it without being copied.
constexpr Op any_strides(Op row) {
  row.any_strides = true;
  return row;
}

// The row of a kernel that changes at most dtype and layout, or also the sizes:
// where it changes nothing, its result may be shown where its argument is.
constexpr Op copies(Op row) {
  row.copies = registry::Copies::kTensor;
  return row;
}
constexpr Op reshapes(Op row) {
  row.copies = registry::Copies::kElements;
  return row;
}

// Registers a table for as long as the library that holds it is loaded. A name
// that another library already owns stays with it, and the registry logs both.
struct Registered {
  template <size_t N>
  explicit Registered(const Op (&table)[N]) : ops(table, N) {
    (void)registry::register_ops(ops, cpu::isa_error());
  }
  ~Registered() { registry::unregister_ops(ops); }
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;
  Span<const Op> ops;
};

}  // namespace executorch::kernels
