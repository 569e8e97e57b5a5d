#include "tools/method_text.h"

#include <executorch/extension/module/module.h>

#include <algorithm>
#include <filesystem>

#include "test/support/numbers.h"
#include "tools/common.h"

namespace executorch::tools {

using extension::Module;
using runtime::Program;
using runtime::Tag;

namespace {

template <class Items, class Text>
std::string joined(const Items& items, Text text) {
  std::string all;
  for (const auto& item : items) {
    all += (all.empty() ? "" : ", ") + text(item);
  }
  return all;
}

}  // namespace

std::shared_ptr<Program> load_program(const std::string& path) {
  Module module(path, Module::LoadMode::Mmap);
  check(module.load(), path);
  return module.program();
}

std::vector<std::string> method_names(const Program& program) {
  std::vector<std::string> names;
  for (size_t i = 0; i < program.num_methods(); ++i) {
    names.emplace_back(*program.get_method_name(i));
  }
  return names;
}

std::string choose_method(const Program& program, const std::string& name) {
  const auto names = method_names(program);
  const std::string wanted = name.empty() ? "forward" : name;
  if (std::find(names.begin(), names.end(), wanted) != names.end()) {
    return wanted;
  }
  if (name.empty() && names.size() == 1) {
    return names.front();
  }
  throw Failure(kUsage,
                (name.empty() ? "choose a method with --method"
                              : "the program has no method " + name) +
                    "; it has: " +
                    joined(names, [](const std::string& one) { return one; }));
}

MethodInfo describe(const Program& program, const std::string& name) {
  return value(extension::inspect::describe_method(program, name.c_str()),
               "method " + name);
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
  return dtype_name(value.dtype) + ("[" + joined(value.sizes, size_text) + "]");
}

std::string values_text(const MethodInfo& method,
                        const std::vector<size_t>& indices) {
  return joined(indices,
                [&](size_t i) { return value_text(method.values[i]); });
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
