// Where data behind the flatbuffer of a .pte file lies.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/format/program_file.h"

namespace executorch::format {

// From an offset in a segment to the end of it.
struct SegmentTail {
  uint32_t segment = 0;  // index into Program.segments
  uint64_t offset = 0;   // from the start of the segment
  uint64_t size = 0;
};

// The data that entry `index` of `offsets` points to; false if there is no such
// entry or it is outside of its segment. `offsets` may be null. The segments of
// the program were checked before.
bool find_tail(const fb::Program& program, const fb::SubsegmentOffsets* offsets,
               size_t index, SegmentTail* tail);

// Whether constants are in a segment. If not, they are inline.
bool has_constant_segment(const fb::Program& program);

// Bytes from the start of constant `index`; false if there is no such constant.
bool constant_size(const fb::Program& program, size_t index, uint64_t* size);

}  // namespace executorch::format
