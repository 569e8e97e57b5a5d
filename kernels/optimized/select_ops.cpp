// Operators that choose between values by a mask: where, masked_fill.
//
// Values are only moved, so the loop is compiled per size of an element.
#include "kernels/common/convert.h"
#include "kernels/common/elementwise.h"
#include "kernels/common/op.h"

namespace executorch::kernels {
namespace {

struct Item16 {
  uint64_t parts[2];
};

// in: mask, value where it is set, value where it is not.
template <class T>
void select(const void* const* in, void* out, int64_t n, const void*) {
  const auto* mask = static_cast<const uint8_t*>(in[0]);
  const auto* set = static_cast<const T*>(in[1]);
  const auto* unset = static_cast<const T*>(in[2]);
  auto* r = static_cast<T*>(out);
  for (int64_t i = 0; i < n; ++i) {
    r[i] = mask[i] != 0 ? set[i] : unset[i];
  }
}

BlockFn select_loop(ScalarType dtype) {
  switch (item_size(dtype)) {
    case 1:
      return select<uint8_t>;
    case 2:
      return select<uint16_t>;
    case 4:
      return select<uint32_t>;
    case 8:
      return select<uint64_t>;
    default:
      return select<Item16>;
  }
}

Error select(const Tensor& mask, const Operand& set, const Operand& unset,
             ScalarType dtype, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_dtype(dtype, kAnyDtype));
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(dtype, out));
  Operand in[] = {Operand(mask, mask.scalar_type()), set, unset};
  in[1].as = in[2].as = dtype;
  Computation computation;
  computation.run = select_loop(dtype);
  computation.writes = computation.result = dtype;
  return elementwise(computation, {in, 3}, out);
}

Error where(KernelRuntimeContext&, const Tensor& condition, const Tensor& self,
            const Tensor& other, Tensor& out) {
  ET_CHECK_OR_RETURN_ERROR(
      is_in(condition.scalar_type(), kBool | dtype_bit(ScalarType::Byte)),
      InvalidArgument, "the condition has dtype %s, but must be bool or uint8",
      runtime::toString(condition.scalar_type()));
  return select(condition, self, other, ResultType::of(self, other), out);
}

Error masked_fill(KernelRuntimeContext&, const Tensor& self, const Tensor& mask,
                  const Scalar& value, Tensor& out) {
  const ScalarType dtype = self.scalar_type();
  ET_CHECK_OR_RETURN_ERROR(mask.scalar_type() == ScalarType::Bool,
                           InvalidArgument,
                           "the mask has dtype %s, but must be bool",
                           runtime::toString(mask.scalar_type()));
  ET_CHECK_OK_OR_RETURN_ERROR(check_dtype(dtype, kAnyDtype));
  ET_CHECK_OK_OR_RETURN_ERROR(check_fits(value, dtype));
  return select(mask, number(value, dtype), self, dtype, out);
}

const Op kOps[] = {
    op<where>("aten::where.self_out"),
    op<masked_fill>("aten::masked_fill.Scalar_out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
