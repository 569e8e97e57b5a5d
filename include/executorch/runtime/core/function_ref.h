// A reference to something that can be called.
#pragma once

#include <executorch/runtime/platform/compiler.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace executorch {
namespace runtime {

template <typename Function>
class FunctionRef;

/// Parameter type for callbacks: takes a lambda, function or functor without
/// copying or allocating. It does not own what it calls, so use it in
/// parameters only and do not keep it.
template <typename Return, typename... Params>
class FunctionRef<Return(Params...)> {
  template <typename Callable>
  using IfCallable = std::enable_if_t<
      !std::is_same<std::decay_t<Callable>, FunctionRef>::value &&
      std::is_invocable_r<Return, Callable&, Params...>::value>;

 public:
  FunctionRef() = default;
  FunctionRef(std::nullptr_t) {}

  template <typename Callable, typename = IfCallable<Callable>>
  FunctionRef(Callable&& callable)
      : call_(call<std::remove_reference_t<Callable>>),
        target_(reinterpret_cast<intptr_t>(&callable)) {}

  /// There has to be a target.
  Return operator()(Params... params) const {
    return call_(target_, std::forward<Params>(params)...);
  }

  /// Whether there is a target.
  explicit operator bool() const { return call_ != nullptr; }

  /// Whether both call the same object.
  bool operator==(const FunctionRef& other) const {
    return target_ == other.target_;
  }

 private:
  template <typename Callable>
  static Return call(intptr_t target, Params... params) {
    return static_cast<Return>((*reinterpret_cast<Callable*>(target))(
        std::forward<Params>(params)...));
  }

  Return (*call_)(intptr_t target, Params... params) = nullptr;
  intptr_t target_ = 0;
};

}  // namespace runtime
}  // namespace executorch
