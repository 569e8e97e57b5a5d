// Operators that copy a tensor as a whole, perhaps to another dtype or layout.
#include <algorithm>
#include <cstdio>

#include "kernels/optimized/view_op.h"

namespace executorch::kernels {
namespace {

// Copies `src`, converted and broadcast, to what is or becomes a tensor of
// these sizes.
Error copy_expanded(const Tensor& src, ArrayRef<int64_t> sizes, Tensor& out) {
  const ScalarType from = src.scalar_type(), to = out.scalar_type();
  ET_CHECK_OR_RETURN_ERROR(
      from == to || (is_in(from, kAnyDtype) && is_in(to, kAnyDtype)),
      InvalidArgument, "dtype %s cannot be converted to %s",
      runtime::toString(from), runtime::toString(to));
  ConstView v = view(src);
  ET_CHECK_OK_OR_RETURN_ERROR(expand(v, sizes));
  ET_CHECK_OK_OR_RETURN_ERROR(resize(out, sizes));
  copy(mutable_view(out), to, v, from);
  return Error::Ok;
}

Error copy_out(KernelRuntimeContext&, const Tensor& self, const Tensor& src,
               bool /*non_blocking*/, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(self.scalar_type(), out));
  return copy_expanded(src, view(self).shape(), out);
}

Error copy_in_place(KernelRuntimeContext&, Tensor& self, const Tensor& src,
                    bool /*non_blocking*/) {
  if (self.const_data_ptr() == src.const_data_ptr() &&
      self.scalar_type() == src.scalar_type() && same_layout(self, src)) {
    return Error::Ok;
  }
  return copy_expanded(src, view(self).shape(), self);
}

Error to_copy(KernelRuntimeContext&, const Tensor& self, bool /*non_blocking*/,
              std::optional<MemoryFormat> format, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_format(format));
  return copy_expanded(self, view(self).shape(), out);
}

Error clone(ConstView&, std::optional<MemoryFormat> format) {
  return check_format(format);
}

struct OrderText {
  char text[4 * runtime::kTensorDimensionLimit + 3];
};
template <class Order>
OrderText to_text(const Order& order) {
  OrderText result;
  int at = std::snprintf(result.text, sizeof(result.text), "(");
  for (size_t i = 0; i < std::min<size_t>(order.size(), 16); ++i) {
    at += std::snprintf(result.text + at, sizeof(result.text) - at, "%s%d",
                        i == 0 ? "" : ",", static_cast<int>(order[i]));
  }
  std::snprintf(result.text + at, sizeof(result.text) - at, ")");
  return result;
}

// Checks that `order` is a dim order and the one that `out` will have with
// `sizes`. Where dimensions of size 1 stand does not matter.
Error check_order(std::optional<ArrayRef<int64_t>> order,
                  ArrayRef<int64_t> sizes, const Tensor& out) {
  if (!order.has_value()) {
    return Error::Ok;
  }
  const size_t dims = sizes.size();
  uint32_t seen = 0;
  bool valid = order->size() == dims && dims <= runtime::kTensorDimensionLimit;
  for (size_t i = 0; valid && i < dims; ++i) {
    const int64_t d = (*order)[i];
    valid = d >= 0 && d < static_cast<int64_t>(dims) && (seen >> d & 1) == 0;
    seen |= valid ? 1u << d : 0;
  }
  ET_CHECK_OR_RETURN_ERROR(valid, InvalidArgument,
                           "%s is not a dim order of %zu dimensions",
                           to_text(*order).text, dims);
  const auto has = out.dim_order();
  size_t k = 0;
  bool same = has.size() == dims;
  for (size_t i = 0; same && i < dims; ++i) {
    if (sizes[(*order)[i]] == 1) {
      continue;
    }
    while (k < dims && sizes[has[k]] == 1) {
      ++k;
    }
    same = k < dims && has[k++] == (*order)[i];
  }
  ET_CHECK_OR_RETURN_ERROR(same, InvalidArgument,
                           "dim order %s asked for, the output has %s",
                           to_text(*order).text, to_text(has).text);
  return Error::Ok;
}

Error to_dim_order(KernelRuntimeContext&, const Tensor& self,
                   bool /*non_blocking*/,
                   std::optional<ArrayRef<int64_t>> order, Tensor& out) {
  const ConstView v = view(self);
  ET_CHECK_OK_OR_RETURN_ERROR(check_order(order, v.shape(), out));
  return copy_expanded(self, v.shape(), out);
}

Error clone_dim_order(KernelRuntimeContext& ctx, const Tensor& self,
                      bool non_blocking, std::optional<ArrayRef<int64_t>> order,
                      Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(self.scalar_type(), out));
  return to_dim_order(ctx, self, non_blocking, order, out);
}

Error empty_dim_order(KernelRuntimeContext&, ArrayRef<int64_t> size,
                      std::optional<ArrayRef<int64_t>> order, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_order(order, size, out));
  return resize(out, size);
}

// Transfers between the host and a device; only the host has kernels here.
Error to_device(KernelRuntimeContext&, const Tensor&, Tensor&) {
  ET_LOG(Error, "there is no device to copy a tensor to or from");
  return Error::NotSupported;
}

const Op kOps[] = {
    op<kEveryDtype, copy_out>("aten::copy.out"),
    op<kEveryDtype, copy_in_place>("aten::copy_"),
    copies(op<kEveryDtype, to_copy>("aten::_to_copy.out")),
    copies(view_op<clone>("aten::clone.out")),
    copies(
        op<kEveryDtype, to_dim_order>("dim_order_ops::_to_dim_order_copy.out")),
    copies(op<kEveryDtype, clone_dim_order>(
        "dim_order_ops::_clone_dim_order.out")),
    op<kEveryDtype, empty_dim_order>("dim_order_ops::_empty_dim_order.out"),
    op<kEveryDtype, to_device>("et_copy::_h2d_copy.out"),
    op<kEveryDtype, to_device>("et_copy::_d2h_copy.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
