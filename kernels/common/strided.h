// Copies between strided regions of memory.
//
// A view is a region: an item size, sizes, and strides in bytes, which may be
// zero or negative. Whatever an operator does to the shape of a tensor without
// computing (slice, permute, expand, flip, pad, ...), it does to a view of it;
// one copy() then moves the items. Only the size of an item matters, not its
// dtype: an operator that copies is written once for all of them.
//
// The caller checks arguments first; a view trusts them.
#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "kernels/common/checks.h"

namespace executorch::kernels {

// More than a tensor has: some operators split dimensions (repeat, unfold).
inline constexpr int kMaxViewDims = 2 * runtime::kTensorDimensionLimit;

template <class Byte>
struct BasicView {
  Byte* data = nullptr;
  int64_t item = 1;
  int dims = 0;
  int64_t sizes[kMaxViewDims];
  int64_t strides[kMaxViewDims];

  BasicView(Byte* data, int64_t item) : data(data), item(item) {}

  // Copies only the dimensions in use.
  BasicView(const BasicView& x) { *this = x; }
  BasicView& operator=(const BasicView& x) { return assign(x); }
  template <class Other>
  BasicView(const BasicView<Other>& x) {
    assign(x);
  }

  aten::ArrayRef<int64_t> shape() const {
    return {sizes, static_cast<size_t>(dims)};
  }
  int64_t numel() const {
    int64_t n = 1;
    for (int d = 0; d < dims; ++d) {
      n *= sizes[d];
    }
    return n;
  }

  // Keeps `length` items of a dimension from `start` on, each `step`-th.
  void slice(int dim, int64_t start, int64_t length, int64_t step = 1) {
    data += start * strides[dim];
    sizes[dim] = length;
    strides[dim] *= step;
  }
  void select(int dim, int64_t index) {
    data += index * strides[dim];
    remove(dim);
  }
  void flip(int dim) {
    if (sizes[dim] > 0) {
      slice(dim, sizes[dim] - 1, sizes[dim], -1);
    }
  }
  void swap(int a, int b) {
    std::swap(sizes[a], sizes[b]);
    std::swap(strides[a], strides[b]);
  }
  void insert(int dim, int64_t size, int64_t stride) {
    for (int d = dims; d > dim; --d) {
      sizes[d] = sizes[d - 1];
      strides[d] = strides[d - 1];
    }
    sizes[dim] = size;
    strides[dim] = stride;
    ++dims;
  }
  void append(int64_t size, int64_t stride) { insert(dims, size, stride); }
  void remove(int dim) {
    for (int d = dim + 1; d < dims; ++d) {
      sizes[d - 1] = sizes[d];
      strides[d - 1] = strides[d];
    }
    --dims;
  }
  // One dimension becomes two, the inner one of size `inner`.
  void split(int dim, int64_t inner) {
    const int64_t outer = inner == 0 ? 0 : sizes[dim] / inner;
    insert(dim, outer, strides[dim] * inner);
    sizes[dim + 1] = inner;
  }

  // Whether the items lie in memory in logical order without gaps.
  bool is_contiguous() const {
    int64_t expected = item;
    for (int d = dims - 1; d >= 0; --d) {
      if (sizes[d] != 1 && strides[d] != expected) {
        return numel() == 0;
      }
      expected *= sizes[d];
    }
    return true;
  }
  // Gives a contiguous view another shape with as many items.
  template <class Size>
  void reshape(const Size* new_sizes, int count) {
    dims = count;
    int64_t stride = item;
    for (int d = count - 1; d >= 0; --d) {
      sizes[d] = new_sizes[d];
      strides[d] = stride;
      stride *= sizes[d];
    }
  }

 private:
  template <class Other>
  BasicView& assign(const BasicView<Other>& x) {
    data = x.data;
    item = x.item;
    dims = x.dims;
    std::copy_n(x.sizes, x.dims, sizes);
    std::copy_n(x.strides, x.dims, strides);
    return *this;
  }
};

using View = BasicView<char>;
using ConstView = BasicView<const char>;

ConstView view(const aten::Tensor& tensor);
View mutable_view(aten::Tensor& tensor);

// Copies items between regions of equal sizes that do not overlap.
void copy(const View& dst, const ConstView& src);

// The same with a conversion of each item. The caller has checked that there is
// one between the two dtypes.
void copy(const View& dst, aten::ScalarType to, const ConstView& src,
          aten::ScalarType from);

// Copies `count` items from number `src_first` to number `dst_first` on,
// numbered in logical order, between regions of any sizes.
void copy_flat(const View& dst, int64_t dst_first, const ConstView& src,
               int64_t src_first, int64_t count);

// Sets every item to the one at `value`.
void fill(const View& dst, const void* value);

// Gives `out` other sizes, or those of a view.
runtime::Error resize(aten::Tensor& out, aten::ArrayRef<int64_t> sizes);
runtime::Error resize(aten::Tensor& out, const ConstView& like);

// Repeats the items of `v` so that it gets `sizes`, as broadcasting does.
runtime::Error expand(ConstView& v, aten::ArrayRef<int64_t> sizes);

// Checks a memory format argument. It says nothing that the dim order of the
// output does not say; only dim orders tell layouts here.
runtime::Error check_format(std::optional<aten::MemoryFormat> format);

// Makes `out` the tensor of dtype `dtype` that `src` shows.
runtime::Error deliver(const ConstView& src, aten::ScalarType dtype,
                       aten::Tensor& out);

}  // namespace executorch::kernels
