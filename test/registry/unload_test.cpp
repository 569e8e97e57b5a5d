// What is left of a kernel library when it is unloaded. unload_library.cpp is
// the library.
#include <dlfcn.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <gtest/gtest.h>

namespace executorch::runtime {
namespace {

// The library registers "unload::row.out" and "unload::public.out".
TEST(Unload, TakesTheKernelsAway) {
  for (int round = 0; round < 3; ++round) {
    void* library = dlopen(ET_TEST_KERNEL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    EXPECT_TRUE(registry_has_op_function("unload::row.out"));
    EXPECT_TRUE(registry_has_op_function("unload::public.out"));
    const auto loaded = get_registered_kernels();
    dlclose(library);
    EXPECT_FALSE(registry_has_op_function("unload::row.out"));
    EXPECT_FALSE(registry_has_op_function("unload::public.out"));
    EXPECT_EQ(get_registered_kernels().size(), loaded.size() - 2);
    EXPECT_STREQ(loaded[loaded.size() - 1].name_, "unload::public.out");
  }
}

}  // namespace
}  // namespace executorch::runtime
