// What a method of a program consists of: values, operators, delegates and
// instructions, as the file stores them, and which library here has each
// operator. For tools that show programs; nothing is loaded or run.
#pragma once

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/tag.h>
#include <executorch/runtime/core/tensor_shape_dynamism.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace executorch {
namespace extension {
namespace inspect {

/// A value of a method. Of `tag`, the kind, depends which fields have a
/// meaning.
struct ValueInfo {
  /// Where the bytes of a tensor are.
  enum class Storage : uint8_t {
    None,      ///< the caller gives memory, or it is a view made by a run
    Planned,   ///< in planned buffer `buffer`
    Constant,  ///< in the program
    External,  ///< in a .ptd file, under `name`
  };

  runtime::Tag tag = runtime::Tag::None;
  /// A number, bool, string or list of them, as text.
  std::string text;
  /// Values in a list of tensors or numbers; -1 stands for none.
  std::vector<int64_t> items;

  // Tensors only.
  std::string name;  ///< in the exported module, or empty
  executorch::aten::ScalarType dtype = executorch::aten::ScalarType::Float;
  std::vector<int32_t> sizes;  ///< the largest ones
  std::vector<uint8_t> dim_order;
  executorch::aten::TensorShapeDynamism dynamism =
      executorch::aten::TensorShapeDynamism::STATIC;
  size_t nbytes = 0;  ///< at `sizes`
  Storage storage = Storage::None;
  size_t buffer = 0;  ///< as in MethodMeta::memory_planned_buffer_size()
};

struct OperatorInfo {
  std::string name;  ///< with overload, "aten::add.out"
  size_t calls = 0;  ///< instructions that call it
  /// File of the library that registered it in this process; empty: none did.
  std::string library;
  /// CMake target that brings it, "executorch::kernels_optimized"; empty: no
  /// component of this SDK does.
  std::string component;
};

struct DelegateInfo {
  std::string backend;
  size_t nbytes = 0;  ///< of its compiled form
  size_t calls = 0;
  bool available = false;  ///< registered in this process and able to run
};

struct InstructionInfo {
  enum class Kind : uint8_t { Kernel, Delegate, Move, JumpFalse, Free };
  Kind kind = Kind::Kernel;
  /// Of the operator or delegate that is called; of a jump, the instruction of
  /// its chain that it goes to.
  size_t index = 0;
  /// Values. The results of an operator are the last ones; a delegate has its
  /// inputs and then its outputs.
  std::vector<size_t> args;
  size_t chain = 0;
  /// The instruction that does its work: itself, unless describe_plan() finds
  /// that an earlier one has taken it over (also a copy, whose result is shown
  /// where that one writes), or that its result was computed or made a view when
  /// the method was loaded.
  size_t done_by = 0;
  static constexpr size_t kAtLoad = SIZE_MAX;
};

struct MethodInfo {
  std::string name;
  std::vector<ValueInfo> values;
  std::vector<size_t> inputs;   ///< indices of values
  std::vector<size_t> outputs;  ///< indices of values
  std::vector<OperatorInfo> operators;
  std::vector<DelegateInfo> delegates;
  std::vector<InstructionInfo> instructions;
};

/// Describes a method.
///
/// @retval InvalidArgument There is no such method.
ET_EXPORT runtime::Result<MethodInfo> describe_method(
    const runtime::Program& program, const char* method_name);

/// Adds what loading has made of the instructions. The method must be the one
/// that `info` describes.
///
/// @retval InvalidArgument It has another name or number of instructions.
ET_EXPORT runtime::Error describe_plan(const runtime::Method& method,
                                       MethodInfo& info);

/// File of the library that has this kernel; empty if that is not known.
ET_EXPORT std::string library_of(const runtime::Kernel& kernel);

/// Dtypes that this kernel takes as its first tensor argument, which may be a
/// list; where no input is a tensor that is the output. Other arguments may
/// narrow them. Empty if the kernel takes no tensor or did not tell, as one of
/// register_kernels().
ET_EXPORT std::vector<executorch::aten::ScalarType> dtypes_of(
    const runtime::Kernel& kernel);

}  // namespace inspect
}  // namespace extension
}  // namespace executorch
