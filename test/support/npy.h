// Arrays in NumPy's .npy format, as far as the test data uses it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "test/support/numbers.h"

namespace executorch::test {

struct Array {
  DType dtype;
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;  // row-major

  size_t count() const { return bytes.size() / dtype.size; }
};

// `dtype` is PyTorch's name for the elements; a bfloat16 array is stored as
// uint16. Throws when the file does not hold such an array.
Array read_npy(const std::filesystem::path& file, const std::string& dtype);

}  // namespace executorch::test
