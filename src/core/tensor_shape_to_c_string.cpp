// "(2, 3, 4)"
#include <executorch/runtime/core/exec_aten/util/tensor_shape_to_c_string.h>

#include <algorithm>
#include <cstdio>

namespace executorch {
namespace runtime {
namespace {

template <class Size>
std::array<char, kTensorShapeStringSizeLimit> to_text(Span<const Size> shape) {
  std::array<char, kTensorShapeStringSizeLimit> text{};
  char* at = text.data();
  char* const end = at + text.size();
  const size_t dims = std::min(shape.size(), kTensorDimensionLimit);
  *at++ = '(';
  for (size_t i = 0; i < dims; ++i) {
    const int64_t size = shape[i];
    const char* separator = i == 0 ? "" : ", ";
    const size_t room = static_cast<size_t>(end - at);
    const bool printable =
        size >= 0 && size <= static_cast<int64_t>(
                                 internal::kMaximumPrintableTensorShapeElement);
    at += printable ? std::snprintf(at, room, "%s%lld", separator,
                                    static_cast<long long>(size))
                    : std::snprintf(at, room, "%sERR", separator);
  }
  *at = ')';
  return text;
}

}  // namespace

std::array<char, kTensorShapeStringSizeLimit> tensor_shape_to_c_string(
    Span<const int32_t> shape) {
  return to_text(shape);
}

std::array<char, kTensorShapeStringSizeLimit> tensor_shape_to_c_string(
    Span<const int64_t> shape) {
  return to_text(shape);
}

}  // namespace runtime
}  // namespace executorch
