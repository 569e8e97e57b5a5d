// executorch ops: what each component of this process registers.
#include <executorch/extension/inspect/program_info.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/kernel/operator_registry.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tools/common.h"

namespace executorch::tools {

using nlohmann::json;

std::string component(const std::string& library) {
  const std::string file = std::filesystem::path(library).filename();
  const std::string name = file.substr(0, file.find(".so"));
  const std::string prefix = "libexecutorch";
  if (name == prefix) {
    return "runtime";
  }
  return name.rfind(prefix + "_", 0) == 0 ? name.substr(prefix.size() + 1)
                                          : file;
}

namespace {

// By component; an operator may have kernels for single dtypes.
std::map<std::string, std::set<std::string>> registered(
    const std::string& filter) {
  std::map<std::string, std::set<std::string>> all;
  for (const auto& kernel : runtime::get_registered_kernels()) {
    const std::string name = kernel.name_;
    if (name.find(filter) != std::string::npos) {
      const bool fallback = kernel.kernel_key_.is_fallback();
      all[component(extension::inspect::library_of(kernel))].insert(
          fallback ? name : name + " " + kernel.kernel_key_.data());
    }
  }
  return all;
}

json backends() {
  json all = json::array();
  for (size_t i = 0; i < runtime::get_num_registered_backends(); ++i) {
    const std::string name = value(runtime::get_backend_name(i), "backend");
    const auto* backend = runtime::get_backend_class(name.c_str());
    all.push_back(
        {{"name", name},
         {"available", backend != nullptr && backend->is_available()}});
  }
  return all;
}

void list(const std::string& filter, bool as_json) {
  const auto all = registered(filter);
  if (as_json) {
    std::cout << json{{"operators", all}, {"backends", backends()}}.dump(2)
              << "\n";
    return;
  }
  for (const auto& [name, ops] : all) {
    std::cout << name << ": " << ops.size() << " operators\n";
    for (const std::string& op : ops) {
      std::cout << "  " << op << "\n";
    }
  }
  for (const json& backend : backends()) {
    std::cout << "backend " << backend["name"].get<std::string>()
              << (backend["available"] ? "" : " (not available)") << "\n";
  }
}

}  // namespace

void add_ops(CLI::App& app) {
  struct Options {
    std::string filter;
    bool as_json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "ops", "List the operators and backends that each component has");
  command->add_option("filter", options->filter,
                      "Only operators whose name contains this");
  command->add_flag("--json", options->as_json, "Print JSON");
  command->callback([options] { list(options->filter, options->as_json); });
}

}  // namespace executorch::tools
