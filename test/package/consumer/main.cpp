// Checks that the libraries of a component came into the process, and no
// others, and that the backends are those of these libraries. Prints where the
// runtime is.
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/runtime.h>
#include <link.h>

#include <cstdio>
#include <string>
#include <vector>

namespace {

std::vector<std::string> loaded_libraries() {
  std::vector<std::string> paths;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        static_cast<std::vector<std::string>*>(out)->emplace_back(
            info->dlpi_name);
        return 0;
      },
      &paths);
  return paths;
}

std::string path_of(const std::string& name) {
  for (const std::string& path : loaded_libraries()) {
    if (path.find("/" + name + ".so") != std::string::npos) {
      return path;
    }
  }
  return "";
}

bool loaded(const std::string& component) {
  return !path_of("libexecutorch_" + component).empty();
}

int check(bool ok, const char* what) {
  if (!ok) {
    std::printf("FAILED: %s\n", what);
  }
  return ok ? 0 : 1;
}

}  // namespace

int main() {
  executorch::runtime::runtime_init();
  const std::string component = COMPONENT;
  const size_t kernels = executorch::runtime::get_registered_kernels().size();
  std::printf("%s: %zu operators\nruntime: %s\n", COMPONENT, kernels,
              path_of("libexecutorch").c_str());

  int failures = 0;
  // Backends that need something which is not here are not offered.
  failures += check(executorch::runtime::get_num_registered_backends() ==
                        (loaded("backend_xnnpack") ? 1 : 0),
                    "only the backends of the libraries that are there");
  const auto* xnnpack =
      executorch::runtime::get_backend_class("XnnpackBackend");
  failures += check((xnnpack != nullptr && xnnpack->is_available()) ==
                        loaded("backend_xnnpack"),
                    "XnnpackBackend is available with its library");
  if (component == "runtime" || component == "etdump") {
    failures += check(!loaded("threadpool"), "no thread pool with " COMPONENT);
    failures += check(!loaded("kernels_optimized"), "no kernels");
  } else if (component == "all") {
    failures += check(loaded("kernels_optimized"), "the core operators");
    failures +=
        check(!loaded("kernels_quantized"), "quantized ones are opt-in");
  } else {
    failures += check(loaded(component), COMPONENT " is in the process");
    failures += check(loaded("threadpool"), "so is the thread pool");
  }
  if (component == "kernels_quantized") {
    failures += check(loaded("kernels_optimized"), "core operators come along");
    failures += check(executorch::runtime::registry_has_op_function(
                          "quantized_decomposed::quantize_per_tensor.out"),
                      "quantize_per_tensor is registered");
    failures +=
        check(executorch::runtime::registry_has_op_function("aten::add.out"),
              "add is registered");
  }
  return failures;
}
