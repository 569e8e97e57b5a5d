// Maps made of other maps: any number for applications, two for the runtime.
#include <executorch/extension/named_data_map/merged_data_map.h>
#include <executorch/runtime/executor/merged_data_map.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace merged_data_map {

using runtime::Error;
using runtime::FreeableBuffer;
using runtime::NamedDataMap;
using runtime::Result;
using runtime::Span;
using runtime::TensorLayout;

Result<MergedDataMap> MergedDataMap::load(
    Span<const NamedDataMap*> named_data_maps) {
  ET_CHECK_OR_RETURN_ERROR(named_data_maps.size() > 0, InvalidArgument,
                           "there are no data maps to merge");
  std::vector<const char*> keys;
  std::unordered_map<std::string_view, Map> owners;
  for (const NamedDataMap* map : named_data_maps) {
    ET_CHECK_OR_RETURN_ERROR(map != nullptr, InvalidArgument,
                             "a data map to merge is null");
    const auto count = map->get_num_keys();
    if (!count.ok()) {
      return count.error();
    }
    for (uint32_t i = 0; i < *count; ++i) {
      const auto key = map->get_key(i);
      if (!key.ok()) {
        return key.error();
      }
      ET_CHECK_OR_RETURN_ERROR(owners.emplace(*key, map).second,
                               InvalidArgument,
                               "the name %s is in two data maps, or twice in "
                               "one",
                               *key);
      keys.push_back(*key);
    }
  }
  return MergedDataMap(std::move(keys), std::move(owners));
}

Result<MergedDataMap::Map> MergedDataMap::owner(std::string_view key) const {
  const auto found = owners_.find(key);
  if (found == owners_.end()) {
    return Error::NotFound;
  }
  return found->second;
}

Result<const TensorLayout> MergedDataMap::get_tensor_layout(
    std::string_view key) const {
  const auto map = owner(key);
  return map.ok() ? (*map)->get_tensor_layout(key) : map.error();
}

Result<FreeableBuffer> MergedDataMap::get_data(std::string_view key) const {
  const auto map = owner(key);
  return map.ok() ? (*map)->get_data(key) : map.error();
}

Error MergedDataMap::load_data_into(std::string_view key, void* buffer,
                                    size_t size) const {
  const auto map = owner(key);
  return map.ok() ? (*map)->load_data_into(key, buffer, size) : map.error();
}

Result<uint32_t> MergedDataMap::get_num_keys() const {
  return static_cast<uint32_t>(keys_.size());
}

Result<const char*> MergedDataMap::get_key(uint32_t index) const {
  ET_CHECK_OR_RETURN_ERROR(index < keys_.size(), InvalidArgument,
                           "name %u of %zu does not exist", index,
                           keys_.size());
  return keys_[index];
}

}  // namespace merged_data_map
}  // namespace extension

namespace runtime {
namespace internal {

namespace {

// Maps whose data is no tensors may leave layouts out.
bool not_there(Error error) {
  return error == Error::NotFound || error == Error::NotImplemented;
}

}  // namespace

Result<MergedDataMap> MergedDataMap::load(const NamedDataMap* first,
                                          const NamedDataMap* second) {
  ET_CHECK_OR_RETURN_ERROR(first != nullptr && second != nullptr,
                           InvalidArgument, "a data map to merge is null");
  const NamedDataMap* maps[] = {first, second};
  // Reports names that are in both.
  ET_ASSIGN_OR_RETURN(merged, extension::merged_data_map::MergedDataMap::load(
                                  Span<const NamedDataMap*>(maps, 2)));
  return MergedDataMap(first, second);
}

Result<const TensorLayout> MergedDataMap::get_tensor_layout(
    std::string_view key) const {
  auto layout = first_->get_tensor_layout(key);
  if (layout.ok() || !not_there(layout.error())) {
    return layout;
  }
  return second_->get_tensor_layout(key);
}

Result<FreeableBuffer> MergedDataMap::get_data(std::string_view key) const {
  auto data = first_->get_data(key);
  if (data.ok() || !not_there(data.error())) {
    return data;
  }
  return second_->get_data(key);
}

Error MergedDataMap::load_data_into(std::string_view key, void* buffer,
                                    size_t size) const {
  const Error error = first_->load_data_into(key, buffer, size);
  return not_there(error) ? second_->load_data_into(key, buffer, size) : error;
}

Result<uint32_t> MergedDataMap::get_num_keys() const {
  const auto first = first_->get_num_keys();
  const auto second = second_->get_num_keys();
  if (!first.ok() || !second.ok()) {
    return first.ok() ? second.error() : first.error();
  }
  return *first + *second;
}

Result<const char*> MergedDataMap::get_key(uint32_t index) const {
  ET_ASSIGN_OR_RETURN(first, first_->get_num_keys());
  return index < first ? first_->get_key(index)
                       : second_->get_key(index - first);
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
