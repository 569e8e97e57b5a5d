// The check of a tensor shape that comes from a file.
#pragma once

#include <executorch/runtime/core/result.h>

#include <cstddef>
#include <cstdint>

namespace executorch::format {

struct Shape {
  int8_t dtype;
  const int32_t* sizes;  // null only if absent in the file
  size_t rank;
  const uint8_t* dim_order;
  size_t dim_order_length;
};

// Null if the shape can be used: a dtype with a size, at most 16 dimensions, a
// dim order that is a permutation, and bytes and strides that fit their types.
// Otherwise what is wrong with it. `nbytes` gets the bytes of the tensor.
const char* shape_fault(const Shape& shape, size_t* nbytes);

}  // namespace executorch::format
