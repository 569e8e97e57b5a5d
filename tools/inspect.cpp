// executorch inspect: what a model takes, gives and needs.
#include <CLI/CLI.hpp>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tools/common.h"
#include "tools/dot.h"
#include "tools/method_text.h"

namespace executorch::tools {
namespace {

using nlohmann::json;
using runtime::Tag;
using Storage = ValueInfo::Storage;

struct Options {
  std::string model;
  std::string method;
  bool as_json = false;
  bool as_dot = false;
};

json describe_value(const ValueInfo& value) {
  json result = {{"kind", kind_text(value.tag)}};
  if (value.tag != Tag::Tensor) {
    if (!value.text.empty()) {
      result["value"] = value.text;
    }
    return result;
  }
  result["dtype"] = dtype_name(value.dtype);
  result["shape"] = value.sizes;
  result["shape_kind"] = dynamism_text(value);
  result["dim_order"] = value.dim_order;
  result["nbytes"] = value.nbytes;
  result["planned"] = value.storage == Storage::Planned;
  if (!value.name.empty()) {
    result["name"] = value.name;
  }
  return result;
}

json describe_values(const MethodInfo& method,
                     const std::vector<size_t>& indices) {
  json all = json::array();
  for (const size_t index : indices) {
    all.push_back(describe_value(method.values[index]));
  }
  return all;
}

json describe_operators(const MethodInfo& method) {
  json all = json::array();
  for (const auto& op : method.operators) {
    json row = {{"name", op.name},
                {"calls", op.calls},
                {"missing", op.library.empty()},
                {"component", op.library.empty() ? "" : component(op.library)}};
    if (op.library.empty() && !op.component.empty()) {
      row["component"] = op.component.substr(op.component.find("::") + 2);
    }
    all.push_back(row);
  }
  return all;
}

json describe_all(const runtime::Program& program, const MethodInfo& method) {
  const auto meta =
      value(program.method_meta(method.name.c_str()), method.name);
  json result = {{"name", method.name},
                 {"inputs", describe_values(method, method.inputs)},
                 {"outputs", describe_values(method, method.outputs)},
                 {"instructions", method.instructions.size()},
                 {"operators", describe_operators(method)},
                 {"planned_buffers", json::array()},
                 {"constants", json::array()},
                 {"delegates", json::array()}};
  for (size_t i = 0; i < meta.num_memory_planned_buffers(); ++i) {
    result["planned_buffers"].push_back(*meta.memory_planned_buffer_size(i));
  }
  for (const auto& value : method.values) {
    if (value.storage == Storage::Constant ||
        value.storage == Storage::External) {
      json row = describe_value(value);
      row["external"] = value.storage == Storage::External;
      result["constants"].push_back(row);
    }
  }
  for (const auto& delegate : method.delegates) {
    result["delegates"].push_back({{"backend", delegate.backend},
                                   {"nbytes", delegate.nbytes},
                                   {"calls", delegate.calls},
                                   {"missing", !delegate.available}});
  }
  return result;
}

void print_values(const char* title, const MethodInfo& method,
                  const std::vector<size_t>& indices) {
  std::cout << "  " << title << "\n";
  for (size_t i = 0; i < indices.size(); ++i) {
    const ValueInfo& value = method.values[indices[i]];
    const std::string order = order_text(value);
    std::cout << "    " << i << ": " << value_text(value)
              << (order.empty() ? "" : ", " + order)
              << (value.name.empty() ? "" : ", " + value.name) << "\n";
  }
}

void print_needs(const json& method) {
  std::cout << "  planned memory\n";
  size_t index = 0;
  for (const json& bytes : method["planned_buffers"]) {
    std::cout << "    buffer " << index++ << ": " << bytes << " bytes\n";
  }
  double total = 0;
  for (const json& constant : method["constants"]) {
    total += constant["nbytes"].get<double>();
  }
  std::cout << "  constants: " << method["constants"].size() << " tensors, "
            << size_text(total) << "\n";
  for (const json& constant : method["constants"]) {
    std::cout << "    " << constant["dtype"].get<std::string>()
              << constant["shape"].dump() << " " << constant.value("name", "")
              << (constant["external"] ? " (in a .ptd file)" : "") << "\n";
  }
}

void print_operators(const json& method) {
  std::cout << "  operators in " << method["instructions"] << " instructions\n";
  for (const json& op : method["operators"]) {
    const std::string component = op["component"];
    std::string where = component;
    if (op["missing"]) {
      where = component.empty() ? "MISSING, register it in the application"
                                : "MISSING, link executorch::" + component;
    }
    std::cout << "    " << std::left << std::setw(52)
              << op["name"].get<std::string>() << std::right << std::setw(5)
              << op["calls"] << "  " << where << "\n";
  }
  for (const json& delegate : method["delegates"]) {
    std::cout << "    delegate " << delegate["backend"].get<std::string>()
              << ", " << size_text(delegate["nbytes"].get<double>()) << ", "
              << delegate["calls"] << " calls"
              << (delegate["missing"] ? ", MISSING, link its backend" : "")
              << "\n";
  }
}

void inspect(const Options& options) {
  const auto program = load_program(options.model);
  std::vector<std::string> names;
  if (options.method.empty() && !options.as_dot) {
    for (size_t i = 0; i < program->num_methods(); ++i) {
      names.push_back(*program->get_method_name(i));
    }
  } else {
    names.push_back(choose_method(*program, options.method));
  }
  json all = json::array();
  for (const std::string& name : names) {
    const MethodInfo method = describe(*program, name);
    if (options.as_dot) {
      write_dot(std::cout, method);
      continue;
    }
    all.push_back(describe_all(*program, method));
    if (!options.as_json) {
      std::cout << "method " << name << "\n";
      print_values("inputs", method, method.inputs);
      print_values("outputs", method, method.outputs);
      print_needs(all.back());
      print_operators(all.back());
    }
  }
  if (options.as_json) {
    std::cout << json{{"model", options.model}, {"methods", all}}.dump(2)
              << "\n";
  }
}

}  // namespace

void add_inspect(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("inspect", "Show what a model takes, gives and needs");
  command->add_option("model", options->model, "The .pte file")
      ->required()
      ->check(CLI::ExistingFile);
  command->add_option("-m,--method", options->method,
                      "Only this method (default: all)");
  CLI::Option* as_json =
      command->add_flag("--json", options->as_json, "Print JSON");
  command
      ->add_flag("--dot", options->as_dot,
                 "Draw one method as a graph for Graphviz: | dot -Tsvg")
      ->excludes(as_json);
  command->callback([options] { inspect(*options); });
}

}  // namespace executorch::tools
