// How commands show what a method takes and gives.
#pragma once

#include <executorch/extension/inspect/program_info.h>
#include <executorch/runtime/executor/program.h>

#include <memory>
#include <string>

namespace executorch::tools {

using extension::inspect::MethodInfo;
using extension::inspect::ValueInfo;

// A loaded program; constants stay in the file until they are used.
std::shared_ptr<runtime::Program> load_program(const std::string& path);

// Throws with the names there are if `name` is none of them.
MethodInfo describe(const runtime::Program& program, const std::string& name);

// The name as it is, or if it is empty "forward" or the only method.
std::string choose_method(const runtime::Program& program,
                          const std::string& name);

// "float32[<=8, 3]"; of other kinds "Int 3".
std::string value_text(const ValueInfo& value);

// "memory order 0,2,3,1", or empty for row-major.
std::string order_text(const ValueInfo& value);

// "static", "bounded" or "unbounded".
const char* dynamism_text(const ValueInfo& value);

const char* kind_text(runtime::Tag tag);

}  // namespace executorch::tools
