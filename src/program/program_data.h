// What a Program consists of: the verified file and access to its data.
//
// Methods and their prepared state point into it, so it stays where it is while
// the Program that owns it is moved.
#pragma once

#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/executor/pte_data_map.h>

#include <memory>
#include <optional>
#include <utility>

#include "src/format/program_file.h"
#include "src/program/shared_states.h"

namespace executorch::program {

namespace fb = ::executorch_flatbuffer;

class ProgramData {
 public:
  // See Program::load().
  static runtime::Result<std::unique_ptr<ProgramData>> load(
      const runtime::DataLoader* loader);

  const fb::Program& tables() const { return *tables_; }

  // The method of this name, or null.
  const fb::ExecutionPlan* find_method(const char* name) const;

  // The first `nbytes` bytes of a constant.
  runtime::Result<const void*> constant(size_t index, size_t nbytes) const;

  // A whole segment; `index` was verified.
  runtime::Result<runtime::FreeableBuffer> load_segment(
      size_t index, runtime::DataLoader::SegmentInfo info) const;

  // The first value of a variable; the indices were verified.
  runtime::Error load_first_value(size_t list, size_t index, void* buffer,
                                  size_t nbytes) const;

  // Null if the file has no named data.
  const runtime::NamedDataMap* named_data() const {
    return named_data_ ? &*named_data_ : nullptr;
  }

  SharedStates& shared_states() const { return shared_states_; }

 private:
  ProgramData(const runtime::DataLoader* loader,
              const format::ProgramLayout& layout,
              runtime::FreeableBuffer&& bytes, const fb::Program* tables,
              runtime::FreeableBuffer&& constants)
      : loader_(loader),
        segment_base_(layout.segment_base),
        bytes_(std::move(bytes)),
        tables_(tables),
        constants_(std::move(constants)) {}

  const runtime::DataLoader* loader_;
  size_t segment_base_;
  runtime::FreeableBuffer bytes_;
  const fb::Program* tables_;
  runtime::FreeableBuffer constants_;  // the constant segment, if there is one
  std::optional<runtime::internal::PteDataMap> named_data_;
  mutable SharedStates shared_states_;
};

}  // namespace executorch::program
