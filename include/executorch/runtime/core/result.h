// A value or the Error that kept it from being made.
#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/platform/assert.h>

#include <new>
#include <utility>

namespace executorch {
namespace runtime {

/// Return type of functions that make a T or fail. Ask ok() before get(), or
/// use ET_UNWRAP / ET_ASSIGN_OR_RETURN:
///
///   Result<Program> program = Program::load(&loader);
///   if (!program.ok()) return program.error();
///   program->num_methods();
///
/// Can be moved once into being, never assigned.
template <typename T>
class Result final {
 public:
  using value_type = T;

  /// Fails with `error`; Ok is no failure and becomes Internal.
  /*implicit*/ Result(Error error)
      : error_(error == Error::Ok ? Error::Internal : error),
        has_value_(false) {}
  /*implicit*/ Result(const T& value) : value_(value), has_value_(true) {}
  /*implicit*/ Result(T&& value) : value_(std::move(value)), has_value_(true) {}

  /// The other result keeps a moved-from value.
  /*implicit*/ Result(Result&& other) noexcept : has_value_(other.has_value_) {
    if (has_value_) {
      ::new (const_cast<void*>(static_cast<const volatile void*>(&value_)))
          T(std::move(other.value_));
    } else {
      error_ = other.error_;
    }
  }

  Result() = delete;
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;
  Result& operator=(Result&&) = delete;

  ~Result() {
    if (has_value_) {
      value_.~T();
    }
  }

  /// Whether there is a value.
  ET_NODISCARD bool ok() const { return has_value_; }

  /// Why there is none, or Ok.
  ET_NODISCARD Error error() const { return has_value_ ? Error::Ok : error_; }

  /// The value; there has to be one. It lives as long as this object.
  T& get() {
    check();
    return value_;
  }
  const T& get() const {
    check();
    return value_;
  }
  T& operator*() & { return get(); }
  const T& operator*() const& { return get(); }
  T* operator->() { return &get(); }
  const T* operator->() const { return &get(); }

 private:
  void check() const {
    ET_CHECK_MSG(has_value_, "the result is %s", to_string(error_));
  }

  union {
    T value_;
    Error error_;
  };
  const bool has_value_;
};

}  // namespace runtime
}  // namespace executorch

/// ET_UNWRAP(result, [printf text...]): an expression that is the value of the
/// result, or returns its error; with a text logs that first.
#define ET_UNWRAP(...) \
  ET_INTERNAL_BY_COUNT(ET_INTERNAL_UNWRAP, __VA_ARGS__)(__VA_ARGS__)

#define ET_INTERNAL_UNWRAP_1(result__) \
  __extension__({                      \
    auto et_result__ = (result__);     \
    if (!et_result__.ok()) {           \
      return et_result__.error();      \
    }                                  \
    std::move(*et_result__);           \
  })

#define ET_INTERNAL_UNWRAP_MORE(result__, ...) \
  __extension__({                              \
    auto et_result__ = (result__);             \
    if (!et_result__.ok()) {                   \
      ET_LOG(Error, __VA_ARGS__);              \
      return et_result__.error();              \
    }                                          \
    std::move(*et_result__);                   \
  })

/// ET_ASSIGN_OR_RETURN(name, result, [printf text...]): declares `name` with
/// the value of the result, or returns its error.
#define ET_ASSIGN_OR_RETURN(name__, ...)                          \
  ET_INTERNAL_BY_COUNT(ET_INTERNAL_ASSIGN_OR_RETURN, __VA_ARGS__) \
  (name__, __VA_ARGS__)

#define ET_INTERNAL_ASSIGN_OR_RETURN_1(name__, result__) \
  auto et_result_##name__ = (result__);                  \
  if (!et_result_##name__.ok()) {                        \
    return et_result_##name__.error();                   \
  }                                                      \
  auto name__ = std::move(*et_result_##name__)

#define ET_INTERNAL_ASSIGN_OR_RETURN_MORE(name__, result__, ...) \
  auto et_result_##name__ = (result__);                          \
  if (!et_result_##name__.ok()) {                                \
    ET_LOG(Error, __VA_ARGS__);                                  \
    return et_result_##name__.error();                           \
  }                                                              \
  auto name__ = std::move(*et_result_##name__)
