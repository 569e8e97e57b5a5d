// Named data inside of a .pte file, such as the weights of delegates.
#pragma once

#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace executorch_flatbuffer {
struct Program;
}  // namespace executorch_flatbuffer

namespace executorch {
namespace runtime {
namespace internal {

/// Blobs by name. They have no dtype or shape. Thread safe.
class ET_EXPORT PteDataMap final : public NamedDataMap {
 public:
  /// @param loader Of the .pte file; must outlive the map.
  /// @param segment_base_offset Where segments begin in the file.
  /// @param program A program that was verified; must outlive the map.
  /// @retval InvalidArgument A pointer is null.
  static Result<PteDataMap> create(
      const DataLoader* loader, size_t segment_base_offset,
      const executorch_flatbuffer::Program* program);

  /// @retval NotImplemented Always.
  ET_NODISCARD Result<const TensorLayout> get_tensor_layout(
      std::string_view key) const override;

  /// Loads a blob. The buffer owns or maps it, as the loader does.
  ///
  /// @retval NotFound There is no such name.
  ET_NODISCARD Result<FreeableBuffer> get_data(
      std::string_view key) const override;

  /// Loads the first `size` bytes of a blob into `buffer`.
  ///
  /// @retval NotFound There is no such name.
  /// @retval InvalidArgument The blob is shorter, or `buffer` is null.
  ET_NODISCARD Error load_data_into(std::string_view key, void* buffer,
                                    size_t size) const override;

  ET_NODISCARD Result<uint32_t> get_num_keys() const override;

  /// @retval InvalidArgument There is no such name.
  ET_NODISCARD Result<const char*> get_key(uint32_t index) const override;

  PteDataMap(PteDataMap&&) noexcept = default;
  PteDataMap(const PteDataMap&) = delete;
  PteDataMap& operator=(const PteDataMap&) = delete;
  PteDataMap& operator=(PteDataMap&&) = delete;
  ~PteDataMap() override = default;

 private:
  PteDataMap(const DataLoader* loader, size_t segment_base_offset,
             const executorch_flatbuffer::Program* program)
      : loader_(loader),
        segment_base_offset_(segment_base_offset),
        program_(program) {}

  const DataLoader* loader_;
  size_t segment_base_offset_;
  const executorch_flatbuffer::Program* program_;
};

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
