// How often the process has called operator new. The program links
// allocations.cpp, which replaces it.
#pragma once

#include <cstddef>

namespace executorch::test {

size_t num_allocations();

}  // namespace executorch::test
