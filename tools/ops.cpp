// executorch ops: what each component of this process registers.
#include <executorch/extension/inspect/program_info.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/kernel/operator_registry.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>

#include "tools/common.h"
#include "tools/method_text.h"

namespace executorch::tools {
namespace {

using aten::ScalarType;

// What stands for several dtypes in text.
const std::pair<const char*, std::set<ScalarType>> kGroups[] = {
    {"integral",
     {ScalarType::Byte, ScalarType::Char, ScalarType::Short, ScalarType::Int,
      ScalarType::Long}},
    {"floating",
     {ScalarType::Half, ScalarType::BFloat16, ScalarType::Float,
      ScalarType::Double}},
    {"complex", {ScalarType::ComplexFloat, ScalarType::ComplexDouble}},
};

Report dtype_names(const runtime::Kernel& kernel) {
  const auto dtypes = extension::inspect::dtypes_of(kernel);
  if (as_json) {
    return rows(dtypes, dtype_name);
  }
  if (dtypes.size() == static_cast<size_t>(ScalarType::Undefined)) {
    return "any";
  }
  std::set<ScalarType> left(dtypes.begin(), dtypes.end());
  std::string names;
  for (const auto& [name, group] : kGroups) {
    if (std::includes(left.begin(), left.end(), group.begin(), group.end())) {
      names += name + std::string(" ");
      for (const ScalarType dtype : group) {
        left.erase(dtype);
      }
    }
  }
  return names + joined(left, " ", dtype_name);
}

std::string filter;

// By component. A kernel that is for some dtypes only names them in its key.
Report operators() {
  std::set<Report> found;
  for (const auto& kernel : runtime::get_registered_kernels()) {
    const std::string name = kernel.name_;
    if (name.find(filter) != std::string::npos) {
      const auto library = extension::inspect::library_of(kernel);
      Report row = {{"component", component(library)},
                    {"operator", name},
                    {"dtypes", dtype_names(kernel)}};
      if (!kernel.kernel_key_.is_fallback()) {
        row["only"] = kernel.kernel_key_.data();
      }
      found.insert(row);
    }
  }
  return found;
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

void add_options(CLI::App& app) {
  app.add_option("filter", filter, "Only operators whose name contains this");
}

void run() { print({{"operators", operators()}, {"backends", backends()}}); }

const auto added = commands.insert(
    {"ops",
     {"List the operators of each component, with the dtypes of "
      "their first tensor, and the backends",
      add_options, run}});

}  // namespace
}  // namespace executorch::tools
