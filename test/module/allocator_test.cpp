// Allocators on the heap.
#include <executorch/extension/memory_allocator/cpu_caching_malloc_allocator.h>
#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/extension/memory_allocator/memory_allocator_utils.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "src/module/temp_arena.h"

namespace executorch::extension {
namespace {

using runtime::Error;

template <class T>
std::unique_ptr<runtime::MemoryAllocator> make();
template <>
std::unique_ptr<runtime::MemoryAllocator> make<MallocMemoryAllocator>() {
  return std::make_unique<MallocMemoryAllocator>();
}
template <>
std::unique_ptr<runtime::MemoryAllocator> make<CPUCachingAllocator>() {
  return std::make_unique<CPUCachingAllocator>(1 << 20);
}
template <>
std::unique_ptr<runtime::MemoryAllocator> make<internal::TempArena>() {
  return std::make_unique<internal::TempArena>();
}

template <class T>
class HeapAllocator : public testing::Test {};
using Allocators = testing::Types<MallocMemoryAllocator, CPUCachingAllocator,
                                  internal::TempArena>;
TYPED_TEST_SUITE(HeapAllocator, Allocators);

TYPED_TEST(HeapAllocator, GivesAlignedMemoryOfItsOwn) {
  const auto allocator = make<TypeParam>();
  for (int round = 0; round < 3; ++round) {
    std::vector<std::pair<uint8_t*, size_t>> blocks;
    for (const size_t alignment : {1, 8, 64, 4096}) {
      for (const size_t size : {0, 1, 63, 100, 20000}) {
        auto* block =
            static_cast<uint8_t*>(allocator->allocate(size, alignment));
        ASSERT_NE(block, nullptr);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % alignment, 0u);
        std::memset(block, static_cast<int>(blocks.size()), size);
        blocks.emplace_back(block, size);
      }
    }
    for (size_t i = 0; i < blocks.size(); ++i) {
      for (size_t k = 0; k < blocks[i].second; ++k) {
        ASSERT_EQ(blocks[i].first[k], i);
      }
    }
    allocator->reset();
  }
}

TYPED_TEST(HeapAllocator, RefusesWhatCannotBe) {
  const auto allocator = make<TypeParam>();
  EXPECT_EQ(allocator->allocate(8, 0), nullptr);
  EXPECT_EQ(allocator->allocate(8, 6), nullptr);
  EXPECT_EQ(allocator->allocate(SIZE_MAX, 8), nullptr);
  EXPECT_EQ(allocator->allocate(SIZE_MAX - 100, 64), nullptr);
  EXPECT_NE(allocator->allocate(8, 8), nullptr);
}

TEST(CPUCachingAllocator, KeepsFreedBlocks) {
  CPUCachingAllocator allocator(1000);
  void* small = allocator.allocate(500);
  void* large = allocator.allocate(5000);
  EXPECT_NE(large, nullptr);
  allocator.reset();
  EXPECT_EQ(allocator.allocate(500), small);
}

TEST(CPUCachingAllocator, ManyThreads) {
  CPUCachingAllocator allocator(1 << 20);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 1; i < 500; ++i) {
        auto* block = static_cast<uint8_t*>(allocator.allocate(i));
        ASSERT_NE(block, nullptr);
        block[0] = 1;
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  allocator.reset();
}

TEST(TempArena, SettlesInOneChunk) {
  internal::TempArena arena;
  const auto run = [&] {
    void* first = arena.allocate(1000);
    for (int i = 0; i < 100; ++i) {
      EXPECT_NE(arena.allocate(10000, 64), nullptr);
    }
    arena.reset();
    return first;
  };
  run();
  void* settled = run();
  EXPECT_EQ(run(), settled);
}

TEST(MemoryAllocatorUtils, AlignedSize) {
  EXPECT_EQ(*utils::get_aligned_size(10, 8), 10u);
  EXPECT_EQ(*utils::get_aligned_size(10, 64), 73u);
  EXPECT_EQ(utils::get_aligned_size(SIZE_MAX, 64).error(),
            Error::InvalidArgument);
}

}  // namespace
}  // namespace executorch::extension
