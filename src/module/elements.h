// Reading and writing tensor elements when the dtype is only known at run time.
#pragma once

#include <executorch/runtime/core/exec_aten/exec_aten.h>

#include <cstddef>
#include <cstdint>

namespace executorch::extension::internal {

// Whether elements of this dtype are plain numbers: integers, bool, floats.
bool holds_numbers(aten::ScalarType type);

// Casts `count` elements as C++ does, except that a float too large for an
// integer gives the largest one, and NaN gives 0. Both dtypes hold numbers.
void convert(aten::ScalarType from, const void* source, aten::ScalarType to,
             void* target, size_t count);

// Writes numbers as elements of a dtype that holds numbers.
void store(aten::ScalarType to, void* target, const int64_t* values,
           size_t count);
void store(aten::ScalarType to, void* target, const double* values,
           size_t count);

}  // namespace executorch::extension::internal
