// Several named data maps as one.
#pragma once

#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace executorch {
namespace extension {
namespace merged_data_map {

/// Hands a name to the one map that has it. Thread safe if the maps are.
class ET_EXPORT MergedDataMap final : public executorch::runtime::NamedDataMap {
 public:
  /// Merges maps.
  ///
  /// @param named_data_maps At least one; none is null. They must outlive the
  ///     merged map.
  /// @retval InvalidArgument There is no map, one is null, or two have the same
  ///     name.
  /// Or an error of a map that cannot list its names.
  static executorch::runtime::Result<MergedDataMap> load(
      executorch::runtime::Span<const executorch::runtime::NamedDataMap*>
          named_data_maps);

  /// The answer of the map that has the name.
  ///
  /// @retval NotFound None has it.
  ET_NODISCARD
  executorch::runtime::Result<const executorch::runtime::TensorLayout>
  get_tensor_layout(std::string_view key) const override;

  /// See get_tensor_layout().
  ET_NODISCARD
  executorch::runtime::Result<executorch::runtime::FreeableBuffer> get_data(
      std::string_view key) const override;

  /// See get_tensor_layout().
  ET_NODISCARD executorch::runtime::Error load_data_into(
      std::string_view key, void* buffer, size_t size) const override;

  /// How many names all maps have.
  ET_NODISCARD executorch::runtime::Result<uint32_t> get_num_keys()
      const override;

  /// Name `index`, in the order of the maps; valid as long as its map lives.
  ///
  /// @retval InvalidArgument There is no such name.
  ET_NODISCARD executorch::runtime::Result<const char*> get_key(
      uint32_t index) const override;

  MergedDataMap(MergedDataMap&&) noexcept = default;
  MergedDataMap(const MergedDataMap&) = delete;
  MergedDataMap& operator=(const MergedDataMap&) = delete;
  MergedDataMap& operator=(MergedDataMap&&) = delete;
  ~MergedDataMap() override = default;

 private:
  using Map = const executorch::runtime::NamedDataMap*;

  MergedDataMap(std::vector<const char*> keys,
                std::unordered_map<std::string_view, Map> owners)
      : keys_(std::move(keys)), owners_(std::move(owners)) {}

  executorch::runtime::Result<Map> owner(std::string_view key) const;

  // Names are owned by the maps.
  std::vector<const char*> keys_;
  std::unordered_map<std::string_view, Map> owners_;
};

}  // namespace merged_data_map
}  // namespace extension
}  // namespace executorch
