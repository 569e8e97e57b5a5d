// Arrays in NumPy's .npy format, of every dtype that a program can have.
//
// NumPy has no bfloat16. Such an array is read as V2 (what NumPy writes for
// ml_dtypes.bfloat16) or as the bits in uint16, if bfloat16 is wanted; it is
// written as V2.
#pragma once

#include <executorch/extension/tensor/tensor.h>

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

// `dtype` is PyTorch's name for the elements, or empty for any. Throws one line
// that names the file when it does not hold such an array.
Array read_npy(const std::filesystem::path& file, const std::string& dtype);

void write_npy(const std::filesystem::path& file, const Array& array);

// A tensor of these elements, in memory of its own that is laid out by `order`;
// an empty order is row-major.
runtime::Result<extension::TensorPtr> to_tensor(
    const Array& array, const std::vector<aten::DimOrderType>& order);

Array to_array(const aten::Tensor& tensor);

}  // namespace executorch::test
