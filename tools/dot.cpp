#include "tools/dot.h"

#include <map>

namespace executorch::tools {
namespace {

using extension::inspect::InstructionInfo;
using runtime::Tag;

std::string quoted(const std::string& text) {
  std::string all = "\"";
  for (const char c : text) {
    all += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  return all + "\"";
}

// Nodes are instructions, inputs, constants and outputs; edges are tensors.
class Graph {
 public:
  Graph(std::ostream& out, const MethodInfo& method)
      : out_(out), method_(method) {}

  void write() {
    out_ << "digraph " << quoted(method_.name)
         << " {\n  node [shape=box, fontname=Helvetica];\n";
    for (size_t i = 0; i < method_.inputs.size(); ++i) {
      terminal("in" + std::to_string(i), "input " + std::to_string(i),
               method_.inputs[i]);
      writer_[method_.inputs[i]] = "in" + std::to_string(i);
    }
    for (size_t i = 0; i < method_.instructions.size(); ++i) {
      instruction(i);
    }
    for (size_t i = 0; i < method_.outputs.size(); ++i) {
      const std::string node = "out" + std::to_string(i);
      terminal(node, "output " + std::to_string(i), method_.outputs[i]);
      edge(method_.outputs[i], node);
    }
    out_ << "}\n";
  }

 private:
  void terminal(const std::string& node, const std::string& label,
                size_t value) {
    out_ << "  " << node << " [shape=ellipse, label="
         << quoted(label + ": " + value_text(method_.values[value])) << "];\n";
  }

  // From where the value is made; constants appear where they are read.
  void edge(size_t index, const std::string& to) {
    const ValueInfo& value = method_.values[index];
    if (value.tag == Tag::ListTensor || value.tag == Tag::ListOptionalTensor) {
      for (const int64_t item : value.items) {
        if (item >= 0) {
          edge(static_cast<size_t>(item), to);
        }
      }
      return;
    }
    if (value.tag != Tag::Tensor && writer_.count(index) == 0) {
      return;
    }
    const auto from = writer_.find(index);
    std::string node = "c" + std::to_string(index);
    if (from != writer_.end()) {
      node = from->second;
    } else if (value.storage == ValueInfo::Storage::Constant ||
               value.storage == ValueInfo::Storage::External) {
      out_ << "  " << node << " [shape=plaintext, label="
           << quoted(value.name.empty() ? "constant" : value.name) << "];\n";
    } else {
      return;
    }
    out_ << "  " << node << " -> " << to
         << " [label=" << quoted(value_text(value)) << "];\n";
  }

  void writes(size_t index, const std::string& node) {
    writer_[index] = node;
    for (const int64_t item : method_.values[index].items) {
      if (item >= 0 && method_.values[index].tag == Tag::ListTensor) {
        writer_[static_cast<size_t>(item)] = node;
      }
    }
  }

  void instruction(size_t i) {
    const InstructionInfo& code = method_.instructions[i];
    const std::string node = "n" + std::to_string(i);
    std::string label;
    std::string style;
    size_t results = 1;
    switch (code.kind) {
      case InstructionInfo::Kind::Kernel: {
        const auto& op = method_.operators[code.index];
        label = op.name;
        style = op.library.empty() ? ", color=red" : "";
        // The out argument comes again as the returned value.
        const size_t count = code.args.size();
        results =
            count > 1 && code.args[count - 1] == code.args[count - 2] ? 2 : 1;
        break;
      }
      case InstructionInfo::Kind::Delegate:
        label = method_.delegates[code.index].backend;
        style = ", style=filled, fillcolor=lightblue";
        break;
      case InstructionInfo::Kind::Move:
        label = "move";
        break;
      case InstructionInfo::Kind::JumpFalse:
        label = "if false go to " + std::to_string(code.index);
        style = ", shape=diamond";
        results = 0;
        break;
      default:
        return;
    }
    out_ << "  " << node << " [label=" << quoted(label) << style << "];\n";
    if (code.kind == InstructionInfo::Kind::Delegate) {
      return delegate(code, node);
    }
    const size_t reads = code.args.size() - std::min(results, code.args.size());
    for (size_t k = 0; k < reads; ++k) {
      edge(code.args[k], node);
    }
    for (size_t k = reads; k < code.args.size(); ++k) {
      writes(code.args[k], node);
    }
  }

  // Inputs are what was made before; the rest is made here.
  void delegate(const InstructionInfo& code, const std::string& node) {
    for (const size_t arg : code.args) {
      const bool known =
          writer_.count(arg) != 0 ||
          method_.values[arg].storage == ValueInfo::Storage::Constant;
      if (known) {
        edge(arg, node);
      } else {
        writes(arg, node);
      }
    }
  }

  std::ostream& out_;
  const MethodInfo& method_;
  std::map<size_t, std::string> writer_;  // node by value
};

}  // namespace

void write_dot(std::ostream& out, const MethodInfo& method) {
  Graph(out, method).write();
}

}  // namespace executorch::tools
