#include "tools/method_text.h"

#include <algorithm>
#include <filesystem>

#include "test/support/numbers.h"
#include "tools/common.h"

namespace executorch::tools {

using runtime::Program;
using runtime::Tag;

std::vector<std::string> method_names(const Program& program) {
  std::vector<std::string> names;
  for (size_t i = 0; i < program.num_methods(); ++i) {
    names.emplace_back(*program.get_method_name(i));
  }
  return names;
}

MethodInfo describe(const Program& program, const std::string& name) {
  const auto names = method_names(program);
  std::string wanted = name.empty() ? "forward" : name;
  if (std::find(names.begin(), names.end(), wanted) == names.end()) {
    if (!name.empty() || names.size() != 1) {
      throw Failure(
          kUsage, (name.empty() ? "choose a method with --method"
                                : "the program has no method " + name) +
                      "; it has: " +
                      joined(names, ", ", [](const auto& one) { return one; }));
    }
    wanted = names.front();
  }
  return value(extension::inspect::describe_method(program, wanted.c_str()),
               "method " + wanted);
}

bool is_constant(const ValueInfo& value) {
  return value.storage == ValueInfo::Storage::Constant ||
         value.storage == ValueInfo::Storage::External;
}

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

const char* dtype_name(aten::ScalarType type) {
  return test::dtype_of(type).name;
}

std::string value_text(const ValueInfo& value) {
  if (value.tag != Tag::Tensor) {
    return runtime::tag_to_string(value.tag) +
           (value.text.empty() ? "" : " " + value.text);
  }
  const bool fixed = value.dynamism == aten::TensorShapeDynamism::STATIC;
  const auto size_text = [&](int size) {
    return (fixed ? "" : "<=") + std::to_string(size);
  };
  return dtype_name(value.dtype) +
         ("[" + joined(value.sizes, ", ", size_text) + "]");
}

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

}  // namespace executorch::tools
