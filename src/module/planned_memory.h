// The buffers that a program plans for a method.
#pragma once

#include <executorch/runtime/core/device_memory_buffer.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/executor/method_meta.h>
#include <executorch/runtime/executor/program.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace executorch::extension::internal {

// Buffers that all methods of a Module use together: the first ones, each as
// large as the largest method needs.
class SharedArenas {
 public:
  static constexpr size_t kCount = 2;

  // Allocates them, if that was not done.
  runtime::Error allocate(const runtime::Program& program);
  const std::shared_ptr<void>& at(size_t index) const { return memory_[index]; }

 private:
  std::vector<std::shared_ptr<void>> memory_;
};

class PlannedMemory {
 public:
  // Allocates the buffers of a method, zeroed, each on its device. Those that
  // are in `arenas`, if not null, are taken from there.
  static runtime::Result<std::unique_ptr<PlannedMemory>> allocate(
      const runtime::MethodMeta& meta, const SharedArenas* arenas);

  runtime::HierarchicalAllocator* allocator() { return &*allocator_; }

 private:
  runtime::Error add_buffer(const runtime::MethodMeta& meta, size_t index,
                            const SharedArenas* arenas);

  std::vector<std::shared_ptr<void>> memory_;
  std::vector<runtime::DeviceMemoryBuffer> device_memory_;
  std::vector<runtime::Span<uint8_t>> spans_;
  std::vector<aten::Device> devices_;
  std::optional<runtime::HierarchicalAllocator> allocator_;
};

}  // namespace executorch::extension::internal
