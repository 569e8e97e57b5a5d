// What a method of a program takes and gives, and the memory it needs.
#pragma once

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/portable_type/device.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/core/tag.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace executorch_flatbuffer {
struct ExecutionPlan;
struct Tensor;
}  // namespace executorch_flatbuffer

namespace executorch {
namespace runtime {

/// One tensor as the program describes it. A view into the program, which must
/// outlive it and what its functions return.
class ET_EXPORT TensorInfo final {
 public:
  TensorInfo() = delete;

  /// Sizes; of a dynamic tensor the largest ones.
  Span<const int32_t> sizes() const;

  /// Dimensions from the outermost to the innermost in memory.
  Span<const uint8_t> dim_order() const;

  executorch::aten::ScalarType scalar_type() const;

  /// Whether the program provides the memory: a place in a planned buffer, or
  /// constant data.
  bool is_memory_planned() const;

  /// Bytes at sizes().
  size_t nbytes() const { return nbytes_; }

  /// Name of the tensor in the exported module ("linear.weight"), or "".
  std::string_view name() const;

 private:
  friend class MethodMeta;
  TensorInfo(const executorch_flatbuffer::Tensor* tensor, size_t nbytes)
      : tensor_(tensor), nbytes_(nbytes) {}

  const executorch_flatbuffer::Tensor* tensor_;
  size_t nbytes_;
};

/// One method as the program describes it; cheap to get, as nothing is loaded.
/// A view into the program, which must outlive it. Thread safe. An index that
/// is out of range gives InvalidArgument.
class ET_EXPORT MethodMeta final {
 public:
  MethodMeta() = delete;

  const char* name() const;

  size_t num_inputs() const;

  /// Kind of an input: Tensor, Int, Bool, Double, String or None.
  Result<Tag> input_tag(size_t index) const;

  /// A tensor input. InvalidArgument also when it is something else.
  Result<TensorInfo> input_tensor_meta(size_t index) const;

  size_t num_outputs() const;

  /// Kind of an output; see input_tag().
  Result<Tag> output_tag(size_t index) const;

  /// A tensor output. InvalidArgument also when it is something else.
  Result<TensorInfo> output_tensor_meta(size_t index) const;

  /// Tensors that have a name, such as variables of the exported module.
  size_t num_attributes() const;

  Result<TensorInfo> attribute_tensor_meta(size_t index) const;

  /// Buffers that the caller must provide to load the method.
  size_t num_memory_planned_buffers() const;

  /// Bytes in such a buffer.
  Result<int64_t> memory_planned_buffer_size(size_t index) const;

  /// Where such a buffer must be; this SDK runs programs for the CPU only.
  Result<etensor::Device> memory_planned_buffer_device(size_t index) const;

  /// Whether a delegate of this backend is in the method.
  bool uses_backend(const char* backend_name) const;

  /// Distinct backends that the method needs.
  size_t num_backends() const;

  Result<const char*> get_backend_name(size_t index) const;

  /// Instructions in all chains.
  size_t num_instructions() const;

  /// Deprecated: use num_memory_planned_buffers().
  ET_DEPRECATED size_t num_non_const_buffers() const {
    return num_memory_planned_buffers();
  }

  /// Deprecated: use memory_planned_buffer_size().
  Result<int64_t> non_const_buffer_size(size_t index) const {
    return memory_planned_buffer_size(index);
  }

 private:
  friend class Method;
  friend class Program;
  explicit MethodMeta(const executorch_flatbuffer::ExecutionPlan* plan)
      : plan_(plan) {}

  const executorch_flatbuffer::ExecutionPlan* plan_;
};

}  // namespace runtime
}  // namespace executorch
