// Conversion of arrays between dtypes, with the values that casting a tensor in
// PyTorch gives: floats are rounded to nearest even, integers wrap, a number
// becomes true when it is not zero.
#pragma once

#include <executorch/runtime/core/exec_aten/exec_aten.h>

#include <cstdint>

namespace executorch::kernels {

using ConvertFn = void (*)(const void* src, void* dst, int64_t n);

// Bytes of one element, or 0 for a dtype that kernels do not compute with.
constexpr int64_t item_size(aten::ScalarType dtype) {
  switch (dtype) {
    case aten::ScalarType::Byte:
    case aten::ScalarType::Char:
    case aten::ScalarType::Bool:
      return 1;
    case aten::ScalarType::Short:
    case aten::ScalarType::UInt16:
    case aten::ScalarType::Half:
    case aten::ScalarType::BFloat16:
      return 2;
    case aten::ScalarType::Int:
    case aten::ScalarType::Float:
      return 4;
    case aten::ScalarType::Long:
    case aten::ScalarType::Double:
    case aten::ScalarType::ComplexFloat:
      return 8;
    case aten::ScalarType::ComplexDouble:
      return 16;
    default:
      return 0;
  }
}

class Converter {
 public:
  Converter() = default;
  Converter(aten::ScalarType from, aten::ScalarType to);

  // False when there is no such conversion.
  bool valid() const { return first_ != nullptr; }

  // The arrays must not overlap, unless they start at one address and their
  // elements have the same size.
  void operator()(const void* src, void* dst, int64_t n) const {
    if (second_ == nullptr) {
      first_(src, dst, n);
    } else {
      through_middle(src, dst, n);
    }
  }

 private:
  void through_middle(const void* src, void* dst, int64_t n) const;

  ConvertFn first_ = nullptr;
  ConvertFn second_ = nullptr;  // for pairs that take a type between
  int64_t src_item_ = 0;
  int64_t dst_item_ = 0;
};

}  // namespace executorch::kernels
