#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/runtime/platform/log.h>

#include <cstring>

#include "src/format/flat_tensor_file.h"
#include "src/loader/named_segments.h"

namespace executorch {
namespace extension {

using runtime::DataLoader;
using runtime::Error;
using runtime::FreeableBuffer;
using runtime::Result;
using runtime::Span;
using runtime::TensorLayout;

namespace {

const DataLoader::SegmentInfo kExternal(
    DataLoader::SegmentInfo::Type::External);

// The header of a file of `file_size` bytes, with parts inside of it.
Result<FlatTensorHeader> load_header(const DataLoader& loader,
                                     size_t file_size) {
  ET_CHECK_OR_RETURN_ERROR(
      file_size >= FlatTensorHeader::kNumHeadBytes, InvalidExternalData,
      "a file of %zu bytes is too short for a .ptd file", file_size);
  ET_ASSIGN_OR_RETURN(
      head, loader.load(0, FlatTensorHeader::kNumHeadBytes, kExternal));
  const auto header = FlatTensorHeader::Parse(head.data(), head.size());
  if (!header.ok()) {
    ET_LOG(Error, "not a .ptd file, or its header is damaged");
    return Error::InvalidExternalData;
  }
  const uint64_t base = header->segment_base_offset;
  ET_CHECK_OR_RETURN_ERROR(
      base <= file_size && header->segment_data_size <= file_size - base,
      InvalidExternalData,
      "segments of %llu bytes at %llu are outside of the file of %zu bytes: it "
      "is damaged or cut off",
      static_cast<unsigned long long>(header->segment_data_size),
      static_cast<unsigned long long>(base), file_size);
  return *header;
}

}  // namespace

Result<FlatTensorHeader> FlatTensorHeader::Parse(const void* data,
                                                 size_t size) {
  ET_CHECK_OR_RETURN_ERROR(
      data != nullptr && size >= kNumHeadBytes, InvalidArgument,
      "the head of a .ptd file has %zu bytes, got %zu", kNumHeadBytes, size);
  const char* at = static_cast<const char*>(data) + kHeaderOffset;
  if (std::memcmp(at, kMagic, kMagicSize) != 0) {
    return Error::NotFound;  // callers may only want to know
  }
  uint32_t length = 0;
  uint64_t fields[4];
  std::memcpy(&length, at + kMagicSize, sizeof(length));
  std::memcpy(fields, at + kMagicSize + sizeof(length), sizeof(fields));
  const FlatTensorHeader header{fields[0], fields[1], fields[2], fields[3]};
  uint64_t end = 0;
  ET_CHECK_OR_RETURN_ERROR(
      length >= kHeaderExpectedLength &&
          !__builtin_add_overflow(header.flatbuffer_offset,
                                  header.flatbuffer_size, &end) &&
          end <= header.segment_base_offset,
      InvalidExternalData,
      "header of %u bytes: tables of %llu bytes at %llu are not before the "
      "segments at %llu",
      length, static_cast<unsigned long long>(header.flatbuffer_size),
      static_cast<unsigned long long>(header.flatbuffer_offset),
      static_cast<unsigned long long>(header.segment_base_offset));
  return header;
}

Result<FlatTensorDataMap> FlatTensorDataMap::load(DataLoader* loader) {
  ET_CHECK_OR_RETURN_ERROR(loader != nullptr, InvalidArgument,
                           "the data loader is null");
  ET_ASSIGN_OR_RETURN(file_size, loader->size());
  ET_ASSIGN_OR_RETURN(header, load_header(*loader, file_size));
  ET_ASSIGN_OR_RETURN(
      tables, loader->load(0, header.flatbuffer_offset + header.flatbuffer_size,
                           kExternal));
  ET_ASSIGN_OR_RETURN(
      flat_tensor,
      format::verify_flat_tensor(
          {static_cast<const uint8_t*>(tables.data()), tables.size()},
          header.segment_data_size));
  return FlatTensorDataMap(header, std::move(tables), flat_tensor, loader);
}

Result<const flat_tensor_flatbuffer::NamedData*> FlatTensorDataMap::find(
    std::string_view key) const {
  return loader::find_named(*flat_tensor_->named_data(), key);
}

Result<const TensorLayout> FlatTensorDataMap::get_tensor_layout(
    std::string_view key) const {
  ET_ASSIGN_OR_RETURN(data, find(key));
  const auto* layout = data->tensor_layout();
  ET_CHECK_OR_RETURN_ERROR(layout != nullptr, InvalidExternalData,
                           "the data of %.*s is not a tensor",
                           static_cast<int>(key.size()), key.data());
  return TensorLayout::create(
      Span<const int32_t>(layout->sizes()->data(), layout->sizes()->size()),
      Span<const uint8_t>(layout->dim_order()->data(),
                          layout->dim_order()->size()),
      static_cast<aten::ScalarType>(layout->scalar_type()));
}

Result<FreeableBuffer> FlatTensorDataMap::get_data(std::string_view key) const {
  ET_ASSIGN_OR_RETURN(data, find(key));
  return loader::load_segment(*loader_, header_.segment_base_offset,
                              *flat_tensor_->segments(), data->segment_index(),
                              kExternal);
}

Error FlatTensorDataMap::load_data_into(std::string_view key, void* buffer,
                                        size_t size) const {
  ET_ASSIGN_OR_RETURN(data, find(key));
  return loader::load_segment_into(
      *loader_, header_.segment_base_offset, *flat_tensor_->segments(),
      data->segment_index(), kExternal, buffer, size);
}

Result<uint32_t> FlatTensorDataMap::get_num_keys() const {
  return flat_tensor_->named_data()->size();
}

Result<const char*> FlatTensorDataMap::get_key(uint32_t index) const {
  return loader::name_at(*flat_tensor_->named_data(), index);
}

}  // namespace extension
}  // namespace executorch
