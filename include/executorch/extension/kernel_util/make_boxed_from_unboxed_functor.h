// Operators of an application: how a C++ function becomes a kernel.
//
//     Tensor& scale_out(KernelRuntimeContext& ctx, const Tensor& x,
//                       double factor, Tensor& out);
//     EXECUTORCH_LIBRARY(my_ops, "scale.out", scale_out);
//
// registers "my_ops::scale.out" when the program or library that holds the line
// is loaded, and takes it out when the library is unloaded. The function has
// the arguments of the operator's schema in order, out arguments last. The
// context argument is optional. A function may return Error instead of a
// tensor: it fails the call unless it is Ok.
//
// Arguments that a call gives in another kind fail it with InvalidType, and the
// function is not called.
#pragma once

#include <executorch/extension/kernel_util/meta_programming.h>
#include <executorch/extension/kernel_util/type_list.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/tag.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>

#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace executorch {
namespace extension {
namespace kernel_util_internal {

/// One argument of a call: its value as a T, if it is one.
template <class T>
struct BoxedArg {
  explicit BoxedArg(runtime::EValue& v) : value(v.tryTo<T>()) {}
  bool ok() const { return value.ok(); }
  T& get() { return *value; }
  runtime::Result<T> value;
};
template <>
struct BoxedArg<executorch::aten::Tensor> {
  explicit BoxedArg(runtime::EValue& v) : v(v) {}
  bool ok() const { return v.isTensor(); }
  executorch::aten::Tensor& get() { return v.toTensor(); }
  runtime::EValue& v;
};

// Unlike a Result, an optional is initialized even if the kind is wrong: GCC
// warns about what it cannot follow.
template <class T>
struct BoxedArg<std::optional<T>> {
  explicit BoxedArg(runtime::EValue& v) : found(v.isNone()) {
    const auto inner = v.tryTo<T>();
    if (inner.ok()) {
      value = *inner;
      found = true;
    }
  }
  bool ok() const { return found; }
  std::optional<T>& get() { return value; }
  std::optional<T> value;
  bool found;
};

template <class TypeList>
struct count_nonconst_tensors;
template <class... Args>
struct count_nonconst_tensors<typelist<Args...>> {
  static constexpr size_t value =
      (size_t{0} + ... + std::is_same_v<Args, executorch::aten::Tensor&>);
};

template <class FuncType, bool kWithContext, class... Args, size_t... I>
void call_boxed(runtime::KernelRuntimeContext& ctx,
                runtime::Span<runtime::EValue*> stack, typelist<Args...>*,
                std::index_sequence<I...>) {
  constexpr size_t kCount = sizeof...(Args);
  if (stack.size() < kCount) {
    ET_LOG(Error, "%s takes %zu arguments, %zu are given", FuncType::func_name_,
           kCount, stack.size());
    return ctx.fail(runtime::Error::InvalidProgram);
  }
  std::tuple<BoxedArg<std::decay_t<Args>>...> args(*stack[I]...);
  if (!(std::get<I>(args).ok() && ... && true)) {
    const bool ok[] = {std::get<I>(args).ok()..., false};
    size_t i = 0;
    while (ok[i]) {
      ++i;
    }
    ET_LOG(Error, "%s: argument %zu has the wrong kind: %s",
           FuncType::func_name_, i, runtime::tag_to_string(stack[i]->tag));
    return ctx.fail(runtime::Error::InvalidType);
  }

  runtime::internal::EventTracerProfileOpScope scope(
      ctx.internal_event_tracer(), FuncType::func_name_);
  const auto call = [&]() -> decltype(auto) {
    if constexpr (kWithContext) {
      return FuncType::func_ptr()(ctx, std::get<I>(args).get()...);
    } else {
      return FuncType::func_ptr()(std::get<I>(args).get()...);
    }
  };
  if constexpr (std::is_same_v<decltype(call()), runtime::Error>) {
    const runtime::Error error = call();
    if (error != runtime::Error::Ok) {
      ctx.fail(error);
    }
  } else {
    call();
  }
  constexpr size_t kOuts = count_nonconst_tensors<typelist<Args...>>::value;
  for (size_t i = kCount - kOuts; i < kCount; ++i) {
    runtime::internal::event_tracer_log_evalue(ctx.internal_event_tracer(),
                                               *stack[i]);
  }
}

/// Registers a kernel as long as this object lives.
class KernelRegistration {
 public:
  explicit KernelRegistration(const runtime::Kernel& kernel)
      : kernel_(kernel), error_(runtime::register_kernel(kernel)) {}
  ~KernelRegistration() {
    if (error_ == runtime::Error::Ok) {
      runtime::unregister_kernels({&kernel_, 1});
    }
  }
  KernelRegistration(const KernelRegistration&) = delete;
  KernelRegistration& operator=(const KernelRegistration&) = delete;

  runtime::Error error() const { return error_; }

 private:
  runtime::Kernel kernel_;
  runtime::Error error_;
};

}  // namespace kernel_util_internal

/// Makes an OpFunction, `call`, of the function in an EXECUTORCH_FN type.
template <class FuncType>
struct WrapUnboxedIntoFunctor {
  static_assert(
      kernel_util_internal::is_compile_time_function_pointer<FuncType>::value,
      "WrapUnboxedIntoFunctor takes an EXECUTORCH_FN");
  using TrueType = typename FuncType::FuncType;
  using Traits = kernel_util_internal::infer_function_traits_t<TrueType>;
  using ReturnType = typename Traits::return_type;
  using ArgsType = typename Traits::parameter_types;
  static constexpr bool first_arg_is_context = std::is_same_v<
      runtime::KernelRuntimeContext,
      std::decay_t<kernel_util_internal::head_with_default_t<void, ArgsType>>>;
  using ContextRemovedArgsType =
      kernel_util_internal::drop_if_nonempty_t<ArgsType,
                                               first_arg_is_context ? 1 : 0>;

  static void call(runtime::KernelRuntimeContext& ctx,
                   runtime::Span<runtime::EValue*> stack) {
    kernel_util_internal::call_boxed<FuncType, first_arg_is_context>(
        ctx, stack, static_cast<ContextRemovedArgsType*>(nullptr),
        std::make_index_sequence<
            kernel_util_internal::size<ContextRemovedArgsType>::value>());
  }
};

/// The kernel `name` that calls an EXECUTORCH_FN:
/// `make_boxed_kernel("my_ops::scale.out", EXECUTORCH_FN(scale_out, kName))`.
template <typename FuncType>
static runtime::Kernel make_boxed_kernel(const char* name, FuncType) {
  return runtime::Kernel(name, &WrapUnboxedIntoFunctor<FuncType>::call);
}

}  // namespace extension
}  // namespace executorch

#define ET_CONCATENATE_IMPL(s1, s2) s1##s2
#define ET_CONCATENATE(s1, s2) ET_CONCATENATE_IMPL(s1, s2)
#define ET_UID __LINE__

/// Registers `func` as the operator `ns::op_name`; see the top of this file. A
/// name that is taken stays with its first owner, and the log says so.
#define EXECUTORCH_LIBRARY(ns, op_name, func) \
  _EXECUTORCH_LIBRARY_IMPL(ns, op_name, func, ET_UID)

#define _EXECUTORCH_LIBRARY_IMPL(ns, op_name, func, uid)              \
  static constexpr const char ET_CONCATENATE(name_of_op_, uid)[] =    \
      #ns "::" op_name;                                               \
  static const ::executorch::extension::kernel_util_internal::        \
      KernelRegistration                                              \
      ET_CONCATENATE(res_##ns##_,                                     \
                     uid)(::executorch::extension::make_boxed_kernel( \
          #ns "::" op_name,                                           \
          EXECUTORCH_FN(func, ET_CONCATENATE(name_of_op_, uid))))

namespace torch {
namespace executor {
using ::executorch::extension::make_boxed_kernel;
using ::executorch::extension::WrapUnboxedIntoFunctor;
}  // namespace executor
}  // namespace torch
