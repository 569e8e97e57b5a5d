// executorch inspect: what a model takes, gives and needs.
#include <executorch/extension/module/module.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <iterator>

#include "test/support/method_memory.h"
#include "tools/common.h"
#include "tools/method_text.h"

namespace executorch::tools {
namespace {

using extension::Module;
using extension::inspect::DelegateInfo;
using extension::inspect::OperatorInfo;
using runtime::Program;
using runtime::Tag;

Report describe_value(const ValueInfo& value) {
  if (value.tag != Tag::Tensor) {
    return {{"kind", runtime::tag_to_string(value.tag)}, {"value", value.text}};
  }
  // As TensorShapeDynamism and Storage count.
  static constexpr const char* kShape[] = {"static", "bounded", "unbounded"};
  static constexpr const char* kStorage[] = {"caller", "planned", "constant",
                                             ".ptd file"};
  return {{"kind", "Tensor"},
          {"dtype", dtype_name(value.dtype)},
          {"shape", value.sizes},
          {"shape_kind", kShape[static_cast<size_t>(value.dynamism)]},
          {"dim_order", value.dim_order},
          {"nbytes", value.nbytes},
          {"storage", kStorage[static_cast<size_t>(value.storage)]},
          {"name", value.name}};
}

Report describe_operator(const OperatorInfo& op) {
  const bool missing = op.library.empty();
  Report row = {{"calls", op.calls}, {"missing", missing}, {"name", op.name}};
  if (!missing) {
    row["component"] = component(op.library);
  } else if (op.component.empty()) {
    row["remedy"] = "MISSING, register it in the application";
  } else {
    row["component"] = op.component.substr(op.component.find("::") + 2);
    row["remedy"] = "MISSING, link " + op.component;
  }
  return row;
}

Report describe_delegate(const DelegateInfo& delegate) {
  Report row = {{"calls", delegate.calls},
                {"missing", !delegate.available},
                {"backend", delegate.backend},
                {"nbytes", delegate.nbytes}};
  if (!delegate.available) {
    row["remedy"] = "MISSING, link its backend";
  }
  return row;
}

// Which operators are run as one, and how often.
Report describe_fused(const MethodInfo& method) {
  std::map<std::string, size_t> counts;
  for (const auto& [first, group] : fused_groups(method)) {
    ++counts[joined(group, " + ", [&](size_t i) {
      return method.operators[method.instructions[i].index].name;
    })];
  }
  Report all = Report::array();
  for (const auto& [names, calls] : counts) {
    all.push_back({{"calls", calls}, {"operators", names}});
  }
  return all;
}

template <class Items, class Describe>
Report rows(const Items& items, Describe describe_item) {
  Report all = Report::array();
  for (const auto& item : items) {
    all.push_back(describe_item(item));
  }
  return all;
}

Report describe_method(Module& module, const MethodInfo& method) {
  const auto memory = value(module.memory_report(method.name), method.name);
  const auto value_at = [&](size_t i) {
    return describe_value(method.values[i]);
  };
  std::vector<ValueInfo> constants;
  std::copy_if(method.values.begin(), method.values.end(),
               std::back_inserter(constants), is_constant);
  const auto& code = method.instructions;
  return {{"name", method.name},
          {"inputs", rows(method.inputs, value_at)},
          {"outputs", rows(method.outputs, value_at)},
          {"planned_buffers", memory.planned_buffers},
          {"constants", rows(constants, describe_value)},
          {"instructions", code.size()},
          {"computed_at_load", std::count_if(code.begin(), code.end(),
                                             [](const InstructionInfo& one) {
                                               return one.done_by ==
                                                      InstructionInfo::kAtLoad;
                                             })},
          {"operators", rows(method.operators, describe_operator)},
          {"run_as_one", describe_fused(method)},
          {"delegates", rows(method.delegates, describe_delegate)}};
}

// The description, with what loading makes of the method if it can be loaded
// here.
MethodInfo describe_loaded(const Program& program, const std::string& name) {
  MethodInfo method = describe(program, name);
  const char* found = method.name.c_str();
  test::MethodMemory memory(value(program.method_meta(found), method.name));
  const auto loaded = program.load_method(found, memory.manager());
  if (loaded.ok()) {
    check(extension::inspect::describe_plan(*loaded, method), method.name);
  }
  return method;
}

struct {
  std::string model;
  std::string method;
  bool as_dot = false;
} options;

void add_options(CLI::App& app) {
  app.add_option("model", options.model, "The .pte file")
      ->required()
      ->check(CLI::ExistingFile);
  app.add_option("-m,--method", options.method,
                 "Only this method (default: all)");
  app.add_flag("--dot", options.as_dot,
               "Draw one method as a graph for Graphviz: | dot -Tsvg");
}

void run() {
  Module module(options.model, Module::LoadMode::Mmap);
  check(module.load(), options.model);
  const Program& program = *module.program();
  if (options.as_dot) {
    write_dot(std::cout, describe_loaded(program, options.method));
    return;
  }
  const auto names = options.method.empty()
                         ? method_names(program)
                         : std::vector<std::string>{options.method};
  const auto methods = rows(names, [&](const std::string& name) {
    return describe_method(module, describe_loaded(program, name));
  });
  print({{"model", options.model}, {"methods", methods}});
}

const Command inspect("inspect", "Show what a model takes, gives and needs",
                      add_options, run);

}  // namespace
}  // namespace executorch::tools
