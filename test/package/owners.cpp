// Prints what a library registers: owners [LIBRARY]. Without one, what the
// runtime itself holds.
#include <dlfcn.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/kernel/operator_registry.h>
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

}  // namespace

int main(int argc, char** argv) {
  executorch::runtime::runtime_init();
  const std::set<std::string> before = registered();
  std::set<std::string> names = before;
  if (argc > 1) {
    if (dlopen(argv[1], RTLD_NOW) == nullptr) {
      std::fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    names = registered();
    for (const std::string& name : before) {
      names.erase(name);
    }
  }
  for (const std::string& name : names) {
    std::printf("%s\n", name.c_str());
  }
  return 0;
}
