// Operators that move single elements from or to the place that an index tells
// along one dimension of a table: gather, scatter, scatter_add.
#include <cinttypes>
#include <cstring>
#include <utility>

#include "kernels/common/checks.h"
#include "kernels/common/op.h"
#include "kernels/common/strided_loops.h"
#include "kernels/optimized/item.h"

namespace executorch::kernels {
namespace {

// A tensor without dimensions counts as one of size 1.
ConstView with_dims(ConstView v) {
  if (v.dims == 0) {
    v.append(1, v.item);
  }
  return v;
}

// An index tensor with the two tensors that elements move between.
class Lines {
 public:
  // Checks the indices along dimension `dim` of a table. The elements are a
  // tensor that has one for each index, perhaps more.
  Error init(const ConstView& table, int64_t dim, const Tensor& index,
             const ConstView& elements);

  // Calls move(table item, element) for the indices from `begin` to `end`.
  template <class Move>
  void for_each(const View& table, const View& elements, int64_t begin,
                int64_t end, Move move) const;

 private:
  // The part of a tensor that has as many items as there are indices.
  View restrict(View v) const {
    if (v.dims == 0) {
      v.append(1, v.item);
    }
    std::copy_n(index_.sizes, index_.dims, v.sizes);
    return v;
  }

  int dim_ = 0;
  ConstView index_{nullptr, 1};
  ScalarType dtype_;
};

Error Lines::init(const ConstView& table, int64_t dim, const Tensor& index,
                  const ConstView& elements) {
  const ConstView t = with_dims(table), e = with_dims(elements);
  index_ = with_dims(view(index));
  dtype_ = index.scalar_type();
  dim_ = static_cast<int>(ET_UNWRAP(wrap_dim(dim, t.dims)));
  if (index.numel() == 0) {
    return Error::Ok;
  }
  ET_CHECK_OK_OR_RETURN_ERROR(
      check_dtype(dtype_, dtype_set(ScalarType::Int, ScalarType::Long)));
  ET_CHECK_OR_RETURN_ERROR(
      index_.dims == t.dims && index_.dims == e.dims, InvalidArgument,
      "an index of %d dimensions for a table of %d and elements of %d",
      index_.dims, t.dims, e.dims);
  for (int d = 0; d < index_.dims; ++d) {
    ET_CHECK_OR_RETURN_ERROR(index_.sizes[d] <= e.sizes[d] &&
                                 (d == dim_ || index_.sizes[d] <= t.sizes[d]),
                             InvalidArgument,
                             "the index has size %" PRId64
                             " in dimension %d, the table %" PRId64
                             " and the elements %" PRId64,
                             index_.sizes[d], d, t.sizes[d], e.sizes[d]);
  }
  const int64_t size = t.sizes[dim_];
  const char* wrong = nullptr;
  for_each_item(index_, [&](const char* item) {
    const int64_t value = read_index(item, dtype_);
    wrong = value < 0 || value >= size ? item : wrong;
  });
  ET_CHECK_OR_RETURN_ERROR(wrong == nullptr, InvalidArgument,
                           "index %" PRId64 " is not in [0, %" PRId64
                           ") (dimension %d)",
                           read_index(wrong, dtype_), size, dim_);
  return Error::Ok;
}

template <class Move>
void Lines::for_each(const View& table, const View& elements, int64_t begin,
                     int64_t end, Move move) const {
  if (begin == end) {
    return;
  }
  View t = restrict(table), e = restrict(elements);
  const int64_t step = std::exchange(t.strides[dim_], 0);
  Walker<ConstView> index_at(index_, begin);
  Walker<View> table_at(t, begin), element_at(e, begin);
  while (begin < end) {
    const int64_t n = std::min(index_at.left_in_row(), end - begin);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at =
          read_index(index_at.data() + i * index_at.stride(), dtype_);
      move(table_at.data() + i * table_at.stride() + at * step,
           element_at.data() + i * element_at.stride());
    }
    index_at.advance(n);
    table_at.advance(n);
    element_at.advance(n);
    begin += n;
  }
}

template <int64_t kItem>
struct MoveItem {
  void operator()(char* to, const char* from) const {
    std::memcpy(to, from, kItem);
  }
};

// Calls f(MoveItem<item>{}).
template <class F>
void visit_item(int64_t item, F f) {
  switch (item) {
    case 1:
      return f(MoveItem<1>{});
    case 2:
      return f(MoveItem<2>{});
    case 4:
      return f(MoveItem<4>{});
    case 8:
      return f(MoveItem<8>{});
    default:
      return f(MoveItem<16>{});
  }
}

Error gather(KernelRuntimeContext&, const Tensor& self, int64_t dim,
             const Tensor& index, bool /*sparse_grad*/, Tensor& out) {
  const ConstView table = view(self), places = view(index);
  Lines lines;
  ET_CHECK_OK_OR_RETURN_ERROR(lines.init(table, dim, index, places));
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(self.scalar_type(), out));
  ET_CHECK_OK_OR_RETURN_ERROR(resize(out, places));
  const View from = without_const(table), to = mutable_view(out);
  visit_item(to.item, [&](auto move) {
    parallel(index.numel(), kGrainBytes / 16, [&](int64_t begin, int64_t end) {
      lines.for_each(from, to, begin, end,
                     [=](char* item, char* element) { move(element, item); });
    });
  });
  return Error::Ok;
}

// Copies `self` to `out` and moves each element of `elements` to the place
// that its index tells.
template <class Move>
Error scatter_elements(const Tensor& self, int64_t dim, const Tensor& index,
                       const ConstView& elements, Tensor& out, Move move) {
  const ConstView before = view(self);
  Lines lines;
  ET_CHECK_OK_OR_RETURN_ERROR(lines.init(before, dim, index, elements));
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(self.scalar_type(), out));
  ET_CHECK_OK_OR_RETURN_ERROR(resize(out, before));
  const View table = mutable_view(out);
  copy(table, before);
  lines.for_each(table, without_const(elements), 0, index.numel(), move);
  return Error::Ok;
}

Error check_source(const Tensor& self, const Tensor& src) {
  ET_CHECK_OR_RETURN_ERROR(self.scalar_type() == src.scalar_type(),
                           InvalidArgument,
                           "the source has dtype %s, the tensor has %s",
                           runtime::toString(src.scalar_type()),
                           runtime::toString(self.scalar_type()));
  return Error::Ok;
}

Error scatter(KernelRuntimeContext&, const Tensor& self, int64_t dim,
              const Tensor& index, const Tensor& src, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_source(self, src));
  const ConstView elements = view(src);
  Error error = Error::Ok;
  visit_item(elements.item, [&](auto move) {
    error = scatter_elements(self, dim, index, elements, out, move);
  });
  return error;
}

Error scatter_value(KernelRuntimeContext&, const Tensor& self, int64_t dim,
                    const Tensor& index, const Scalar& value, Tensor& out) {
  const ScalarType dtype = self.scalar_type();
  ET_CHECK_OK_OR_RETURN_ERROR(check_fits(value, dtype));
  const Number element = number(value, dtype);
  ConstView elements = view(index);  // the same element at every index
  elements.data = reinterpret_cast<const char*>(element.bytes);
  elements.item = self.element_size();
  std::fill_n(elements.strides, elements.dims, 0);
  Error error = Error::Ok;
  visit_item(elements.item, [&](auto move) {
    error = scatter_elements(self, dim, index, elements, out, move);
  });
  return error;
}

Error scatter_add(KernelRuntimeContext&, const Tensor& self, int64_t dim,
                  const Tensor& index, const Tensor& src, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_source(self, src));
  Error error = Error::Ok;
  visit(RealBoolTypes{}, self.scalar_type(), [&](auto tag) {
    error = scatter_elements(self, dim, index, view(src), out,
                             add_item<typename decltype(tag)::type>);
  });
  return error;
}

const Op kOps[] = {
    op<kEveryDtype, gather>("aten::gather.out"),
    op<kEveryDtype, scatter>("aten::scatter.src_out"),
    op<kAnyDtype, scatter_value>("aten::scatter.value_out"),
    op<dtype_set(RealBoolTypes{}), scatter_add>("aten::scatter_add.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
