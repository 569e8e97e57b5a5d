#include "src/format/segments.h"

namespace executorch::format {

bool find_tail(const fb::Program& program, const fb::SubsegmentOffsets* offsets,
               size_t index, SegmentTail* tail) {
  if (offsets == nullptr || index >= length(offsets->offsets()) ||
      offsets->segment_index() >= length(program.segments())) {
    return false;
  }
  tail->segment = offsets->segment_index();
  tail->offset = offsets->offsets()->Get(index);
  const uint64_t segment_size = program.segments()->Get(tail->segment)->size();
  if (tail->offset > segment_size) {
    return false;
  }
  tail->size = segment_size - tail->offset;
  return true;
}

bool has_constant_segment(const fb::Program& program) {
  return program.constant_segment() != nullptr &&
         length(program.constant_segment()->offsets()) > 0;
}

bool constant_size(const fb::Program& program, size_t index, uint64_t* size) {
  if (has_constant_segment(program)) {
    SegmentTail tail;
    const bool found =
        find_tail(program, program.constant_segment(), index, &tail);
    *size = tail.size;
    return found;
  }
  if (index >= length(program.constant_buffer())) {
    return false;
  }
  *size = length(program.constant_buffer()->Get(index)->storage());
  return true;
}

}  // namespace executorch::format
