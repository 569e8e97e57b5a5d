// How commands show what a method takes and gives.
#pragma once

#include <executorch/extension/inspect/program_info.h>
#include <executorch/runtime/executor/program.h>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace executorch::tools {

using extension::inspect::MethodInfo;
using extension::inspect::ValueInfo;

// A loaded program; constants stay in the file until they are used.
std::shared_ptr<runtime::Program> load_program(const std::string& path);

std::vector<std::string> method_names(const runtime::Program& program);

// The name as it is, or if it is empty "forward" or the only method. Throws
// with the names there are if the program does not have it.
std::string choose_method(const runtime::Program& program,
                          const std::string& name);

MethodInfo describe(const runtime::Program& program, const std::string& name);

// Draws the method in the language of Graphviz.
void write_dot(std::ostream& out, const MethodInfo& method);

// "float32[<=8, 3]"; of other kinds "Int 3".
std::string value_text(const ValueInfo& value);
std::string values_text(const MethodInfo& method,
                        const std::vector<size_t>& indices);

// "float32"
const char* dtype_name(aten::ScalarType type);

// "kernels_optimized" for .../libexecutorch_kernels_optimized.so.1, "runtime"
// for libexecutorch.so; another library keeps its file name.
std::string component(const std::string& library);

}  // namespace executorch::tools
