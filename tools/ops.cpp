// executorch ops: what each component of this process registers.
#include <executorch/extension/inspect/program_info.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/kernel/operator_registry.h>

#include <CLI/CLI.hpp>
#include <set>
#include <tuple>

#include "tools/common.h"
#include "tools/method_text.h"

namespace executorch::tools {
namespace {

// By component. A kernel that takes only some dtypes names them in its key.
Report operators(const std::string& filter) {
  std::set<std::tuple<std::string, std::string, std::string>> found;
  for (const auto& kernel : runtime::get_registered_kernels()) {
    const std::string name = kernel.name_;
    if (name.find(filter) != std::string::npos) {
      const auto& key = kernel.kernel_key_;
      found.emplace(component(extension::inspect::library_of(kernel)), name,
                    key.is_fallback() ? "" : key.data());
    }
  }
  Report all = Report::array();
  for (const auto& [component, name, key] : found) {
    all.push_back({{"component", component}, {"operator", name}});
    if (!key.empty()) {
      all.back()["only"] = key;
    }
  }
  return all;
}

Report backends() {
  Report all = Report::array();
  for (size_t i = 0; i < runtime::get_num_registered_backends(); ++i) {
    const std::string name = value(runtime::get_backend_name(i), "backend");
    const auto* backend = runtime::get_backend_class(name.c_str());
    all.push_back(
        {{"name", name},
         {"available", backend != nullptr && backend->is_available()}});
  }
  return all;
}

std::string filter;

void add_options(CLI::App& app) {
  app.add_option("filter", filter, "Only operators whose name contains this");
}

void run() {
  print({{"operators", operators(filter)}, {"backends", backends()}});
}

const Command ops("ops",
                  "List the operators and backends that each component has",
                  add_options, run);

}  // namespace
}  // namespace executorch::tools
