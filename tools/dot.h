// Draws a method as a graph in the language of Graphviz.
#pragma once

#include <ostream>

#include "tools/method_text.h"

namespace executorch::tools {

void write_dot(std::ostream& out, const MethodInfo& method);

}  // namespace executorch::tools
