// Operators that choose between values by a mask: where, masked_fill.
//
// Values are only moved, so the loop is compiled per size of an element.
#include "kernels/common/convert.h"
#include "kernels/common/elementwise.h"
#include "kernels/common/op.h"
#include "kernels/optimized/vec/loops.h"

namespace executorch::kernels {
namespace {

void select_complex(const void* const* in, void* out, int64_t n, const void*) {
  struct Item {
    uint64_t parts[2];
  };
  const auto* mask = static_cast<const uint8_t*>(in[0]);
  const auto* unset = static_cast<const Item*>(in[1]);
  const auto* set = static_cast<const Item*>(in[2]);
  auto* r = static_cast<Item*>(out);
  for (int64_t i = 0; i < n; ++i) {
    r[i] = mask[i] == 0 ? unset[i] : set[i];
  }
}

Error select(const Tensor& mask, const Operand& unset, const Operand& set,
             ScalarType dtype, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(dtype, out));
  Computation computation;
  computation.writes = computation.result = dtype;
  computation.run = select_complex;
  for (int k = 0; k < 4; ++k) {
    if (item_size(dtype) == 1 << k) {
      const vec::Loops::Binary& loop = vec::loops().select[k];
      computation.run = loop.arrays;
      computation.run_with_value = loop.value;
    }
  }
  Operand in[] = {Operand(mask, mask.scalar_type()), unset, set};
  in[1].as = in[2].as = dtype;
  return elementwise(computation, {in, 3}, out);
}

Error where(KernelRuntimeContext&, const Tensor& condition, const Tensor& self,
            const Tensor& other, Tensor& out) {
  const ScalarType dtype = ResultType::of(self, other);
  ET_CHECK_OK_OR_RETURN_ERROR(check_dtype(dtype, kAnyDtype));
  return select(condition, other, self, dtype, out);
}

Error masked_fill(KernelRuntimeContext&, const Tensor& self, const Tensor& mask,
                  const Scalar& value, Tensor& out) {
  const ScalarType dtype = self.scalar_type();
  ET_CHECK_OR_RETURN_ERROR(mask.scalar_type() == ScalarType::Bool,
                           InvalidArgument,
                           "the mask has dtype %s, but must be bool",
                           runtime::toString(mask.scalar_type()));
  ET_CHECK_OK_OR_RETURN_ERROR(check_fits(value, dtype));
  return select(mask, self, number(value, dtype), dtype, out);
}

const Op kOps[] = {
    op<kBool | dtype_bit(ScalarType::Byte), where>("aten::where.self_out"),
    op<kAnyDtype, masked_fill>("aten::masked_fill.Scalar_out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
