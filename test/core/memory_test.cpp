// Allocators, buffers and devices at their edges.
#include <executorch/runtime/core/device_allocator.h>
#include <executorch/runtime/core/device_memory_buffer.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <utility>

namespace executorch::runtime {
namespace {

TEST(MemoryAllocatorTest, GivesWhatFits) {
  struct {
    size_t used, size, alignment;
    bool fits;
  } const cases[] = {
      {0, 64, 1, true},
      {0, 65, 1, false},
      {0, 0, 8, true},
      {60, 4, 4, true},
      {60, 5, 4, false},
      {57, 4, 8, false},
      {0, 8, 3, false},
      {0, 8, 0, false},
      {0, SIZE_MAX, 1, false},
      {1, SIZE_MAX, 64, false},
      {64, 0, 1, true},
      {64, 1, 1, false},
      {0, 1, size_t(1) << 63, false},
  };
  for (const auto& c : cases) {
    alignas(64) uint8_t memory[64];
    MemoryAllocator allocator(sizeof(memory), memory);
    ASSERT_NE(allocator.allocate(c.used, 1), nullptr);
    auto* got = static_cast<uint8_t*>(allocator.allocate(c.size, c.alignment));
    EXPECT_EQ(got != nullptr, c.fits)
        << c.used << " " << c.size << " " << c.alignment;
    if (got != nullptr) {
      EXPECT_EQ(reinterpret_cast<uintptr_t>(got) % c.alignment, 0u);
      EXPECT_GE(got, memory + c.used);
      EXPECT_LE(got + c.size, memory + sizeof(memory));
    } else {
      EXPECT_EQ(allocator.used_size(), c.used);
    }
  }
}

TEST(MemoryAllocatorTest, CountsAndStartsAgain) {
  alignas(8) uint8_t memory[64];
  MemoryAllocator allocator(sizeof(memory), memory);
  EXPECT_NE(allocator.allocateInstance<uint64_t>(), nullptr);
  EXPECT_NE(allocator.allocateList<uint32_t>(4), nullptr);
  EXPECT_EQ(allocator.allocateList<uint64_t>(SIZE_MAX / 4), nullptr);
  EXPECT_EQ(allocator.used_size(), 24u);
  EXPECT_EQ(allocator.free_size(), 40u);
  allocator.reset();
  EXPECT_EQ(allocator.used_size(), 0u);
  EXPECT_EQ(allocator.base_address(), memory);
  MemoryAllocator none(0, nullptr);
  EXPECT_EQ(none.allocate(1), nullptr);
  EXPECT_DEATH(MemoryAllocator(1, nullptr), "no memory given");
}

TEST(HierarchicalAllocatorTest, FindsPlacesInsideOfBuffers) {
  uint8_t first[32];
  uint8_t second[64];
  Span<uint8_t> buffers[] = {{first, 32}, {second, 64}};
  HierarchicalAllocator allocator{Span<Span<uint8_t>>(buffers)};
  struct {
    uint32_t id;
    size_t offset, size;
    Error error;
    const void* address;
  } const cases[] = {
      {0, 0, 32, Error::Ok, first},
      {1, 16, 48, Error::Ok, second + 16},
      {1, 64, 0, Error::Ok, second + 64},
      {0, 0, 33, Error::MemoryAllocationFailed, nullptr},
      {0, 32, 1, Error::MemoryAllocationFailed, nullptr},
      {0, SIZE_MAX, 1, Error::InvalidArgument, nullptr},
      {0, 1, SIZE_MAX, Error::InvalidArgument, nullptr},
      {2, 0, 0, Error::InvalidArgument, nullptr},
  };
  for (const auto& c : cases) {
    const auto got = allocator.get_offset_address(c.id, c.offset, c.size);
    ASSERT_EQ(got.error(), c.error);
    if (got.ok()) {
      EXPECT_EQ(*got, c.address);
    }
  }
}

TEST(FreeableBufferTest, FreesOnce) {
  int freed = 0;
  char bytes[4] = {};
  const auto count = [](void* context, void*, size_t) {
    ++*static_cast<int*>(context);
  };
  const auto count_number = [](void* context, uint64_t, size_t) {
    ++*static_cast<int*>(context);
  };
  {
    FreeableBuffer first(bytes, 4, count, &freed);
    FreeableBuffer second(std::move(first));
    EXPECT_EQ(first.data(), nullptr);
    EXPECT_EQ(second.data(), bytes);
    second.Free();
    EXPECT_EQ(second.size(), 0u);
    second.Free();
  }
  EXPECT_EQ(freed, 1);
  {
    FreeableBuffer number(uint64_t(7), 4, count_number, &freed);
    FreeableBuffer moved(std::move(number));
    EXPECT_EQ(moved.data_uint64_type().get(), 7u);
    EXPECT_EQ(moved.data_safe().error(), Error::InvalidType);
    EXPECT_DEATH(moved.data(), "a number");
  }
  EXPECT_EQ(freed, 2);
}

// Memory of the host that plays a device.
class HostDevice final : public DeviceAllocator {
 public:
  Result<void*> allocate(size_t nbytes, etensor::DeviceIndex, size_t) override {
    if (nbytes > 1000) {
      return Error::MemoryAllocationFailed;
    }
    ++live;
    return std::malloc(nbytes);
  }
  void deallocate(void* ptr, etensor::DeviceIndex) override {
    --live;
    std::free(ptr);
  }
  Error copy_host_to_device(void*, const void*, size_t,
                            etensor::DeviceIndex) override {
    return Error::NotImplemented;
  }
  Error copy_device_to_host(void*, const void*, size_t,
                            etensor::DeviceIndex) override {
    return Error::NotImplemented;
  }
  etensor::DeviceType device_type() const override {
    return etensor::DeviceType::CUDA;
  }
  int live = 0;
};

TEST(DeviceAllocatorTest, TheFirstOfAKindStays) {
  static HostDevice device;
  static HostDevice other;
  constexpr auto kCuda = etensor::DeviceType::CUDA;
  EXPECT_EQ(DeviceMemoryBuffer::create(8, kCuda).error(), Error::NotFound);
  register_device_allocator(nullptr);
  register_device_allocator(&device);
  register_device_allocator(&other);
  EXPECT_EQ(get_device_allocator(kCuda), &device);
  EXPECT_EQ(get_device_allocator(static_cast<etensor::DeviceType>(-1)),
            nullptr);
  {
    auto buffer = DeviceMemoryBuffer::create(8, kCuda);
    ASSERT_TRUE(buffer.ok());
    DeviceMemoryBuffer moved(std::move(*buffer));
    EXPECT_EQ(moved.as_span().size(), 8u);
    moved = DeviceMemoryBuffer();
    EXPECT_EQ(device.live, 0);
    auto second = DeviceMemoryBuffer::create(16, kCuda);
    moved = std::move(*second);
    EXPECT_EQ(device.live, 1);
  }
  EXPECT_EQ(device.live, 0);
  EXPECT_EQ(DeviceMemoryBuffer::create(2000, kCuda).error(),
            Error::MemoryAllocationFailed);
}

}  // namespace
}  // namespace executorch::runtime
