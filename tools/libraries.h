// Which component a library file is.
#pragma once

#include <string>

namespace executorch::tools {

// "kernels_optimized" for .../libexecutorch_kernels_optimized.so.1, "runtime"
// for libexecutorch.so; another library keeps its file name.
std::string component(const std::string& library);

}  // namespace executorch::tools
