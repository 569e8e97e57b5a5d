// The door through which a kernel library hands its operators to the registry.
//
// It is wider than the public register_kernels(): beside name and function it
// tells the kinds of the arguments, so that a program is checked once when it
// is loaded, the dtypes of the first tensor, and how to prepare state for one
// instruction of a method.
#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/core/tag.h>
#include <executorch/runtime/kernel/operator_registry.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace executorch::registry {

// Which tags an argument may have; bit i stands for Tag i.
using TagSet = uint16_t;
constexpr TagSet tag_bit(runtime::Tag tag) {
  return static_cast<TagSet>(1u << static_cast<unsigned>(tag));
}

// Which dtypes a tensor may have; bit i stands for ScalarType i.
using DtypeSet = uint64_t;
constexpr DtypeSet dtype_bit(aten::ScalarType dtype) {
  const auto code = static_cast<unsigned>(dtype);
  return code < 64 ? DtypeSet{1} << code : 0;
}

// A call right behind another one, whose result nobody else reads.
struct Follower {
  const char* name;  // of the operator
  runtime::Span<runtime::EValue*> args;
};

// What is known about one instruction while its method is planned.
class PrepareContext {
 public:
  virtual ~PrepareContext() = default;

  // Whether argument `index` is the same in every run: a number, a string or a
  // list from the program, or a tensor whose bytes are constants of it.
  virtual bool is_constant(size_t index) const = 0;

  // Whether the tensor argument `index` has the same sizes in every run.
  virtual bool has_fixed_shape(size_t index) const = 0;

  // Whether anything may read what the call writes to out argument `index`.
  virtual bool is_read(size_t index) const = 0;

  // The object that `make` builds from the constant at `source` in the way that
  // `recipe` names. Methods and modules of one program share it; `make` runs
  // under a lock, once, as long as somebody holds the result.
  virtual std::shared_ptr<const void> share(
      const void* source, const char* recipe,
      const std::function<std::shared_ptr<const void>()>& make) = 0;

  // Says that with its state the kernel does not read the data of the constant
  // tensor `index`: when nobody else does, the memory of one that was computed
  // at load is given back, and the tensor has no data.
  virtual void release(size_t index) = 0;

  // A name for the constant at `source`, for recipes that depend on it.
  virtual std::string identity(const void* source) const = 0;

  // The call that alone reads the result of this one, and of those that it has
  // absorbed, when its own result has the same dtype, sizes and layout and its
  // other arguments are constant; else null.
  virtual const Follower* follower() = 0;

  // Promises that the kernel, with its state, does the work of the follower
  // too: that one is not run, and the kernel gets its result as out argument.
  virtual void absorb() = 0;
};

// What of its first argument a result has when both have the same dtype.
enum class Copies : uint8_t {
  kNothing,
  kElements,  // in the same order, if there are as many
  kTensor,    // the sizes too
};

// State of one instruction; the method owns it.
using PreparedState = std::shared_ptr<const void>;

// Returns null when there is nothing to prepare. A fault in the arguments is
// not reported here: the kernel does so when it runs.
using PrepareFn = PreparedState (*)(PrepareContext& context,
                                    runtime::Span<runtime::EValue*> args);

// One row of an operator table. Strings and arrays have static storage in the
// library that registers them.
struct Op {
  const char* name;
  runtime::OpFunction call;
  const TagSet* args;  // per argument of the schema, out arguments included
  size_t num_args;
  PrepareFn prepare;  // may be null
  // Of the first tensor argument, or of all tensors in it if that is a list;
  // `call` refuses others. Empty when the operator has nothing to say.
  DtypeSet dtypes = 0;
  // Tensors may come with any strides, whatever their dim order.
  bool any_strides = false;
  Copies copies = Copies::kNothing;
};

// Adds the rows. One whose name is taken is left out with an error line that
// names both libraries; the others are added, and the result is
// RegistrationAlreadyRegistered. `unusable` is null, or why none of these
// operators can run here (a forced instruction set that the CPU lacks): then
// loading a program that calls one of them fails with that text.
ET_EXPORT runtime::Error register_ops(runtime::Span<const Op> ops,
                                      const char* unusable);

// Takes the rows out again; called when the library is unloaded.
ET_EXPORT void unregister_ops(runtime::Span<const Op> ops);

}  // namespace executorch::registry
