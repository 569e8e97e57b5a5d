// executorch inspect --dot
#include <map>

#include "tools/common.h"
#include "tools/method_text.h"

namespace executorch::tools {
namespace {

using extension::inspect::InstructionInfo;
using Kind = InstructionInfo::Kind;
using Storage = ValueInfo::Storage;
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
      const std::string name = "in" + std::to_string(i);
      terminal(name, "input " + std::to_string(i), method_.inputs[i]);
      makes(name, method_.inputs[i]);
    }
    for (size_t i = 0; i < method_.instructions.size(); ++i) {
      instruction("n" + std::to_string(i), method_.instructions[i]);
    }
    for (size_t i = 0; i < method_.outputs.size(); ++i) {
      const std::string name = "out" + std::to_string(i);
      terminal(name, "output " + std::to_string(i), method_.outputs[i]);
      reads(name, method_.outputs[i]);
    }
    fused_groups();
    out_ << "}\n";
  }

 private:
  void fused_groups() {
    std::map<size_t, std::string> groups;
    for (size_t i = 0; i < method_.instructions.size(); ++i) {
      const size_t by = method_.instructions[i].done_by;
      if (by != i && by != InstructionInfo::kAtLoad) {
        groups[by] += " n" + std::to_string(i) + ";";
      }
    }
    for (const auto& [first, others] : groups) {
      out_ << "  subgraph cluster_" << first
           << " { label=\"run as one\"; style=rounded; n" << first << ";"
           << others << " }\n";
    }
  }

  void node(const std::string& name, const std::string& label,
            const char* style) {
    // JSON quotes a text as Graphviz does.
    out_ << "  " << name << " [label=" << Report(label) << style << "];\n";
  }

  void terminal(const std::string& name, const std::string& label,
                size_t value) {
    node(name, label + ": " + value_text(method_.values[value]),
         ", shape=ellipse");
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

  static bool is_constant(const ValueInfo& value) {
    return value.storage == Storage::Constant ||
           value.storage == Storage::External;
  }

  void instruction(const std::string& name, const InstructionInfo& code) {
    switch (code.kind) {
      case Kind::Kernel: {
        const auto& op = method_.operators[code.index];
        node(name, op.name,
             op.library.empty()                         ? ", color=red"
             : code.done_by == InstructionInfo::kAtLoad ? ", style=dashed"
                                                        : "");
        break;
      }
      case Kind::Delegate:
        node(name, method_.delegates[code.index].backend,
             ", style=filled, fillcolor=lightblue");
        break;
      case Kind::Move:
        node(name, "move", "");
        break;
      case Kind::JumpFalse:
        node(name, "if false go to " + std::to_string(code.index),
             ", shape=diamond");
        break;
      case Kind::Free:
        return;
    }
    for (size_t i = 0; i < code.args.size(); ++i) {
      is_result(code, i) ? makes(name, code.args[i])
                         : reads(name, code.args[i]);
    }
  }

  bool is_result(const InstructionInfo& code, size_t i) const {
    const auto& args = code.args;
    const size_t count = args.size();
    switch (code.kind) {
      case Kind::JumpFalse:
        return false;
      case Kind::Delegate:  // its inputs were made before
        return maker_.count(args[i]) == 0 &&
               !is_constant(method_.values[args[i]]);
      default: {
        // The out argument comes again as the returned value.
        const bool again = count > 1 && args[count - 1] == args[count - 2];
        return i + (again ? 2 : 1) >= count;
      }
    }
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
