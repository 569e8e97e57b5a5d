// Operators that show the elements of one tensor in another shape or order.
//
// To add one: a function on views (view_op.h) and its row in kOps.
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <cinttypes>
#include <limits>

#include "kernels/optimized/view_op.h"

namespace executorch::kernels {
namespace {

constexpr size_t kMaxDims = runtime::kTensorDimensionLimit;

Error check_rank(size_t dims) {
  ET_CHECK_OR_RETURN_ERROR(
      dims <= kMaxDims, InvalidArgument,
      "%zu dimensions asked for, at most %zu are supported", dims, kMaxDims);
  return Error::Ok;
}

// The dimensions that a list names, each at most once, as bits.
Result<uint32_t> dim_set(ArrayRef<int64_t> dims, int rank) {
  uint32_t set = 0;
  for (const int64_t dim : dims) {
    const uint32_t bit = 1u << ET_UNWRAP(wrap_dim(dim, rank));
    ET_CHECK_OR_RETURN_ERROR((set & bit) == 0, InvalidArgument,
                             "dimension %" PRId64 " is listed twice", dim);
    set |= bit;
  }
  return set;
}

Error same(ConstView&) { return Error::Ok; }

Error transpose(ConstView& v, int64_t dim0, int64_t dim1) {
  const int64_t a = ET_UNWRAP(wrap_dim(dim0, v.dims));
  const int64_t b = ET_UNWRAP(wrap_dim(dim1, v.dims));
  if (v.dims > 0) {
    v.swap(static_cast<int>(a), static_cast<int>(b));
  }
  return Error::Ok;
}

Error t(ConstView& v) {
  ET_CHECK_OR_RETURN_ERROR(v.dims <= 2, InvalidArgument,
                           "t() takes at most 2 dimensions, got %d", v.dims);
  return v.dims == 2 ? transpose(v, 0, 1) : Error::Ok;
}

Error permute(ConstView& v, ArrayRef<int64_t> dims) {
  ET_CHECK_OR_RETURN_ERROR(
      dims.size() == static_cast<size_t>(v.dims), InvalidArgument,
      "%zu dimensions listed, the tensor has %d", dims.size(), v.dims);
  (void)ET_UNWRAP(dim_set(dims, v.dims));
  const ConstView from = v;
  for (int d = 0; d < v.dims; ++d) {
    const int64_t source = dims[d] + (dims[d] < 0 ? v.dims : 0);
    v.sizes[d] = from.sizes[source];
    v.strides[d] = from.strides[source];
  }
  return Error::Ok;
}

Error flip(ConstView& v, ArrayRef<int64_t> dims) {
  const uint32_t set = ET_UNWRAP(dim_set(dims, v.dims));
  for (int d = 0; d < v.dims; ++d) {
    if (set >> d & 1) {
      v.flip(d);
    }
  }
  return Error::Ok;
}

Error expand(ConstView& v, ArrayRef<int64_t> size, bool /*implicit*/) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_rank(size.size()));
  int64_t sizes[kMaxDims];
  const int added = static_cast<int>(size.size()) - v.dims;
  for (int d = 0; d < static_cast<int>(size.size()); ++d) {
    const bool keep = size[d] == -1 && d >= added && added >= 0;
    sizes[d] = keep ? v.sizes[d - added] : size[d];
  }
  return expand(v, {sizes, size.size()});
}

Error unsqueeze(ConstView& v, int64_t dim) {
  const int64_t at = ET_UNWRAP(wrap_dim(dim, v.dims + 1));
  v.insert(static_cast<int>(at), 1, 0);
  return Error::Ok;
}

Error squeeze_dims(ConstView& v, ArrayRef<int64_t> dims) {
  const uint32_t set = ET_UNWRAP(dim_set(dims, v.dims));
  for (int d = v.dims - 1; d >= 0; --d) {
    if ((set >> d & 1) != 0 && v.sizes[d] == 1) {
      v.remove(d);
    }
  }
  return Error::Ok;
}

Error squeeze_dim(ConstView& v, int64_t dim) { return squeeze_dims(v, {dim}); }

Error diagonal(ConstView& v, int64_t offset, int64_t dim1, int64_t dim2) {
  const int rows = static_cast<int>(ET_UNWRAP(wrap_dim(dim1, v.dims)));
  const int cols = static_cast<int>(ET_UNWRAP(wrap_dim(dim2, v.dims)));
  ET_CHECK_OR_RETURN_ERROR(v.dims >= 2 && rows != cols, InvalidArgument,
                           "a diagonal needs two different dimensions");
  // Past an edge the diagonal is empty; this also bounds the sums below.
  offset = std::clamp(offset, -v.sizes[rows], v.sizes[cols]);
  const int64_t first_row = std::max<int64_t>(-offset, 0);
  const int64_t first_col = std::max<int64_t>(offset, 0);
  const int64_t size =
      std::min(v.sizes[rows] - first_row, v.sizes[cols] - first_col);
  const int64_t stride = v.strides[rows] + v.strides[cols];
  if (size > 0) {
    v.data += first_row * v.strides[rows] + first_col * v.strides[cols];
  }
  v.remove(std::max(rows, cols));
  v.remove(std::min(rows, cols));
  v.append(size, stride);
  return Error::Ok;
}

Error unfold(ConstView& v, int64_t dimension, int64_t size, int64_t step) {
  const int d = static_cast<int>(ET_UNWRAP(wrap_dim(dimension, v.dims)));
  const int64_t have = v.dims == 0 ? 1 : v.sizes[d];
  ET_CHECK_OR_RETURN_ERROR(size >= 0 && size <= have && step > 0,
                           InvalidArgument,
                           "windows of size %" PRId64 " and step %" PRId64
                           " do not fit into a dimension of size %" PRId64,
                           size, step, have);
  if (v.dims == 0) {
    v.append(size, v.item);
    return Error::Ok;
  }
  const int64_t stride = v.strides[d];
  const int64_t windows = (have - size) / step + 1;
  v.sizes[d] = windows;
  v.strides[d] = windows == 1 ? 0 : stride * step;
  v.append(size, stride);
  return Error::Ok;
}

Error as_strided(KernelRuntimeContext&, const Tensor& self,
                 ArrayRef<int64_t> size, ArrayRef<int64_t> stride,
                 std::optional<int64_t> storage_offset, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_rank(size.size()));
  ET_CHECK_OR_RETURN_ERROR(size.size() == stride.size(), InvalidArgument,
                           "%zu sizes but %zu strides", size.size(),
                           stride.size());
  ConstView v = view(self);
  v.dims = 0;
  int64_t last = storage_offset.value_or(0);
  bool fits = last >= 0, empty = false;
  for (size_t d = 0; d < size.size(); ++d) {
    ET_CHECK_OR_RETURN_ERROR(stride[d] >= 0, InvalidArgument,
                             "stride %" PRId64 " of dimension %zu is negative",
                             stride[d], d);
    empty = empty || size[d] == 0;
    const bool moves = size[d] > 1;
    int64_t reach = 0;
    fits =
        fits &&
        !__builtin_mul_overflow(moves ? size[d] - 1 : 0, stride[d], &reach) &&
        !__builtin_add_overflow(last, reach, &last);
    v.append(size[d], moves && fits ? stride[d] * v.item : 0);
  }
  ET_CHECK_OR_RETURN_ERROR(
      storage_offset.value_or(0) >= 0 &&
          (empty || (fits && last < self.numel())),
      InvalidArgument,
      "the view reaches outside the %zd elements of the tensor (offset %" PRId64
      ")",
      static_cast<ssize_t>(self.numel()), storage_offset.value_or(0));
  if (!empty) {
    v.data += storage_offset.value_or(0) * v.item;
  }
  return deliver(v, self.scalar_type(), out);
}

Error view_as_real(KernelRuntimeContext&, const Tensor& self, Tensor& out) {
  const ScalarType dtype = self.scalar_type();
  ConstView v = view(self);
  v.item /= 2;
  v.append(2, v.item);
  return deliver(v,
                 dtype == ScalarType::ComplexFloat ? ScalarType::Float
                                                   : ScalarType::Double,
                 out);
}

// The sizes that `size` means for `numel` elements: one may be -1.
Result<Shape> infer_shape(ArrayRef<int64_t> size, int64_t numel) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_rank(size.size()));
  Shape shape;
  shape.dims = static_cast<int>(size.size());
  int64_t known = 1;
  int inferred = -1;
  bool fits = true;
  for (int d = 0; d < shape.dims; ++d) {
    if (size[d] == -1 && inferred < 0) {
      inferred = d;
      continue;
    }
    fits = fits && size[d] >= 0 &&
           size[d] <= std::numeric_limits<aten::SizesType>::max() &&
           !__builtin_mul_overflow(known, size[d], &known);
    shape.sizes[d] = static_cast<aten::SizesType>(size[d]);
  }
  if (inferred >= 0) {
    fits = fits && known > 0 && numel % known == 0;
    shape.sizes[inferred] =
        fits ? static_cast<aten::SizesType>(numel / known) : 0;
  } else {
    fits = fits && known == numel;
  }
  ET_CHECK_OR_RETURN_ERROR(
      fits, InvalidArgument,
      "the sizes asked for do not hold %" PRId64 " elements", numel);
  return shape;
}

Error view_copy(KernelRuntimeContext&, const Tensor& self,
                ArrayRef<int64_t> size, Tensor& out) {
  const Shape shape = ET_UNWRAP(infer_shape(size, self.numel()));
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(self.scalar_type(), out));
  ET_CHECK_OK_OR_RETURN_ERROR(runtime::resize_tensor(out, shape.view()));
  copy_flat(mutable_view(out), 0, view(self), 0, self.numel());
  return Error::Ok;
}

const Op kOps[] = {
    copies(view_op<same>("aten::alias_copy.out")),
    copies(view_op<same>("aten::detach_copy.out")),
    copies(view_op<same>("aten::lift_fresh_copy.out")),
    view_op<permute>("aten::permute_copy.out"),
    view_op<transpose>("aten::transpose_copy.int_out"),
    view_op<t>("aten::t_copy.out"),
    view_op<flip>("aten::flip.out"),
    reshapes(view_op<expand>("aten::expand_copy.out")),
    reshapes(view_op<unsqueeze>("aten::unsqueeze_copy.out")),
    reshapes(view_op<squeeze_dim>("aten::squeeze_copy.dim_out")),
    reshapes(view_op<squeeze_dims>("aten::squeeze_copy.dims_out")),
    view_op<diagonal>("aten::diagonal_copy.out"),
    view_op<unfold>("aten::unfold_copy.out"),
    op<kEveryDtype, as_strided>("aten::as_strided_copy.out"),
    op<kComplex, view_as_real>("aten::view_as_real_copy.out"),
    reshapes(op<kEveryDtype, view_copy>("aten::view_copy.out")),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
