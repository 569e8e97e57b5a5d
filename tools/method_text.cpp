#include "tools/method_text.h"

#include <executorch/extension/module/module.h>

#include "tools/common.h"

namespace executorch::tools {

using extension::Module;
using runtime::Program;
using runtime::Tag;

namespace {

std::string method_list(const Program& program) {
  std::string names;
  for (size_t i = 0; i < program.num_methods(); ++i) {
    names += (i > 0 ? ", " : "") + std::string(*program.get_method_name(i));
  }
  return names;
}

template <class Items, class Text>
std::string joined(const Items& items, const char* separator, Text text) {
  std::string all;
  for (const auto& item : items) {
    all += (all.empty() ? "" : separator) + text(item);
  }
  return all;
}

}  // namespace

std::shared_ptr<Program> load_program(const std::string& path) {
  Module module(path, Module::LoadMode::Mmap);
  check(module.load(), path);
  return module.program();
}

std::string choose_method(const Program& program, const std::string& name) {
  std::string only;
  for (size_t i = 0; i < program.num_methods(); ++i) {
    only = *program.get_method_name(i);
    if (only == (name.empty() ? "forward" : name)) {
      return only;
    }
  }
  if (name.empty() && program.num_methods() == 1) {
    return only;
  }
  throw Failure(kUsage, (name.empty() ? "choose a method with --method"
                                      : "the program has no method " + name) +
                            "; it has: " + method_list(program));
}

MethodInfo describe(const Program& program, const std::string& name) {
  return value(extension::inspect::describe_method(program, name.c_str()),
               "method " + name);
}

const char* kind_text(Tag tag) {
  static const char* const names[] = {
      "none",      "tensor",       "string",     "float",
      "int",       "bool",         "list[bool]", "list[float]",
      "list[int]", "list[tensor]", "scalar",     "list[optional tensor]"};
  const auto index = static_cast<size_t>(tag);
  return index < std::size(names) ? names[index] : "unknown";
}

const char* dynamism_text(const ValueInfo& value) {
  switch (value.dynamism) {
    case aten::TensorShapeDynamism::STATIC:
      return "static";
    case aten::TensorShapeDynamism::DYNAMIC_BOUND:
      return "bounded";
    default:
      return "unbounded";
  }
}

std::string value_text(const ValueInfo& value) {
  if (value.tag != Tag::Tensor) {
    return value.text.empty() ? kind_text(value.tag)
                              : kind_text(value.tag) + (" " + value.text);
  }
  const bool fixed = value.dynamism == aten::TensorShapeDynamism::STATIC;
  return dtype_name(value.dtype) +
         ("[" + joined(value.sizes, ", ",
                       [&](int n) {
                         return (fixed ? "" : "<=") + std::to_string(n);
                       })) +
         "]";
}

std::string order_text(const ValueInfo& value) {
  bool row_major = true;
  for (size_t i = 0; i < value.dim_order.size(); ++i) {
    row_major = row_major && value.dim_order[i] == i;
  }
  return row_major
             ? ""
             : "memory order " + joined(value.dim_order, ",", [](uint8_t dim) {
                 return std::to_string(dim);
               });
}

}  // namespace executorch::tools
