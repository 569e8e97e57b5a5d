// The .pte file: where its parts are, and the check that makes the rest of the
// runtime free of checks on file data.
//
// parse_program_head() reads the first bytes, verify_program() the flatbuffer.
// What the latter returns may be read without looking at ranges or nulls again;
// the promises are listed at the function. New fields of program.fbs get their
// check in verify_program.cpp (file), verify_values.cpp (values of a method) or
// verify_code.cpp (instructions).
#pragma once

#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

#include <cstddef>
#include <cstdint>

#include "src/format/program_generated.h"

namespace executorch::format {

namespace fb = ::executorch_flatbuffer;

// Bytes from the start of a file that its head fits into.
constexpr size_t kHeadBytes = 64;

// Newest schema version that can be read.
constexpr uint32_t kSchemaVersion = 0;

// Alignment that the program must have in memory.
constexpr size_t kProgramAlignment = 8;

struct ProgramLayout {
  size_t program_size = 0;   // of the flatbuffer, at the start of the file
  size_t segment_base = 0;   // 0: there are no segments
  size_t segments_size = 0;  // bytes from the base to the end of the segments
};

enum class HeadStatus { kProgram, kOtherVersion, kNoProgram };

// Looks at the identifier; `head` has kHeadBytes bytes.
HeadStatus check_program_head(const void* head);

// Where the parts of a file of `file_size` bytes are. `head` has kHeadBytes.
runtime::Result<ProgramLayout> parse_program_head(const void* head,
                                                  size_t file_size);

// The program in `bytes`, which then holds true:
// - strings and vectors that are used are not null; every index (values,
//   operators, delegates, segments, constants, jump targets) is in range;
// - every shape has at most 16 dimensions, a dim order that is a permutation,
//   sizes and strides that do not overflow, and a dtype with a size;
// - planned tensors are inside their buffer, constants inside their segment;
// - instruction lists are not blown up by sharing: the work to read the program
//   is proportional to its size.
runtime::Result<const fb::Program*> verify_program(
    runtime::Span<const uint8_t> bytes, const ProgramLayout& layout);

// Bytes of a tensor, at its largest sizes if they may change.
size_t tensor_nbytes(const fb::Tensor& tensor);

// Length of a vector that may be absent.
template <class Vector>
size_t length(const Vector* vector) {
  return vector == nullptr ? 0 : vector->size();
}

}  // namespace executorch::format
