#include "src/format/shape.h"

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>

#include <algorithm>
#include <limits>

#include "src/format/program_file.h"

namespace executorch::format {

const char* shape_fault(const Shape& shape, size_t* nbytes) {
  const auto dtype = static_cast<aten::ScalarType>(shape.dtype);
  if (!runtime::isValid(dtype) || runtime::elementSize(dtype) == 0) {
    return "unknown dtype";
  }
  if (shape.sizes == nullptr || shape.dim_order == nullptr) {
    return "sizes or dim order are missing";
  }
  if (shape.rank > runtime::kTensorDimensionLimit) {
    return "more than 16 dimensions";
  }
  if (shape.dim_order_length != shape.rank) {
    return "sizes and dim order differ in length";
  }
  uint32_t seen = 0;
  int64_t stride = 1;  // of a dimension, with empty ones counted as one
  int64_t bytes = static_cast<int64_t>(runtime::elementSize(dtype));
  for (size_t i = shape.rank; i-- > 0;) {
    const uint8_t dim = shape.dim_order[i];
    if (dim >= shape.rank || (seen & (1u << dim)) != 0) {
      return "the dim order is not a permutation";
    }
    seen |= 1u << dim;
    const int64_t size = shape.sizes[dim];
    if (size < 0) {
      return "a size is negative";
    }
    if (stride > std::numeric_limits<aten::StridesType>::max() ||
        __builtin_mul_overflow(stride, std::max<int64_t>(size, 1), &stride) ||
        __builtin_mul_overflow(bytes, size, &bytes)) {
      return "the sizes are too large";
    }
  }
  *nbytes = static_cast<size_t>(bytes);
  return nullptr;
}

size_t tensor_nbytes(const fb::Tensor& tensor) {
  size_t nbytes =
      runtime::elementSize(static_cast<aten::ScalarType>(tensor.scalar_type()));
  for (const int32_t size : *tensor.sizes()) {
    nbytes *= static_cast<size_t>(size);
  }
  return nbytes;
}

}  // namespace executorch::format
