// The checks that make a TensorLayout.
#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/portable_type/tensor_impl.h>
#include <executorch/runtime/core/tensor_layout.h>

namespace executorch {
namespace runtime {

Result<const TensorLayout> TensorLayout::create(Span<const int32_t> sizes,
                                                Span<const uint8_t> dim_order,
                                                aten::ScalarType scalar_type) {
  ET_CHECK_OR_RETURN_ERROR(sizes.size() == dim_order.size(), InvalidArgument,
                           "%zu sizes, but a dim order of %zu dimensions",
                           sizes.size(), dim_order.size());
  ET_CHECK_OR_RETURN_ERROR(
      validate_dim_order(dim_order.data(), dim_order.size()), InvalidArgument,
      "the dim order is no permutation of %zu dimensions", dim_order.size());
  ET_CHECK_OR_RETURN_ERROR(isValid(scalar_type), InvalidArgument,
                           "no element type has the number %d",
                           static_cast<int>(scalar_type));
  const Result<ssize_t> numel =
      etensor::safe_numel(sizes.data(), static_cast<ssize_t>(sizes.size()));
  if (!numel.ok()) {
    return numel.error();
  }
  size_t nbytes = 0;
  ET_CHECK_OR_RETURN_ERROR(
      !__builtin_mul_overflow(*numel, elementSize(scalar_type), &nbytes),
      InvalidArgument, "%zd elements of %s do not fit into memory", *numel,
      toString(scalar_type));
  return TensorLayout(sizes, dim_order, scalar_type, nbytes);
}

}  // namespace runtime
}  // namespace executorch
