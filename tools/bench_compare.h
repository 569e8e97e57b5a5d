// Sets two files of bench results against each other.
#pragma once

#include <string>

namespace executorch::tools {

struct CompareOptions {
  std::string a, b;
  std::string svg;  // file for a bar chart, or empty
  bool as_json = false;
};

void compare_results(const CompareOptions& options);

}  // namespace executorch::tools
