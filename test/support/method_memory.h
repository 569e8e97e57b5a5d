// The memory that a method lives in.
#pragma once

#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/runtime/executor/program.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace executorch::test {

// Planned buffers of the sizes that a method asks for, zeroed.
class MethodMemory {
 public:
  explicit MethodMemory(const runtime::MethodMeta& meta) {
    for (size_t i = 0; i < meta.num_memory_planned_buffers(); ++i) {
      const auto size =
          static_cast<size_t>(meta.memory_planned_buffer_size(i).get());
      buffers_.emplace_back(size / sizeof(CacheLine) + 1);
      spans_.emplace_back(reinterpret_cast<uint8_t*>(buffers_.back().data()),
                          size);
    }
    planned_.emplace(
        runtime::Span<runtime::Span<uint8_t>>(spans_.data(), spans_.size()));
    manager_.emplace(&method_, &*planned_, &temp_);
  }

  runtime::MemoryManager* manager() { return &*manager_; }
  float* buffer() { return reinterpret_cast<float*>(buffers_[0].data()); }

 private:
  struct alignas(64) CacheLine {
    uint8_t bytes[64];
  };
  extension::MallocMemoryAllocator method_;
  extension::MallocMemoryAllocator temp_;
  std::vector<std::vector<CacheLine>> buffers_;
  std::vector<runtime::Span<uint8_t>> spans_;
  std::optional<runtime::HierarchicalAllocator> planned_;
  std::optional<runtime::MemoryManager> manager_;
};

}  // namespace executorch::test
