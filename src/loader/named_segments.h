// Data by name: a table of names and segments, as .pte and .ptd files have it.
#pragma once

#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/log.h>

#include <cstring>
#include <string_view>

namespace executorch::loader {

// The entry of this name. Not being there is no fault: several tables may be
// asked in turn.
template <class Table>
auto find_named(const Table& table, std::string_view key)
    -> runtime::Result<decltype(table.Get(0))> {
  for (const auto* entry : table) {
    if (entry->key()->string_view() == key) {
      return entry;
    }
  }
  return runtime::Error::NotFound;
}

template <class Table>
runtime::Result<const char*> name_at(const Table& table, uint32_t index) {
  ET_CHECK_OR_RETURN_ERROR(index < table.size(), InvalidArgument,
                           "name %u of %u does not exist", index, table.size());
  return table.Get(index)->key()->c_str();
}

// Segment `index` of a file. A loader of the application may give less than it
// was asked for.
template <class Segments>
runtime::Result<runtime::FreeableBuffer> load_segment(
    const runtime::DataLoader& loader, size_t base, const Segments& segments,
    size_t index, runtime::DataLoader::SegmentInfo info) {
  const auto* segment = segments.Get(index);
  info.segment_index = index;
  auto data = loader.load(base + segment->offset(), segment->size(), info);
  ET_CHECK_OR_RETURN_ERROR(
      !data.ok() || data->size() >= segment->size(), AccessFailed,
      "the data loader gave %zu of %llu bytes of segment %zu", data->size(),
      static_cast<unsigned long long>(segment->size()), index);
  return data;
}

// The first `size` bytes of segment `index`.
template <class Segments>
runtime::Error load_segment_into(const runtime::DataLoader& loader, size_t base,
                                 const Segments& segments, size_t index,
                                 runtime::DataLoader::SegmentInfo info,
                                 void* buffer, size_t size) {
  const auto* segment = segments.Get(index);
  info.segment_index = index;
  ET_CHECK_OR_RETURN_ERROR(
      buffer != nullptr && size <= segment->size(), InvalidArgument,
      "%zu bytes of data of %llu bytes are asked for, or the buffer is null",
      size, static_cast<unsigned long long>(segment->size()));
  return loader.load_into(base + segment->offset(), size, info, buffer);
}

}  // namespace executorch::loader
