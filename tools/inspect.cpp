// executorch inspect: what a model takes, gives and needs.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <map>

#include "test/support/method_memory.h"
#include "tools/common.h"
#include "tools/method_text.h"

namespace executorch::tools {
namespace {

using extension::inspect::InstructionInfo;
using runtime::Tag;
using Storage = ValueInfo::Storage;

Report describe_value(const ValueInfo& value) {
  if (value.tag != Tag::Tensor) {
    return {{"kind", runtime::tag_to_string(value.tag)}, {"value", value.text}};
  }
  static constexpr const char* kStorage[] = {"caller", "planned", "constant",
                                             ".ptd file"};
  using Dynamism = aten::TensorShapeDynamism;
  const char* shape_kind = value.dynamism == Dynamism::STATIC ? "static"
                           : value.dynamism == Dynamism::DYNAMIC_BOUND
                               ? "bounded"
                               : "unbounded";
  return {{"kind", "Tensor"},
          {"dtype", dtype_name(value.dtype)},
          {"shape", value.sizes},
          {"shape_kind", shape_kind},
          {"dim_order", value.dim_order},
          {"nbytes", value.nbytes},
          {"storage", kStorage[static_cast<size_t>(value.storage)]},
          {"name", value.name}};
}

Report describe_values(const MethodInfo& method,
                       const std::vector<size_t>& indices) {
  Report all = Report::array();
  for (const size_t index : indices) {
    all.push_back(describe_value(method.values[index]));
  }
  return all;
}

std::vector<size_t> constants(const MethodInfo& method) {
  std::vector<size_t> all;
  for (size_t i = 0; i < method.values.size(); ++i) {
    const Storage storage = method.values[i].storage;
    if (storage == Storage::Constant || storage == Storage::External) {
      all.push_back(i);
    }
  }
  return all;
}

Report describe_operators(const MethodInfo& method) {
  Report all = Report::array();
  for (const auto& op : method.operators) {
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
    all.push_back(row);
  }
  return all;
}

Report describe_delegates(const MethodInfo& method) {
  Report all = Report::array();
  for (const auto& delegate : method.delegates) {
    all.push_back({{"calls", delegate.calls},
                   {"missing", !delegate.available},
                   {"backend", delegate.backend},
                   {"nbytes", delegate.nbytes}});
    if (!delegate.available) {
      all.back()["remedy"] = "MISSING, link its backend";
    }
  }
  return all;
}

// The description, with what loading makes of the method if it can be loaded
// here.
MethodInfo describe_loaded(const runtime::Program& program,
                           const std::string& name) {
  MethodInfo method = describe(program, name);
  test::MethodMemory memory(value(program.method_meta(name.c_str()), name));
  const auto loaded = program.load_method(name.c_str(), memory.manager());
  if (loaded.ok()) {
    check(extension::inspect::describe_plan(*loaded, method), name);
  }
  return method;
}

// Which operators are run as one, and how often.
Report describe_fused(const MethodInfo& method) {
  std::map<size_t, std::string> groups;
  const auto operator_of = [&](size_t i) {
    return method.operators[method.instructions[i].index].name;
  };
  for (size_t i = 0; i < method.instructions.size(); ++i) {
    const size_t by = method.instructions[i].done_by;
    if (by != i && by != InstructionInfo::kAtLoad) {
      std::string& names = groups[by];
      names += (names.empty() ? operator_of(by) : "") + " + " + operator_of(i);
    }
  }
  std::map<std::string, size_t> counts;
  for (const auto& [first, names] : groups) {
    ++counts[names];
  }
  Report all = Report::array();
  for (const auto& [names, calls] : counts) {
    all.push_back({{"calls", calls}, {"operators", names}});
  }
  return all;
}

Report describe_method(const runtime::Program& program,
                       const MethodInfo& method) {
  const auto meta =
      value(program.method_meta(method.name.c_str()), method.name);
  std::vector<int64_t> planned;
  for (size_t i = 0; i < meta.num_memory_planned_buffers(); ++i) {
    planned.push_back(*meta.memory_planned_buffer_size(i));
  }
  return {{"name", method.name},
          {"inputs", describe_values(method, method.inputs)},
          {"outputs", describe_values(method, method.outputs)},
          {"planned_buffers", planned},
          {"constants", describe_values(method, constants(method))},
          {"instructions", method.instructions.size()},
          {"computed_at_load",
           std::count_if(method.instructions.begin(), method.instructions.end(),
                         [](const InstructionInfo& instruction) {
                           return instruction.done_by ==
                                  InstructionInfo::kAtLoad;
                         })},
          {"operators", describe_operators(method)},
          {"run_as_one", describe_fused(method)},
          {"delegates", describe_delegates(method)}};
}

class Inspect final : public Command {
 public:
  using Command::Command;

 private:
  void add_options(CLI::App& app) override {
    app.add_option("model", model_, "The .pte file")
        ->required()
        ->check(CLI::ExistingFile);
    app.add_option("-m,--method", method_, "Only this method (default: all)");
    app.add_flag("--dot", as_dot_,
                 "Draw one method as a graph for Graphviz: | dot -Tsvg");
  }

  void run() override {
    const auto program = load_program(model_);
    if (as_dot_) {
      write_dot(std::cout,
                describe_loaded(*program, choose_method(*program, method_)));
      return;
    }
    Report methods = Report::array();
    for (const std::string& name : method_names(*program)) {
      if (method_.empty() || name == choose_method(*program, method_)) {
        methods.push_back(
            describe_method(*program, describe_loaded(*program, name)));
      }
    }
    print({{"model", model_}, {"methods", methods}}, as_json);
  }

  std::string model_;
  std::string method_;
  bool as_dot_ = false;
};
Inspect inspect("inspect", "Show what a model takes, gives and needs");

}  // namespace
}  // namespace executorch::tools
