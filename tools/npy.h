// Arrays in NumPy's .npy format, of every dtype that a program can have.
//
// NumPy has no bfloat16. Such an array is read as V2 (what NumPy writes for
// ml_dtypes.bfloat16) or as the bits in uint16, if the program wants bfloat16;
// it is written as V2.
#pragma once

#include <executorch/runtime/core/exec_aten/exec_aten.h>

#include <cstdint>
#include <string>
#include <vector>

namespace executorch::tools {

struct Array {
  aten::ScalarType type = aten::ScalarType::Float;
  std::vector<aten::SizesType> shape;
  std::vector<uint8_t> bytes;  // row-major

  size_t count() const;
};

// Reads a file. Throws a Failure that names the file when it is damaged or, if
// `wanted` is not Undefined, its dtype is another one.
Array read_npy(const std::string& path,
               aten::ScalarType wanted = aten::ScalarType::Undefined);

void write_npy(const std::string& path, const Array& array);

// The elements of a tensor in row-major order, whatever its dim order is; and
// from there into the order of a tensor.
Array to_array(const aten::Tensor& tensor);
std::vector<uint8_t> reorder(const Array& array,
                             const std::vector<uint8_t>& dim_order);

}  // namespace executorch::tools
