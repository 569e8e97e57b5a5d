#include "tools/method_text.h"

#include <algorithm>
#include <filesystem>
#include <regex>

#include "tools/common.h"

namespace executorch::tools {

std::vector<std::string> method_names(const runtime::Program& program) {
  std::vector<std::string> names;
  for (size_t i = 0; i < program.num_methods(); ++i) {
    names.emplace_back(*program.get_method_name(i));
  }
  return names;
}

MethodInfo describe(const runtime::Program& program, const std::string& name) {
  const auto names = method_names(program);
  const std::string wanted = !name.empty()       ? name
                             : names.size() == 1 ? names[0]
                                                 : "forward";
  if (std::find(names.begin(), names.end(), wanted) == names.end()) {
    throw Failure(
        kUsage, "the program has no method " + wanted + "; --method can be: " +
                    joined(names, ", ", [](const auto& one) { return one; }));
  }
  return value(extension::inspect::describe_method(program, wanted.c_str()),
               "method " + wanted);
}

std::string value_text(const ValueInfo& value) {
  if (value.tag != runtime::Tag::Tensor) {
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
  static const std::regex kPattern("libexecutorch_(.*)\\.so.*");
  const std::string file = std::filesystem::path(library).filename();
  return file.rfind("libexecutorch.so", 0) == 0
             ? "runtime"
             : std::regex_replace(file, kPattern, "$1");
}

}  // namespace executorch::tools
