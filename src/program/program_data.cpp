#include "src/program/program_data.h"

#include <executorch/runtime/platform/log.h>

#include <new>

#include "src/format/segments.h"
#include "src/loader/named_segments.h"

namespace executorch::program {

using runtime::DataLoader;
using runtime::Error;
using runtime::FreeableBuffer;
using runtime::Result;

namespace {

using SegmentInfo = DataLoader::SegmentInfo;

// Bytes from the start of the file; a loader of the application may give less
// than it was asked for.
Result<FreeableBuffer> load_start(const DataLoader& loader, size_t size) {
  auto bytes = loader.load(0, size, SegmentInfo(SegmentInfo::Type::Program));
  ET_CHECK_OR_RETURN_ERROR(!bytes.ok() || bytes->size() >= size, AccessFailed,
                           "the data loader gave %zu of %zu bytes",
                           bytes->size(), size);
  return bytes;
}

Result<format::ProgramLayout> load_layout(const DataLoader& loader) {
  ET_ASSIGN_OR_RETURN(file_size, loader.size());
  ET_CHECK_OR_RETURN_ERROR(file_size >= format::kHeadBytes, InvalidArgument,
                           "a file of %zu bytes is too short for a program",
                           file_size);
  ET_ASSIGN_OR_RETURN(head, load_start(loader, format::kHeadBytes));
  return format::parse_program_head(head.data(), file_size);
}

Result<FreeableBuffer> load_constants(const DataLoader& loader, size_t base,
                                      const fb::Program& tables) {
  if (!format::has_constant_segment(tables)) {
    return FreeableBuffer();
  }
  return loader::load_segment(loader, base, *tables.segments(),
                              tables.constant_segment()->segment_index(),
                              SegmentInfo(SegmentInfo::Type::Constant));
}

}  // namespace

Result<std::unique_ptr<ProgramData>> ProgramData::load(
    const DataLoader* loader) {
  ET_CHECK_OR_RETURN_ERROR(loader != nullptr, InvalidArgument,
                           "the data loader is null");
  ET_ASSIGN_OR_RETURN(layout, load_layout(*loader));
  ET_ASSIGN_OR_RETURN(bytes, load_start(*loader, layout.program_size));
  ET_ASSIGN_OR_RETURN(
      tables, format::verify_program({static_cast<const uint8_t*>(bytes.data()),
                                      layout.program_size},
                                     layout));
  ET_ASSIGN_OR_RETURN(constants,
                      load_constants(*loader, layout.segment_base, *tables));
  std::unique_ptr<ProgramData> data(new (std::nothrow) ProgramData(
      loader, layout, std::move(bytes), tables, std::move(constants)));
  ET_CHECK_OR_RETURN_ERROR(data != nullptr, MemoryAllocationFailed,
                           "no memory for a program");
  if (format::length(tables->named_data()) > 0) {
    ET_ASSIGN_OR_RETURN(named_data, runtime::internal::PteDataMap::create(
                                        loader, layout.segment_base, tables));
    data->named_data_.emplace(std::move(named_data));
  }
  return data;
}

const fb::ExecutionPlan* ProgramData::find_method(const char* name) const {
  for (const fb::ExecutionPlan* plan : *tables_->execution_plan()) {
    if (name != nullptr && plan->name()->string_view() == name) {
      return plan;
    }
  }
  ET_LOG(Error, "the program has no method %s, it has %u, the first is %s",
         name == nullptr ? "(null)" : name, tables_->execution_plan()->size(),
         tables_->execution_plan()->Get(0)->name()->c_str());
  return nullptr;
}

Result<const void*> ProgramData::constant(size_t index, size_t nbytes) const {
  uint64_t room = 0;
  const bool found = format::constant_size(*tables_, index, &room);
  ET_CHECK_OR_RETURN_ERROR(
      found && nbytes <= room, InvalidArgument,
      "constant %zu does not exist or has %llu bytes, %zu are asked for", index,
      static_cast<unsigned long long>(room), nbytes);
  if (format::has_constant_segment(*tables_)) {
    format::SegmentTail tail;
    format::find_tail(*tables_, tables_->constant_segment(), index, &tail);
    return static_cast<const void*>(
        static_cast<const char*>(constants_.data()) + tail.offset);
  }
  const auto* storage = tables_->constant_buffer()->Get(index)->storage();
  return static_cast<const void*>(storage == nullptr ? nullptr
                                                     : storage->data());
}

Result<FreeableBuffer> ProgramData::load_segment(size_t index,
                                                 SegmentInfo info) const {
  return loader::load_segment(*loader_, segment_base_, *tables_->segments(),
                              index, info);
}

Error ProgramData::load_first_value(size_t list, size_t index, void* buffer,
                                    size_t nbytes) const {
  format::SegmentTail tail;
  format::find_tail(*tables_, tables_->mutable_data_segments()->Get(list),
                    index, &tail);
  const fb::DataSegment* segment = tables_->segments()->Get(tail.segment);
  return loader_->load_into(
      segment_base_ + segment->offset() + tail.offset, nbytes,
      SegmentInfo(SegmentInfo::Type::Mutable, tail.segment), buffer);
}

}  // namespace executorch::program
