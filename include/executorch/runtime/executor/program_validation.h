// Checks of a program's tensors and lists, for code that reads flatbuffers
// itself. Program::load() makes these checks, and more, on every load.
#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch_flatbuffer {
struct Program;
struct Tensor;
}  // namespace executorch_flatbuffer

namespace executorch {
namespace runtime {

/// Whether dtype, sizes and dim order of a tensor can be used: known dtype, at
/// most 16 non-negative sizes, a dim order that is a permutation, and a number
/// of bytes that does not overflow.
///
/// @param tensor A tensor of a flatbuffer that a verifier has accepted.
/// @retval InvalidProgram They cannot; the log line says why.
ET_NODISCARD ET_EXPORT Error
validate_tensor(const executorch_flatbuffer::Tensor* tensor);

/// Whether all values of all methods are sound: tensors as in validate_tensor()
/// with their memory and data in range, and lists whose items have the right
/// kind.
///
/// @param program A flatbuffer that a verifier has accepted.
/// @retval InvalidProgram They are not; the log line says which and why.
ET_NODISCARD ET_EXPORT Error
validate_program(const executorch_flatbuffer::Program* program);

}  // namespace runtime
}  // namespace executorch
