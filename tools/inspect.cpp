// executorch inspect: what a model takes, gives and needs.
#include <executorch/extension/module/module.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "test/support/method_memory.h"
#include "tools/common.h"
#include "tools/method_text.h"

namespace executorch::tools {
namespace {

using extension::Module;
using extension::inspect::DelegateInfo;
using extension::inspect::InstructionInfo;
using extension::inspect::OperatorInfo;
using runtime::Program;
using runtime::Tag;

bool is_constant(const ValueInfo& value) {
  return value.storage == ValueInfo::Storage::Constant ||
         value.storage == ValueInfo::Storage::External;
}

// The instructions that are run as one, by the first of them.
std::map<size_t, std::vector<size_t>> fused_groups(const MethodInfo& method) {
  std::map<size_t, std::vector<size_t>> groups;
  for (size_t i = 0; i < method.instructions.size(); ++i) {
    const size_t by = method.instructions[i].done_by;
    if (by != i && by != InstructionInfo::kAtLoad) {
      groups.try_emplace(by, 1, by).first->second.push_back(i);
    }
  }
  return groups;
}

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
  return rows(counts, [](const auto& one) {
    return Report{{"calls", one.second}, {"operators", one.first}};
  });
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
  const auto at_load =
      std::count_if(code.begin(), code.end(), [](const InstructionInfo& one) {
        return one.done_by == InstructionInfo::kAtLoad;
      });
  return {{"name", method.name},
          {"inputs", rows(method.inputs, value_at)},
          {"outputs", rows(method.outputs, value_at)},
          {"planned_buffers", memory.planned_buffers},
          {"constants", rows(constants, describe_value)},
          {"instructions", code.size()},
          {"computed_at_load", at_load},
          {"operators", rows(method.operators, describe_operator)},
          {"run_as_one", describe_fused(method)},
          {"delegates", rows(method.delegates, describe_delegate)}};
}

// The method in the language of Graphviz: nodes are instructions, inputs,
// constants and outputs; edges are tensors. JSON quotes a text as Graphviz
// does.
class Graph {
 public:
  explicit Graph(const MethodInfo& method) : method_(method) {}

  void print() {
    std::cout << "digraph " << Report(method_.name)
              << " {\n  node [shape=box, fontname=Helvetica];\n";
    for (size_t i = 0; i < method_.inputs.size(); ++i) {
      makes(terminal("input", i, method_.inputs[i]), method_.inputs[i]);
    }
    for (size_t i = 0; i < method_.instructions.size(); ++i) {
      instruction("n" + std::to_string(i), method_.instructions[i]);
    }
    for (size_t i = 0; i < method_.outputs.size(); ++i) {
      reads(terminal("output", i, method_.outputs[i]), method_.outputs[i]);
    }
    for (const auto& [first, group] : fused_groups(method_)) {
      const auto name = [](size_t i) { return "n" + std::to_string(i) + ";"; };
      std::cout << "  subgraph cluster_" << first
                << " { label=\"run as one\"; style=rounded; "
                << joined(group, " ", name) << " }\n";
    }
    std::cout << "}\n";
  }

 private:
  using Kind = InstructionInfo::Kind;

  // Returns the name of the node.
  std::string node(const std::string& name, const std::string& label,
                   const char* style) {
    std::cout << "  " << name << " [label=" << Report(label) << style << "];\n";
    return name;
  }

  std::string terminal(const std::string& kind, size_t i, size_t value) {
    const std::string name = kind + std::to_string(i);
    return node(name, name + ": " + value_text(method_.values[value]),
                ", shape=ellipse");
  }

  // The values in a list, or the value itself.
  std::vector<size_t> parts(size_t index) const {
    const ValueInfo& value = method_.values[index];
    if (value.tag != Tag::ListTensor && value.tag != Tag::ListOptionalTensor) {
      return {index};
    }
    std::vector<size_t> all;
    std::copy_if(value.items.begin(), value.items.end(),
                 std::back_inserter(all), [](int64_t i) { return i >= 0; });
    return all;
  }

  void makes(const std::string& name, size_t index) {
    for (const size_t part : parts(index)) {
      maker_[part] = name;
    }
  }

  // Edges from where the parts are made. A constant gets a node where it is
  // read first; other values that nothing makes are numbers, and not shown.
  void reads(const std::string& name, size_t index) {
    for (const size_t part : parts(index)) {
      const ValueInfo& value = method_.values[part];
      if (maker_.count(part) == 0 && is_constant(value)) {
        maker_[part] = node("c" + std::to_string(part),
                            value.name.empty() ? "constant" : value.name,
                            ", shape=plaintext");
      }
      if (const auto from = maker_.find(part); from != maker_.end()) {
        std::cout << "  " << from->second << " -> " << name
                  << " [label=" << Report(value_text(value)) << "];\n";
      }
    }
  }

  void instruction(const std::string& name, const InstructionInfo& code) {
    if (code.kind == Kind::Free) {
      return;
    }
    if (code.kind == Kind::Kernel) {
      const OperatorInfo& op = method_.operators[code.index];
      const bool at_load = code.done_by == InstructionInfo::kAtLoad;
      node(name, op.name,
           op.library.empty() ? ", color=red"
           : at_load          ? ", style=dashed"
                              : "");
    } else if (code.kind == Kind::Delegate) {
      node(name, method_.delegates[code.index].backend,
           ", style=filled, fillcolor=lightblue");
    } else if (code.kind == Kind::JumpFalse) {
      node(name, "if false go to " + std::to_string(code.index),
           ", shape=diamond");
    } else {
      node(name, "move", "");
    }
    for (size_t i = 0; i < code.args.size(); ++i) {
      is_result(code, i) ? makes(name, code.args[i])
                         : reads(name, code.args[i]);
    }
  }

  bool is_result(const InstructionInfo& code, size_t i) const {
    const auto& args = code.args;
    if (code.kind == Kind::JumpFalse) {
      return false;
    }
    if (code.kind == Kind::Delegate) {  // its inputs were made before
      return maker_.count(args[i]) == 0 &&
             !is_constant(method_.values[args[i]]);
    }
    // The last one; an out argument comes again as the returned value.
    return args[i] == args.back() && i + 2 >= args.size();
  }

  const MethodInfo& method_;
  std::map<size_t, std::string> maker_;  // node by value
};

// With what loading makes of the method, if it can be loaded here.
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
  std::string model, method;
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
  if (options.as_dot && as_json) {
    throw Failure(kUsage, "give --dot or --json, not both");
  }
  if (options.as_dot) {
    return Graph(describe_loaded(program, options.method)).print();
  }
  const auto names = options.method.empty()
                         ? method_names(program)
                         : std::vector<std::string>{options.method};
  const auto methods = rows(names, [&](const std::string& name) {
    return describe_method(module, describe_loaded(program, name));
  });
  print({{"model", options.model}, {"methods", methods}});
}

const auto added = commands.insert(
    {"inspect",
     {"Show what a model takes, gives and needs", add_options, run}});

}  // namespace
}  // namespace executorch::tools
