// Operators that take a tensor apart along a dimension, or join tensors along
// one: slice, select, split, cat, stack.
#include <cinttypes>

#include "kernels/common/parallel.h"
#include "kernels/common/strided_loops.h"
#include "kernels/optimized/view_op.h"

namespace executorch::kernels {
namespace {

// Dimension `dim` of a tensor that must have one.
Result<int> sliced_dim(int64_t dim, int rank) {
  ET_CHECK_OR_RETURN_ERROR(rank > 0, InvalidArgument,
                           "a tensor without dimensions cannot be sliced");
  return static_cast<int>(ET_UNWRAP(wrap_dim(dim, rank)));
}

template <class V>
Error slice(V& v, int64_t dim, std::optional<int64_t> start,
            std::optional<int64_t> end, int64_t step) {
  const int d = ET_UNWRAP(sliced_dim(dim, v.dims));
  ET_CHECK_OR_RETURN_ERROR(step > 0, InvalidArgument,
                           "step %" PRId64 " is not positive", step);
  const int64_t size = v.sizes[d];
  const auto clip = [&](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + size : at, 0, size);
  };
  const int64_t first = clip(start.value_or(0));
  const int64_t last = std::max(clip(end.value_or(size)), first);
  const int64_t length = last - first;
  const int64_t count = length / step + (length % step != 0);
  v.slice(d, first, count, count > 1 ? step : 1);
  return Error::Ok;
}

template <class V>
Error select(V& v, int64_t dim, int64_t index) {
  const int d = ET_UNWRAP(sliced_dim(dim, v.dims));
  const int64_t size = v.sizes[d];
  ET_CHECK_OR_RETURN_ERROR(index >= -size && index < size, InvalidArgument,
                           "index %" PRId64 " is not in [%" PRId64 ", %" PRId64
                           ")",
                           index, -size, size);
  v.select(d, index < 0 ? index + size : index);
  return Error::Ok;
}

Error narrow(ConstView& v, int64_t dim, int64_t start, int64_t length) {
  const int d = ET_UNWRAP(sliced_dim(dim, v.dims));
  const int64_t size = v.sizes[d];
  ET_CHECK_OR_RETURN_ERROR(start >= -size && start <= size, InvalidArgument,
                           "start %" PRId64 " is not in [%" PRId64 ", %" PRId64
                           "]",
                           start, -size, size);
  start += start < 0 ? size : 0;
  ET_CHECK_OR_RETURN_ERROR(
      length >= 0 && length <= size - start, InvalidArgument,
      "length %" PRId64 " from %" PRId64 " on does not fit into size %" PRId64,
      length, start, size);
  v.slice(d, start, length);
  return Error::Ok;
}

// Copies `self` to `out`, and `src` over the part of it that `take` leaves of a
// view.
template <class Take>
Error scatter_view(const Tensor& self, const Tensor& src, Tensor& out,
                   Take take) {
  ConstView part = view(self);
  ET_CHECK_OK_OR_RETURN_ERROR(take(part));
  const ConstView from = view(src);
  ET_CHECK_OR_RETURN_ERROR(
      part.dims == from.dims &&
          std::equal(part.sizes, part.sizes + part.dims, from.sizes),
      InvalidArgument, "the source has not the sizes of the part it replaces");
  ET_CHECK_OK_OR_RETURN_ERROR(check_dtype(src.scalar_type(), kAnyDtype));
  ET_CHECK_OK_OR_RETURN_ERROR(deliver(view(self), self.scalar_type(), out));
  View to = mutable_view(out);
  ET_CHECK_OK_OR_RETURN_ERROR(take(to));
  copy(to, out.scalar_type(), from, src.scalar_type());
  return Error::Ok;
}

Error slice_scatter(KernelRuntimeContext&, const Tensor& self,
                    const Tensor& src, int64_t dim,
                    std::optional<int64_t> start, std::optional<int64_t> end,
                    int64_t step, Tensor& out) {
  return scatter_view(self, src, out,
                      [&](auto& v) { return slice(v, dim, start, end, step); });
}

Error select_scatter(KernelRuntimeContext&, const Tensor& self,
                     const Tensor& src, int64_t dim, int64_t index,
                     Tensor& out) {
  return scatter_view(self, src, out,
                      [&](auto& v) { return select(v, dim, index); });
}

// Delivers `count` parts; take(view, i) reduces a view of `self` to part i.
// Every output is checked before the first one is written.
template <class Take>
Error deliver_parts(const Tensor& self, int64_t count, ArrayRef<Tensor> outs,
                    Take take) {
  ET_CHECK_OR_RETURN_ERROR(static_cast<size_t>(count) == outs.size(),
                           InvalidArgument, "%" PRId64 " parts for %zu outputs",
                           count, outs.size());
  for (int64_t i = 0; i < count; ++i) {
    Tensor out = outs[i];
    ConstView part = view(self);
    take(part, i);
    ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(self.scalar_type(), out));
    ET_CHECK_OK_OR_RETURN_ERROR(resize(out, part));
  }
  for (int64_t i = 0; i < count; ++i) {
    Tensor out = outs[i];
    ConstView part = view(self);
    take(part, i);
    copy(mutable_view(out), part);
  }
  return Error::Ok;
}

Error split(KernelRuntimeContext&, const Tensor& self, int64_t split_size,
            int64_t dim, ArrayRef<Tensor> outs) {
  const int d = ET_UNWRAP(sliced_dim(dim, static_cast<int>(self.dim())));
  const int64_t size = self.size(d);
  ET_CHECK_OR_RETURN_ERROR(split_size > 0 || (split_size == 0 && size == 0),
                           InvalidArgument,
                           "size %" PRId64
                           " cannot be split into pieces of "
                           "size %" PRId64,
                           size, split_size);
  const int64_t count =
      size == 0 ? 1 : size / split_size + (size % split_size != 0);
  return deliver_parts(self, count, outs, [=](ConstView& v, int64_t i) {
    v.slice(d, i * split_size, std::min(split_size, size - i * split_size));
  });
}

Error split_with_sizes(KernelRuntimeContext&, const Tensor& self,
                       ArrayRef<int64_t> sizes, int64_t dim,
                       ArrayRef<Tensor> outs) {
  const int d = ET_UNWRAP(sliced_dim(dim, static_cast<int>(self.dim())));
  int64_t left = self.size(d);
  for (const int64_t size : sizes) {
    ET_CHECK_OR_RETURN_ERROR(size >= 0 && size <= left, InvalidArgument,
                             "a piece of size %" PRId64
                             " does not fit: %" PRId64 " is left",
                             size, left);
    left -= size;
  }
  ET_CHECK_OR_RETURN_ERROR(left == 0, InvalidArgument,
                           "the pieces leave %" PRId64 " of dimension %d", left,
                           d);
  return deliver_parts(self, static_cast<int64_t>(sizes.size()), outs,
                       [=](ConstView& v, int64_t i) {
                         int64_t start = 0;
                         for (int64_t k = 0; k < i; ++k) {
                           start += sizes[k];
                         }
                         v.slice(d, start, sizes[i]);
                       });
}

Error unbind(KernelRuntimeContext&, const Tensor& self, int64_t dim,
             ArrayRef<Tensor> outs) {
  const int d = ET_UNWRAP(sliced_dim(dim, static_cast<int>(self.dim())));
  return deliver_parts(self, self.size(d), outs,
                       [=](ConstView& v, int64_t i) { v.select(d, i); });
}

// Checks that the tensors have a common dtype that fits the output.
Error check_joined_dtypes(ArrayRef<Tensor> tensors, const Tensor& out) {
  ET_CHECK_OR_RETURN_ERROR(!tensors.empty(), InvalidArgument,
                           "there are no tensors to join");
  ResultType common;
  for (const Tensor& tensor : tensors) {
    common.add(tensor);
  }
  return check_cast(common.get(), out);
}

// A tensor [0] may stand for no tensor of any shape.
bool is_skipped(const Tensor& tensor) {
  return tensor.dim() == 1 && tensor.size(0) == 0;
}

// Joins short rows side by side, so that the result is written in one stream.
// False where that is not what there is to do.
bool join_rows(ArrayRef<Tensor> tensors, int d, Tensor& out) {
  constexpr int64_t kLongRow = 32 * 1024;  // bytes
  const View to = mutable_view(out);
  int64_t rows = 1, item = to.item;
  for (int k = 0; k < to.dims; ++k) {
    (k < d ? rows : item) *= k == d ? 1 : to.sizes[k];
  }
  const int64_t row = item * to.sizes[d];
  bool plain = to.is_contiguous() && rows > 1 && row > 0 && row <= kLongRow;
  for (const Tensor& tensor : tensors) {
    plain = plain && tensor.scalar_type() == out.scalar_type() &&
            tensor.dim() == to.dims && tensor.numel() > 0 &&
            view(tensor).is_contiguous();
  }
  if (!plain) {
    return false;
  }
  parallel(rows, kMoveGrain / row + 1, [&](int64_t begin, int64_t end) {
    char* at = to.data + begin * row;
    for (int64_t i = begin; i < end; ++i) {
      for (const Tensor& tensor : tensors) {
        const int64_t bytes = tensor.size(d) * item;
        const auto* from = static_cast<const char*>(tensor.const_data_ptr());
        copy_bytes(at, from + i * bytes, bytes);
        at += bytes;
      }
    }
  });
  return true;
}

Error cat(KernelRuntimeContext&, ArrayRef<Tensor> tensors, int64_t dim,
          Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_joined_dtypes(tensors, out));
  const Tensor* first = &tensors[0];
  for (const Tensor& tensor : tensors) {
    first = is_skipped(*first) ? &tensor : first;
    ET_CHECK_OR_RETURN_ERROR(tensor.dim() > 0, InvalidArgument,
                             "a tensor without dimensions cannot be joined");
  }
  ConstView shape = view(*first);
  const bool all_skipped = is_skipped(*first);
  const int d =
      all_skipped ? 0 : static_cast<int>(ET_UNWRAP(wrap_dim(dim, shape.dims)));
  shape.sizes[d] = 0;
  for (const Tensor& tensor : tensors) {
    if (is_skipped(tensor)) {
      continue;
    }
    bool fits = tensor.dim() == shape.dims;
    for (int k = 0; fits && k < shape.dims; ++k) {
      fits = k == d || tensor.size(k) == shape.sizes[k];
    }
    ET_CHECK_OR_RETURN_ERROR(
        fits, InvalidArgument,
        "tensors to join along dimension %d differ in another one", d);
    shape.sizes[d] += tensor.size(d);
  }
  ET_CHECK_OK_OR_RETURN_ERROR(resize(out, shape));

  if (join_rows(tensors, d, out)) {
    return Error::Ok;
  }
  const View whole = mutable_view(out);
  int64_t start = 0;
  for (const Tensor& tensor : tensors) {
    if (is_skipped(tensor)) {
      continue;
    }
    View part = whole;
    part.slice(d, start, tensor.size(d));
    copy(part, out.scalar_type(), view(tensor), tensor.scalar_type());
    start += tensor.size(d);
  }
  return Error::Ok;
}

Error stack(KernelRuntimeContext&, ArrayRef<Tensor> tensors, int64_t dim,
            Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_joined_dtypes(tensors, out));
  ConstView shape = view(tensors[0]);
  for (const Tensor& tensor : tensors) {
    ET_CHECK_OR_RETURN_ERROR(tensor.sizes() == tensors[0].sizes(),
                             InvalidArgument,
                             "tensors to stack differ in their sizes");
  }
  const int d = static_cast<int>(ET_UNWRAP(wrap_dim(dim, shape.dims + 1)));
  shape.insert(d, static_cast<int64_t>(tensors.size()), 0);
  ET_CHECK_OK_OR_RETURN_ERROR(resize(out, shape));
  for (size_t i = 0; i < tensors.size(); ++i) {
    View part = mutable_view(out);
    part.select(d, static_cast<int64_t>(i));
    copy(part, out.scalar_type(), view(tensors[i]), tensors[i].scalar_type());
  }
  return Error::Ok;
}

const Op kOps[] = {
    view_op<narrow>("aten::narrow_copy.out"),
    view_op<slice<ConstView>>("aten::slice_copy.Tensor_out"),
    view_op<select<ConstView>>("aten::select_copy.int_out"),
    op<kAnyDtype, slice_scatter>("aten::slice_scatter.out"),
    op<kAnyDtype, select_scatter>("aten::select_scatter.out"),
    op<kEveryDtype, split>("aten::split_copy.Tensor_out"),
    op<kEveryDtype, split_with_sizes>("aten::split_with_sizes_copy.out"),
    op<kEveryDtype, unbind>("aten::unbind_copy.int_out"),
    op<kAnyDtype, cat>("aten::cat.out"),
    op<kAnyDtype, stack>("aten::stack.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
