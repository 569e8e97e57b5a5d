// Inputs and expected outputs of a test in a bundled program.
#pragma once

#include <executorch/devtools/bundled_program/bundled_program.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/result.h>

#include <cstddef>
#include <vector>

namespace executorch::bundled_program {

// Tensors refer to the file and own their shape.
runtime::Result<std::vector<runtime::EValue>> bundled_inputs(
    SerializedBundledProgram* bundle, const char* method, size_t index);

// The error of verify_method_outputs(), for outputs from anywhere.
runtime::Error verify_outputs(const std::vector<runtime::EValue>& outputs,
                              SerializedBundledProgram* bundle,
                              const char* method, size_t index, double rtol,
                              double atol);

}  // namespace executorch::bundled_program
