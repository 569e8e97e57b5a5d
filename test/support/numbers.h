// Reading and comparing tensor elements in tests.
#pragma once

#include <executorch/runtime/core/exec_aten/exec_aten.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace executorch::test {

struct DType {
  aten::ScalarType type;
  size_t size;
};

// By the name that PyTorch gives it, "float32"; throws on an unknown one.
DType dtype_by_name(const std::string& name);

// Where element `i` of the logical (row-major) order lies in memory that is
// laid out by `order`; an empty order is row-major.
std::vector<size_t> positions(const std::vector<int64_t>& shape,
                              const std::vector<aten::DimOrderType>& order);

// Allowed is |got - want| <= atol + rtol * |want|; NaN equals NaN and an
// infinity only itself.
struct Tolerance {
  double rtol = 0;
  double atol = 0;
};
bool close(double got, double want, Tolerance tolerance);

// How the elements must agree.
enum class Rule {
  close,    // within the tolerance; integers and bool with rtol 0
  uniform,  // any value in [0, 1)
  finite,   // any finite value
};

// Compares `count` elements; an empty string, or what is wrong. Element i is
// got[at[i]] if `at` is given. `worst` collects the largest difference.
std::string compare_elements(aten::ScalarType type, const void* got,
                             const void* want, size_t count,
                             Tolerance tolerance, Rule rule = Rule::close,
                             const std::vector<size_t>* at = nullptr,
                             double* worst = nullptr);

}  // namespace executorch::test
