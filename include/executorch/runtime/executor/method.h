// A method of a program, ready to run.
#pragma once

#include <executorch/runtime/core/array_ref.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/executor/memory_manager.h>
#include <executorch/runtime/executor/method_meta.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstddef>
#include <string_view>

namespace executorch {
namespace method {
struct Plan;
}  // namespace method

namespace runtime {

class NamedDataMap;
class Program;

/// An executable method, from Program::load_method().
///
/// Everything is resolved and checked when it is loaded; running it allocates
/// nothing, takes no lock and looks up no name, apart from what kernels and
/// backends do. The program, the allocators, the event tracer and the data map
/// must outlive it. A method may be used by one thread at a time; several
/// methods of one program may run at once, also copies of the same one that
/// have their own memory.
class ET_EXPORT Method final {
 public:
  /// Leaves `other` without a method: its functions fail or abort.
  Method(Method&& other) noexcept;
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;
  Method& operator=(Method&&) = delete;
  ~Method();

  /// Sets an input. It stays set for all following runs.
  ///
  /// A tensor is copied into the planned memory of the input; one in another
  /// dim order is rearranged. If the program planned no memory for the input
  /// and the layouts agree, the method keeps the data pointer instead: the
  /// data must then outlive the runs that use it.
  ///
  /// @param input_evalue A tensor needs the dtype and rank of the input, its
  ///     sizes where they are static, and at most its sizes where they are
  ///     dynamic. A number, bool or string must be what the exporter stored,
  ///     as the method was specialised for it.
  /// @param input_idx Less than inputs_size().
  /// @retval InvalidArgument There is no such input, the kind, the dtype or a
  ///     stored value differs, or the tensor has elements but no data.
  /// @retval NotSupported The rank or a static size differs, or a dynamic size
  ///     is above its bound.
  ET_NODISCARD Error set_input(const EValue& input_evalue, size_t input_idx);

  /// As set_input(), for the next execute() only and without copying where that
  /// changes no result: the method then reads the caller's memory, which must
  /// stay as it is until execute() returns. Afterwards the input counts as not
  /// set if it was not copied.
  ET_NODISCARD Error bind_input(const EValue& input_evalue, size_t input_idx);

  /// Sets all inputs; see set_input().
  ///
  /// @retval InvalidArgument There are more or fewer values than inputs.
  ET_NODISCARD Error
  set_inputs(const executorch::aten::ArrayRef<EValue>& input_evalues);

  /// Gives memory to an output that the program planned none for. It must
  /// outlive the runs that use it.
  ///
  /// @param size Bytes in `buffer`: at least those of the output at its
  ///     largest sizes.
  /// @retval InvalidArgument There is no such output, it is not a tensor, or
  ///     `buffer` is null or too small.
  /// @retval InvalidState The output has planned memory or constant data.
  ET_NODISCARD Error set_output_data_ptr(void* buffer, size_t size,
                                         size_t output_idx);

  /// Bytes that set_output_data_ptr() needs for an output; 0 if the program
  /// says where it is, or there is no such output.
  size_t unplanned_output_nbytes(size_t output_idx) const;

  /// Copies the outputs; tensors refer to the memory of the method, so that the
  /// next run changes them.
  ///
  /// @param output_evalues Receives outputs_size() values, and None behind.
  /// @param length Values in the array.
  /// @retval InvalidArgument The array is null or shorter than outputs_size().
  ET_NODISCARD Error get_outputs(EValue* output_evalues, size_t length);

  /// Deprecated: use MethodMeta. Copies the inputs as get_outputs() does.
  ET_DEPRECATED ET_NODISCARD Error get_inputs(EValue* input_evalues,
                                              size_t length);

  /// The tensor that has this name in the exported module.
  ///
  /// @retval NotFound There is none.
  ET_NODISCARD Result<executorch::aten::Tensor> get_attribute(
      std::string_view name);

  /// Runs the method from its first to its last instruction. After an error it
  /// can be run again; outputs are then undefined.
  ///
  /// @retval InvalidArgument A tensor input was never set.
  /// @retval InvalidState A run with step() has begun and was not reset, or an
  ///     output has no memory.
  /// Or the error of a kernel or delegate.
  ET_NODISCARD Error execute();

  /// Runs one instruction. See execute() for errors; after one, the next step
  /// is the first again.
  ///
  /// @retval EndOfMethod There was nothing left to run: call reset_execution().
  ET_NODISCARD Error step();

  /// Deprecated: use step().
  ET_DEPRECATED ET_NODISCARD Error experimental_step();

  /// Whether step() has run some, but not all instructions.
  ET_NODISCARD bool in_progress() const;

  /// Makes a method that step() has brought to its end ready to run again.
  ///
  /// @retval InvalidState It is not at its end.
  ET_NODISCARD Error reset_execution();

  /// Deprecated: use reset_execution().
  ET_DEPRECATED ET_NODISCARD Error experimental_reset_execution();

  /// Valid as long as the program lives.
  MethodMeta method_meta() const;

  size_t inputs_size() const;
  size_t outputs_size() const;

  /// Output `i`, less than outputs_size(); valid until the method is gone.
  const EValue& get_output(size_t i) const;

  /// The tracer given to Program::load_method(), or null.
  EventTracer* get_event_tracer();

  /// Deprecated: use MethodMeta, set_input() and get_output().
  ET_DEPRECATED const EValue& get_input(size_t i) const;
  ET_DEPRECATED EValue& mutable_input(size_t i);
  ET_DEPRECATED EValue& mutable_output(size_t i);

  // What loading has made of the program, for descriptions of it.
  const method::Plan& internal_plan() const { return *plan_; }

 private:
  friend class Program;
  explicit Method(method::Plan* plan) : plan_(plan) {}

  method::Plan* plan_;  // owned; its memory is the method allocator's
};

}  // namespace runtime
}  // namespace executorch
