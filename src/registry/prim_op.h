// How a primitive operator becomes a row of the operator table.
//
// Primitives differ from the kernels of a library: most give a number, which
// they leave in the stack slot behind their arguments, and none needs a
// context. `value<fn, tags...>(name)` is such a row; `in_place<fn, tags...>` is
// one whose function writes its arguments.
#pragma once

#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/platform/log.h>

#include <utility>

#include "src/registry/register_op.h"

namespace executorch::registry {

constexpr TagSet kInt = tag_bit(runtime::Tag::Int);
constexpr TagSet kBool = tag_bit(runtime::Tag::Bool);
constexpr TagSet kNumber = kInt | kBool | tag_bit(runtime::Tag::Double);
constexpr TagSet kTensor = tag_bit(runtime::Tag::Tensor);
constexpr TagSet kInts = tag_bit(runtime::Tag::ListInt);
constexpr TagSet kAny = 0xFFFF;

inline bool check_args(runtime::Span<runtime::EValue*> stack,
                       const TagSet* tags, size_t count) {
  if (stack.size() < count) {
    ET_LOG(Error, "%zu arguments given, the operator takes %zu", stack.size(),
           count);
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    if ((tags[i] & tag_bit(stack[i]->tag)) == 0) {
      ET_LOG(Error, "argument %zu has the wrong kind: %s", i,
             runtime::tag_to_string(stack[i]->tag));
      return false;
    }
  }
  return true;
}

// A function that gives the value of the slot behind its arguments.
template <auto fn, TagSet... tags>
struct Value {
  static constexpr TagSet kTags[] = {tags..., kAny};
  static constexpr size_t kCount = sizeof...(tags) + 1;

  static void call(runtime::KernelRuntimeContext& ctx,
                   runtime::Span<runtime::EValue*> stack) {
    if (!check_args(stack, kTags, kCount)) {
      return ctx.fail(runtime::Error::InvalidType);
    }
    auto result = call(stack, std::make_index_sequence<sizeof...(tags)>());
    if (!result.ok()) {
      return ctx.fail(result.error());
    }
    *stack[kCount - 1] = std::move(*result);
  }
  template <size_t... I>
  static runtime::Result<runtime::EValue> call(
      runtime::Span<runtime::EValue*> stack, std::index_sequence<I...>) {
    return fn(*stack[I]...);
  }
};
template <auto fn, TagSet... tags>
constexpr Op value(const char* name) {
  using V = Value<fn, tags...>;
  return {name, &V::call, V::kTags, V::kCount, nullptr};
}

// A function that writes one of its three arguments.
template <runtime::Error (*fn)(runtime::EValue&, runtime::EValue&,
                               runtime::EValue&),
          TagSet... tags>
struct InPlace {
  static constexpr TagSet kTags[] = {tags...};
  static void call(runtime::KernelRuntimeContext& ctx,
                   runtime::Span<runtime::EValue*> stack) {
    const runtime::Error error = check_args(stack, kTags, sizeof...(tags))
                                     ? fn(*stack[0], *stack[1], *stack[2])
                                     : runtime::Error::InvalidType;
    if (error != runtime::Error::Ok) {
      ctx.fail(error);
    }
  }
};
template <runtime::Error (*fn)(runtime::EValue&, runtime::EValue&,
                               runtime::EValue&),
          TagSet... tags>
constexpr Op in_place(const char* name) {
  using V = InPlace<fn, tags...>;
  return {name, &V::call, V::kTags, sizeof...(tags), nullptr};
}

}  // namespace executorch::registry
