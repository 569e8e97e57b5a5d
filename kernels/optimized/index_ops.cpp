// Operators that pick or replace elements by index tensors.
#include <cinttypes>

#include "kernels/optimized/advanced_index.h"

namespace executorch::kernels {
namespace {

using Indices = ArrayRef<std::optional<Tensor>>;
using Negative = AdvancedIndex::Negative;

Error index(KernelRuntimeContext&, const Tensor& self, Indices indices,
            Tensor& out) {
  AdvancedIndex by;
  const ConstView table = view(self);
  ET_CHECK_OK_OR_RETURN_ERROR(by.init(table, indices, Negative::kFromEnd));
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(self.scalar_type(), out));
  ET_CHECK_OK_OR_RETURN_ERROR(resize(out, by.picked()));
  by.read(mutable_view(out), table.data);
  return Error::Ok;
}

// Puts `values` into `out`, after `self` has been copied there if it is another
// tensor.
Error put(const Tensor& self, Indices indices, const Tensor& values,
          bool accumulate, Tensor& out) {
  const ScalarType dtype = self.scalar_type();
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(dtype, out));
  ET_CHECK_OR_RETURN_ERROR(values.scalar_type() == dtype, InvalidArgument,
                           "the values have dtype %s, the tensor has %s",
                           runtime::toString(values.scalar_type()),
                           runtime::toString(dtype));
  ET_CHECK_OK_OR_RETURN_ERROR(
      check_dtype(dtype, accumulate ? kRealBool & ~dtype_bit(ScalarType::UInt16)
                                    : ~DtypeSet{0}));
  const bool in_place = &self == &out;
  const ConstView before = view(self);
  ET_CHECK_OK_OR_RETURN_ERROR(resize(out, before));
  const View table = mutable_view(out);
  AdvancedIndex by;
  ET_CHECK_OK_OR_RETURN_ERROR(by.init(table, indices, Negative::kFromEnd));
  ConstView from = view(values);
  ET_CHECK_OK_OR_RETURN_ERROR(expand(from, by.picked().shape()));
  if (!in_place) {
    copy(table, before);
  }
  if (accumulate) {
    by.add(table.data, from, dtype);
  } else {
    by.write(table.data, from);
  }
  return Error::Ok;
}

Error index_put(KernelRuntimeContext&, const Tensor& self, Indices indices,
                const Tensor& values, bool accumulate, Tensor& out) {
  return put(self, indices, values, accumulate, out);
}

Error index_put_in_place(KernelRuntimeContext&, Tensor& self, Indices indices,
                         const Tensor& values, bool accumulate) {
  return put(self, indices, values, accumulate, self);
}

Error check_integers(const Tensor& index) {
  return check_dtype(index.scalar_type(),
                     dtype_set(ScalarType::Int, ScalarType::Long));
}

Error index_select(KernelRuntimeContext&, const Tensor& self, int64_t dim,
                   const Tensor& index, Tensor& out) {
  ConstView table = view(self);
  const int d = static_cast<int>(ET_UNWRAP(wrap_dim(dim, table.dims)));
  ET_CHECK_OK_OR_RETURN_ERROR(check_integers(index));
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(self.scalar_type(), out));
  const bool scalar = table.dims == 0;
  ET_CHECK_OR_RETURN_ERROR(
      index.dim() <= 1 && (!scalar || index.numel() == 1), InvalidArgument,
      "an index of %zd dimensions and %zd elements, expected at most 1 "
      "dimension, and 1 element for a tensor without dimensions",
      static_cast<ssize_t>(index.dim()), static_cast<ssize_t>(index.numel()));
  if (scalar) {
    table.append(1, table.item);
  }
  std::optional<Tensor> indices[runtime::kTensorDimensionLimit];
  indices[d] = index;
  AdvancedIndex by;
  ET_CHECK_OK_OR_RETURN_ERROR(by.init(
      table, {indices, static_cast<size_t>(d) + 1}, Negative::kRefused));

  // An index without dimensions counts as one of size 1.
  ConstView shape = by.picked();
  const bool add_dim = index.dim() == 0 && !scalar;
  const bool drop_dim = index.dim() == 1 && scalar;
  if (add_dim) {
    shape.insert(d, 1, 0);
  } else if (drop_dim) {
    shape.remove(d);
  }
  ET_CHECK_OK_OR_RETURN_ERROR(resize(out, shape));
  View to = mutable_view(out);
  if (add_dim) {
    to.remove(d);
  } else if (drop_dim) {
    to.insert(d, 1, 0);
  }
  by.read(to, table.data);
  return Error::Ok;
}

Error embedding(KernelRuntimeContext&, const Tensor& weight,
                const Tensor& indices, int64_t /*padding_idx*/,
                bool /*scale_grad_by_freq*/, bool /*sparse*/, Tensor& out) {
  const ConstView table = view(weight);
  ET_CHECK_OR_RETURN_ERROR(table.dims == 2, InvalidArgument,
                           "the weight has %d dimensions, expected 2",
                           table.dims);
  ET_CHECK_OK_OR_RETURN_ERROR(check_integers(indices));
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(weight.scalar_type(), out));
  const std::optional<Tensor> rows(indices);
  AdvancedIndex by;
  ET_CHECK_OK_OR_RETURN_ERROR(by.init(table, {&rows, 1}, Negative::kRefused));
  ET_CHECK_OK_OR_RETURN_ERROR(resize(out, by.picked()));
  by.read(mutable_view(out), table.data);
  return Error::Ok;
}

const Op kOps[] = {
    op<kEveryDtype, index>("aten::index.Tensor_out"),
    op<kEveryDtype, index_put>("aten::index_put.out"),
    op<kEveryDtype, index_put_in_place>("aten::index_put_"),
    op<kEveryDtype, index_select>("aten::index_select.out"),
    op<kEveryDtype, embedding>("aten::embedding.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
