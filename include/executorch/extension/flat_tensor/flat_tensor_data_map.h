// Named tensors of a .ptd file.
#pragma once

#include <executorch/extension/flat_tensor/serialize/flat_tensor_header.h>
#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/tensor_layout.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstdint>
#include <string_view>
#include <utility>

namespace flat_tensor_flatbuffer {
struct FlatTensor;
struct NamedData;
}  // namespace flat_tensor_flatbuffer

namespace executorch {
namespace extension {

/// The data of a .ptd file by name. All of the file's tables are checked when
/// it is loaded. Thread safe.
class ET_EXPORT FlatTensorDataMap final
    : public executorch::runtime::NamedDataMap {
 public:
  /// Newest schema version that can be read.
  static constexpr uint32_t kMaxSupportedSchemaVersion = 0;

  /// Reads the tables of a file; data is read when it is asked for.
  ///
  /// @param loader Of the file; must outlive the map.
  /// @retval InvalidArgument `loader` is null.
  /// @retval InvalidExternalData The file is not a .ptd file, or is damaged.
  static executorch::runtime::Result<FlatTensorDataMap> load(
      executorch::runtime::DataLoader* loader);

  /// Dtype and shape of a tensor; views of memory that the map owns.
  ///
  /// @retval NotFound There is no data of this name.
  /// @retval InvalidExternalData The data of this name is not a tensor.
  ET_NODISCARD
  executorch::runtime::Result<const executorch::runtime::TensorLayout>
  get_tensor_layout(std::string_view key) const override;

  /// Loads data. The buffer owns or maps it, as the loader does.
  ///
  /// @retval NotFound There is no data of this name.
  /// Or an error of the loader.
  ET_NODISCARD
  executorch::runtime::Result<executorch::runtime::FreeableBuffer> get_data(
      std::string_view key) const override;

  /// Loads the first `size` bytes of data into `buffer`.
  ///
  /// @retval NotFound There is no data of this name.
  /// @retval InvalidArgument `buffer` is null or there are fewer bytes.
  /// Or an error of the loader.
  ET_NODISCARD executorch::runtime::Error load_data_into(
      std::string_view key, void* buffer, size_t size) const override;

  /// How many names there are.
  ET_NODISCARD executorch::runtime::Result<uint32_t> get_num_keys()
      const override;

  /// Name `index`; valid as long as the map lives.
  ///
  /// @retval InvalidArgument There is no such name.
  ET_NODISCARD executorch::runtime::Result<const char*> get_key(
      uint32_t index) const override;

  FlatTensorDataMap(FlatTensorDataMap&&) noexcept = default;
  FlatTensorDataMap(const FlatTensorDataMap&) = delete;
  FlatTensorDataMap& operator=(const FlatTensorDataMap&) = delete;
  FlatTensorDataMap& operator=(FlatTensorDataMap&&) = delete;
  ~FlatTensorDataMap() override = default;

 private:
  FlatTensorDataMap(const FlatTensorHeader& header,
                    executorch::runtime::FreeableBuffer&& tables,
                    const flat_tensor_flatbuffer::FlatTensor* flat_tensor,
                    executorch::runtime::DataLoader* loader)
      : header_(header),
        tables_(std::move(tables)),
        flat_tensor_(flat_tensor),
        loader_(loader) {}

  executorch::runtime::Result<const flat_tensor_flatbuffer::NamedData*> find(
      std::string_view key) const;

  FlatTensorHeader header_;
  executorch::runtime::FreeableBuffer tables_;
  const flat_tensor_flatbuffer::FlatTensor* flat_tensor_;
  executorch::runtime::DataLoader* loader_;
};

}  // namespace extension
}  // namespace executorch
