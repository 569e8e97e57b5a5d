// Two named data maps as one: data inside and outside of a program.
#pragma once

#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstdint>
#include <string_view>

namespace executorch {
namespace runtime {
namespace internal {

/// Asks the first map, and the second for what the first has not.
class ET_EXPORT MergedDataMap final : public NamedDataMap {
 public:
  /// @param first Not null; must outlive the merged map.
  /// @param second Likewise.
  /// @retval InvalidArgument A map is null, or both have the same name.
  static Result<MergedDataMap> load(const NamedDataMap* first,
                                    const NamedDataMap* second);

  ET_NODISCARD Result<const TensorLayout> get_tensor_layout(
      std::string_view key) const override;

  ET_NODISCARD Result<FreeableBuffer> get_data(
      std::string_view key) const override;

  ET_NODISCARD Error load_data_into(std::string_view key, void* buffer,
                                    size_t size) const override;

  ET_NODISCARD Result<uint32_t> get_num_keys() const override;

  ET_NODISCARD Result<const char*> get_key(uint32_t index) const override;

  MergedDataMap(MergedDataMap&&) noexcept = default;
  MergedDataMap(const MergedDataMap&) = delete;
  MergedDataMap& operator=(const MergedDataMap&) = delete;
  MergedDataMap& operator=(MergedDataMap&&) = delete;
  ~MergedDataMap() override = default;

 private:
  MergedDataMap(const NamedDataMap* first, const NamedDataMap* second)
      : first_(first), second_(second) {}

  const NamedDataMap* first_;
  const NamedDataMap* second_;
};

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
