#include "kernels/common/scratch.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

namespace executorch::kernels {
namespace {

struct Block {
  void* data = nullptr;
  size_t size = 0;
};

// What one thread keeps: the few blocks that a kernel holds at a time.
struct Kept {
  static constexpr size_t kLargest = size_t{64} << 20;
  static constexpr size_t kStep = 4096;
  Block blocks[8];

  ~Kept() {
    for (Block& block : blocks) {
      std::free(block.data);
    }
  }

  // The smallest block that fits; else the smallest of all makes room for it.
  Block take(size_t bytes) {
    Block* best = nullptr;
    for (Block& block : blocks) {
      if (block.size >= bytes && block.data != nullptr &&
          (best == nullptr || block.size < best->size)) {
        best = &block;
      }
    }
    return best != nullptr ? std::exchange(*best, Block()) : Block();
  }

  void give(Block block) {
    Block* smallest = std::min_element(
        std::begin(blocks), std::end(blocks),
        [](const Block& a, const Block& b) { return a.size < b.size; });
    if (block.size <= kLargest && block.size > smallest->size) {
      std::swap(*smallest, block);
    }
    std::free(block.data);
  }
};

Kept& kept() {
  thread_local Kept instance;
  return instance;
}

}  // namespace

bool Scratch::reserve(size_t bytes) {
  release();
  if (bytes > SIZE_MAX / 2) {
    return false;
  }
  const size_t size = (std::max<size_t>(bytes, 1) + Kept::kStep - 1) /
                      Kept::kStep * Kept::kStep;
  Block block = kept().take(size);
  if (block.data == nullptr) {
    block = {std::aligned_alloc(kAlignment, size), size};
  }
  data_ = block.data;
  size_ = data_ != nullptr ? block.size : 0;
  return data_ != nullptr;
}

void Scratch::release() {
  if (data_ != nullptr) {
    kept().give({std::exchange(data_, nullptr), std::exchange(size_, 0)});
  }
}

}  // namespace executorch::kernels
