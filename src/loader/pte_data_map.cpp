#include <executorch/runtime/executor/pte_data_map.h>

#include "src/format/program_file.h"
#include "src/loader/named_segments.h"

namespace executorch {
namespace runtime {
namespace internal {

namespace {

// Named data is for delegates.
const DataLoader::SegmentInfo kBackend(DataLoader::SegmentInfo::Type::Backend);

}  // namespace

Result<PteDataMap> PteDataMap::create(
    const DataLoader* loader, size_t segment_base_offset,
    const executorch_flatbuffer::Program* program) {
  ET_CHECK_OR_RETURN_ERROR(
      loader != nullptr && program != nullptr &&
          program->named_data() != nullptr && program->segments() != nullptr,
      InvalidArgument, "no data loader, or a program without named data");
  return PteDataMap(loader, segment_base_offset, program);
}

Result<const TensorLayout> PteDataMap::get_tensor_layout(
    std::string_view) const {
  return Error::NotImplemented;
}

Result<FreeableBuffer> PteDataMap::get_data(std::string_view key) const {
  ET_ASSIGN_OR_RETURN(data, loader::find_named(*program_->named_data(), key));
  return loader::load_segment(*loader_, segment_base_offset_,
                              *program_->segments(), data->segment_index(),
                              kBackend);
}

Error PteDataMap::load_data_into(std::string_view key, void* buffer,
                                 size_t size) const {
  ET_ASSIGN_OR_RETURN(data, loader::find_named(*program_->named_data(), key));
  return loader::load_segment_into(*loader_, segment_base_offset_,
                                   *program_->segments(), data->segment_index(),
                                   kBackend, buffer, size);
}

Result<uint32_t> PteDataMap::get_num_keys() const {
  return program_->named_data()->size();
}

Result<const char*> PteDataMap::get_key(uint32_t index) const {
  return loader::name_at(*program_->named_data(), index);
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
