#include <executorch/runtime/platform/log.h>

#include "src/format/segments.h"
#include "src/format/verify.h"

namespace executorch::format {

using runtime::Error;
using runtime::Result;
using runtime::Span;

namespace {

// Nesting of tables in program.fbs is below 10.
constexpr size_t kMaxDepth = 32;

Error verify_segments(const fb::Program& program, const ProgramLayout& layout) {
  const size_t count = length(program.segments());
  for (size_t i = 0; i < count; ++i) {
    const uint64_t offset = program.segments()->Get(i)->offset();
    const uint64_t size = program.segments()->Get(i)->size();
    ET_CHECK_OR_RETURN_ERROR(
        offset <= layout.segments_size && size <= layout.segments_size - offset,
        InvalidProgram,
        "segment %zu: %llu bytes at %llu are outside of the %zu bytes that the "
        "extended header gives all segments",
        i, static_cast<unsigned long long>(size),
        static_cast<unsigned long long>(offset), layout.segments_size);
  }
  return Error::Ok;
}

Error verify_offsets(const fb::Program& program, const char* what,
                     const fb::SubsegmentOffsets* offsets) {
  const bool valid = offsets == nullptr || length(offsets->offsets()) == 0 ||
                     offsets->segment_index() < length(program.segments());
  ET_CHECK_OR_RETURN_ERROR(
      valid, InvalidProgram, "%s: segment %u of %zu does not exist", what,
      offsets->segment_index(), length(program.segments()));
  return Error::Ok;
}

Error verify_named_data(const fb::Program& program) {
  for (size_t i = 0; i < length(program.named_data()); ++i) {
    const fb::NamedData* data = program.named_data()->Get(i);
    ET_CHECK_OR_RETURN_ERROR(
        data->key() != nullptr &&
            data->segment_index() < length(program.segments()),
        InvalidProgram, "named data %zu has no key, or segment %u of %zu", i,
        data->segment_index(), length(program.segments()));
  }
  return Error::Ok;
}

Error verify_plans(const fb::Program& program, Budget& budget) {
  const size_t count = length(program.execution_plan());
  ET_CHECK_OR_RETURN_ERROR(count > 0, InvalidProgram,
                           "the program has no methods");
  for (size_t i = 0; i < count; ++i) {
    const fb::ExecutionPlan* plan = program.execution_plan()->Get(i);
    ET_CHECK_OR_RETURN_ERROR(plan->name() != nullptr, InvalidProgram,
                             "method %zu has no name", i);
    const PlanCheck check{program, *plan, budget};
    ET_CHECK_OK_OR_RETURN_ERROR(verify_values(check));
    ET_CHECK_OK_OR_RETURN_ERROR(verify_code(check));
  }
  return Error::Ok;
}

Error verify_meaning(const fb::Program& program, const ProgramLayout& layout) {
  ET_CHECK_OR_RETURN_ERROR(
      program.version() <= kSchemaVersion, InvalidProgram,
      "schema version %u is newer than %u, the newest known: update the SDK",
      program.version(), kSchemaVersion);
  ET_CHECK_OK_OR_RETURN_ERROR(verify_segments(program, layout));
  ET_CHECK_OK_OR_RETURN_ERROR(
      verify_offsets(program, "constants", program.constant_segment()));
  for (size_t i = 0; i < length(program.mutable_data_segments()); ++i) {
    ET_CHECK_OK_OR_RETURN_ERROR(
        verify_offsets(program, "initial values of variables",
                       program.mutable_data_segments()->Get(i)));
  }
  ET_CHECK_OK_OR_RETURN_ERROR(verify_named_data(program));
  Budget budget(layout.program_size);
  return verify_plans(program, budget);
}

}  // namespace

Result<const fb::Program*> verify_program(Span<const uint8_t> bytes,
                                          const ProgramLayout& layout) {
  ET_CHECK_OR_RETURN_ERROR(
      reinterpret_cast<uintptr_t>(bytes.data()) % kProgramAlignment == 0,
      InvalidArgument,
      "the program is at address %p, expected a multiple of %zu",
      static_cast<const void*>(bytes.data()), kProgramAlignment);
  ET_CHECK_OR_RETURN_ERROR(bytes.size() < FLATBUFFERS_MAX_BUFFER_SIZE,
                           InvalidProgram,
                           "a program of %zu bytes is too large", bytes.size());
  // A reference to a table takes 4 bytes, unless it is shared.
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), kMaxDepth,
                                 bytes.size() / sizeof(uint32_t));
  ET_CHECK_OR_RETURN_ERROR(
      fb::VerifyProgramBuffer(verifier), InvalidProgram,
      "the program of %zu bytes is damaged: its flatbuffer is inconsistent",
      bytes.size());
  const fb::Program* program = fb::GetProgram(bytes.data());
  ET_CHECK_OK_OR_RETURN_ERROR(verify_meaning(*program, layout));
  return program;
}

}  // namespace executorch::format
