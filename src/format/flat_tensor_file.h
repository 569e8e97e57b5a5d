// The tables of a .ptd file, checked as those of a program are.
#pragma once

#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

#include <cstddef>
#include <cstdint>

#include "src/format/flat_tensor_generated.h"

namespace executorch::format {

// Newest schema version that can be read.
constexpr uint32_t kFlatTensorVersion = 0;

// The tables in `bytes`, which then holds true: vectors and names are not null,
// segments are inside of the `segments_size` bytes behind the tables, and the
// shape of every tensor can be used and fits into its segment.
runtime::Result<const flat_tensor_flatbuffer::FlatTensor*> verify_flat_tensor(
    runtime::Span<const uint8_t> bytes, uint64_t segments_size);

}  // namespace executorch::format
