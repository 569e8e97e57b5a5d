// What commands show of a method.
#pragma once

#include <executorch/extension/inspect/program_info.h>

#include <string>
#include <vector>

#include "test/support/numbers.h"

namespace executorch::tools {

using extension::inspect::MethodInfo;
using extension::inspect::ValueInfo;

std::vector<std::string> method_names(const runtime::Program& program);

// The method of this name, or if it is empty "forward" or the only one. Throws
// with the names there are if the program does not have it.
MethodInfo describe(const runtime::Program& program, const std::string& name);

// "float32[<=8, 3]"; of other kinds "Int 3".
std::string value_text(const ValueInfo& value);

// "float32"
inline const char* dtype_name(aten::ScalarType type) {
  return test::dtype_of(type).name;
}

// "kernels_optimized" for .../libexecutorch_kernels_optimized.so.1, "runtime"
// for libexecutorch.so; another library keeps its file name.
std::string component(const std::string& library);

}  // namespace executorch::tools
