// The .bpte file: a program and tests of its methods.
#pragma once

#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

#include <cstddef>
#include <cstdint>

#include "src/format/bundled_program_generated.h"

namespace executorch::format {

namespace bp = ::bundled_program_flatbuffer;

// Alignment that the file must have in memory.
constexpr size_t kBundledProgramAlignment = 32;

bool is_bundled_program(runtime::Span<const uint8_t> bytes);

// The tables in `bytes`, which then hold: vectors are inside of the file, and
// there is a program.
runtime::Result<const bp::BundledProgram*> verify_bundled_program(
    runtime::Span<const uint8_t> bytes);

// A test of a method in a file that was verified. Its values are checked when
// they are used, by the function below.
runtime::Result<const bp::BundledMethodTestCase*> find_test(
    const void* bundled_program, const char* method, size_t index);

// Whether there is a value, and for a tensor: its shape can be used and it has
// as many bytes as that needs. `index` tells its place in the log.
runtime::Error check_value(const bp::Value* value, size_t index);

}  // namespace executorch::format
