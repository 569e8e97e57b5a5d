// executorch inspect --dot
#include "tools/common.h"
#include "tools/method_text.h"

namespace executorch::tools {
namespace {

using Kind = InstructionInfo::Kind;
using runtime::Tag;

// Nodes are instructions, inputs, constants and outputs; edges are tensors.
class Graph {
 public:
  Graph(std::ostream& out, const MethodInfo& method)
      : out_(out), method_(method) {}

  void write() {
    out_ << "digraph " << Report(method_.name)
         << " {\n  node [shape=box, fontname=Helvetica];\n";
    for (size_t i = 0; i < method_.inputs.size(); ++i) {
      makes(terminal("in", "input ", i, method_.inputs[i]), method_.inputs[i]);
    }
    for (size_t i = 0; i < method_.instructions.size(); ++i) {
      if (method_.instructions[i].kind != Kind::Free) {
        instruction("n" + std::to_string(i), method_.instructions[i]);
      }
    }
    for (size_t i = 0; i < method_.outputs.size(); ++i) {
      reads(terminal("out", "output ", i, method_.outputs[i]),
            method_.outputs[i]);
    }
    for (const auto& [first, group] : fused_groups(method_)) {
      out_ << "  subgraph cluster_" << first
           << " { label=\"run as one\"; style=rounded; "
           << joined(group, " ",
                     [](size_t i) { return "n" + std::to_string(i) + ";"; })
           << " }\n";
    }
    out_ << "}\n";
  }

 private:
  void node(const std::string& name, const std::string& label,
            const char* style) {
    // JSON quotes a text as Graphviz does.
    out_ << "  " << name << " [label=" << Report(label) << style << "];\n";
  }

  // Returns the name of the node.
  std::string terminal(const std::string& name, const std::string& label,
                       size_t i, size_t value) {
    const std::string number = std::to_string(i);
    node(name + number,
         label + number + ": " + value_text(method_.values[value]),
         ", shape=ellipse");
    return name + number;
  }

  // The values in a list, or the value itself.
  std::vector<size_t> parts(size_t index) const {
    const ValueInfo& value = method_.values[index];
    if (value.tag != Tag::ListTensor && value.tag != Tag::ListOptionalTensor) {
      return {index};
    }
    std::vector<size_t> all;
    for (const int64_t item : value.items) {
      if (item >= 0) {
        all.push_back(static_cast<size_t>(item));
      }
    }
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
        maker_[part] = "c" + std::to_string(part);
        node(maker_[part], value.name.empty() ? "constant" : value.name,
             ", shape=plaintext");
      }
      if (const auto from = maker_.find(part); from != maker_.end()) {
        out_ << "  " << from->second << " -> " << name
             << " [label=" << Report(value_text(value)) << "];\n";
      }
    }
  }

  void instruction(const std::string& name, const InstructionInfo& code) {
    if (code.kind == Kind::Kernel) {
      const auto& op = method_.operators[code.index];
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

  std::ostream& out_;
  const MethodInfo& method_;
  std::map<size_t, std::string> maker_;  // node by value
};

}  // namespace

void write_dot(std::ostream& out, const MethodInfo& method) {
  Graph(out, method).write();
}

}  // namespace executorch::tools
