// Applications are built with RTTI, the library without: the type information
// of public classes must be there all the same, or this file does not link.
#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/data_loader/file_descriptor_data_loader.h>
#include <executorch/extension/data_loader/mmap_data_loader.h>
#include <executorch/extension/data_loader/shared_ptr_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/extension/memory_allocator/cpu_caching_malloc_allocator.h>
#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/named_data_map/merged_data_map.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/device_allocator.h>
#include <executorch/runtime/core/event_tracer.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <typeinfo>

namespace executorch::extension {
namespace {

class MyModule : public Module {
 public:
  using Module::load;
  using Module::Module;
  runtime::Error load(Program::Verification) override {
    return runtime::Error::NotImplemented;
  }
};

TEST(TypeInfo, OfBaseClasses) {
  MyModule derived("absent.pte");
  Module& module = derived;
  EXPECT_NE(dynamic_cast<MyModule*>(&module), nullptr);
  EXPECT_EQ(module.forward().error(), runtime::Error::NotImplemented);

  CPUCachingAllocator caching(0);
  runtime::MemoryAllocator& allocator = caching;
  EXPECT_NE(dynamic_cast<CPUCachingAllocator*>(&allocator), nullptr);
  EXPECT_EQ(dynamic_cast<MallocMemoryAllocator*>(&allocator), nullptr);
}

TEST(TypeInfo, OfEveryPublicClass) {
  const std::set<std::string> names = {
      typeid(BufferDataLoader).name(),
      typeid(FileDataLoader).name(),
      typeid(FileDescriptorDataLoader).name(),
      typeid(FlatTensorDataMap).name(),
      typeid(merged_data_map::MergedDataMap).name(),
      typeid(MmapDataLoader).name(),
      typeid(SharedPtrDataLoader).name(),
      typeid(runtime::BackendInterface).name(),
      typeid(runtime::DataLoader).name(),
      typeid(runtime::DeviceAllocator).name(),
      typeid(runtime::EventTracer).name(),
      typeid(runtime::NamedDataMap).name(),
  };
  EXPECT_EQ(names.size(), 12u);
}

}  // namespace
}  // namespace executorch::extension
