// Prints what a library registers: owners [LIBRARY]. Without one, what the
// runtime itself holds. Then unloads it, and prints what is left of it.
#include <dlfcn.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/kernel/thread_parallel_interface.h>
#include <executorch/runtime/platform/runtime.h>

#include <cstdio>
#include <set>
#include <string>

namespace {

std::set<std::string> registered() {
  namespace runtime = executorch::runtime;
  std::set<std::string> names;
  for (const auto& kernel : runtime::get_registered_kernels()) {
    names.insert(kernel.name_);
  }
  for (size_t i = 0; i < runtime::get_num_registered_backends(); ++i) {
    names.insert(std::string("backend ") + *runtime::get_backend_name(i));
  }
  return names;
}

void run_in_parallel() {
  executorch::extension::parallel_for(0, 100, 1, [](int64_t, int64_t) {});
}

}  // namespace

int main(int argc, char** argv) {
  executorch::runtime::runtime_init();
  const std::set<std::string> before = registered();
  std::set<std::string> names = before;
  if (argc > 1) {
    void* library = dlopen(argv[1], RTLD_NOW);
    if (library == nullptr) {
      std::fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    names = registered();
    run_in_parallel();  // threads of a pool that came along must not be lost
    dlclose(library);
    run_in_parallel();
    for (const std::string& name : before) {
      names.erase(name);
    }
    for (const std::string& name : registered()) {
      if (before.count(name) == 0) {
        std::printf("after unloading: %s\n", name.c_str());
      }
    }
  }
  for (const std::string& name : names) {
    std::printf("%s\n", name.c_str());
  }
  return 0;
}
