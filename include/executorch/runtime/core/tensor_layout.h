// Shape and element type of a tensor without its data.
#pragma once

#include <executorch/runtime/core/portable_type/scalar_type.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

#include <cstddef>
#include <cstdint>

namespace executorch {
namespace runtime {

/// How the bytes of a tensor are to be read. The spans belong to somebody else,
/// who has to outlive this.
class TensorLayout final {
 public:
  TensorLayout() = delete;

  /// InvalidArgument: sizes and dim order differ in length, a size is negative,
  /// the order is no permutation, the element type is not valid, or the number
  /// of bytes does not fit.
  ET_EXPORT static Result<const TensorLayout> create(
      Span<const int32_t> sizes, Span<const uint8_t> dim_order,
      aten::ScalarType scalar_type);

  Span<const int32_t> sizes() const { return sizes_; }
  /// Dimensions from the outermost to the innermost in memory.
  Span<const uint8_t> dim_order() const { return dim_order_; }
  aten::ScalarType scalar_type() const { return scalar_type_; }
  /// Bytes of all elements.
  size_t nbytes() const { return nbytes_; }

 private:
  TensorLayout(Span<const int32_t> sizes, Span<const uint8_t> dim_order,
               aten::ScalarType scalar_type, size_t nbytes)
      : sizes_(sizes),
        dim_order_(dim_order),
        scalar_type_(scalar_type),
        nbytes_(nbytes) {}

  Span<const int32_t> sizes_;
  Span<const uint8_t> dim_order_;
  aten::ScalarType scalar_type_;
  size_t nbytes_;
};

}  // namespace runtime
}  // namespace executorch
