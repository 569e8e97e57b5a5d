// Operators that work on one line of a tensor after the other: softmax, norms,
// cumulative sums.
//
// A line is what the last dimensions of a view make up. An operator sees it as
// consecutive elements of one compute type, whatever the layout and dtype of
// the tensor: where they lie like that in memory they are used in place, else
// they are copied.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "kernels/common/parallel.h"
#include "kernels/common/scratch.h"
#include "kernels/common/strided.h"

namespace executorch::kernels {

// The lines of a view whose dimensions from `first` on make up a line, as
// elements of dtype `as`.
template <class Byte>
class Lines {
 public:
  Lines(const BasicView<Byte>& view, int first, aten::ScalarType dtype,
        aten::ScalarType as);

  int64_t count() const { return outer_.numel(); }
  int64_t length() const { return length_; }
  bool in_place() const { return in_place_; }

  // The line itself, or null if it has to be copied.
  Byte* direct(int64_t i) const {
    return in_place_ ? outer_.data + offset(i) : nullptr;
  }
  void copy_to(int64_t i, void* elements) const;
  void copy_from(int64_t i, const void* elements) const;  // outputs only

 private:
  int64_t offset(int64_t i) const;
  BasicView<Byte> line(int64_t i) const;

  BasicView<Byte> outer_;
  BasicView<Byte> line_;
  aten::ScalarType dtype_, as_;
  int64_t length_ = 1;
  bool in_place_;
};

using LinesIn = Lines<const char>;
using LinesOut = Lines<char>;

// The view with dimension `dim` moved to the end; a view without dimensions
// gets one of size 1.
template <class Byte>
BasicView<Byte> move_to_end(BasicView<Byte> view, int64_t dim) {
  if (view.dims == 0) {
    view.append(1, view.item);
    return view;
  }
  const int64_t size = view.sizes[dim], stride = view.strides[dim];
  view.remove(static_cast<int>(dim));
  view.append(size, stride);
  return view;
}

// Calls f(i, x, y) with line i of the input and the line of the output that it
// fills, perhaps for several lines at the same time.
template <class T, class F>
runtime::Error for_each_line(const LinesIn& in, const LinesOut& out, F f) {
  constexpr int64_t kGrain = 8 * 1024;
  std::atomic<bool> out_of_memory{false};
  const int64_t grain =
      std::max<int64_t>(1, kGrain / std::max<int64_t>(1, in.length()));
  parallel(in.count(), grain, [&](int64_t begin, int64_t end) {
    Scratch in_scratch, out_scratch;
    T* const x_copy =
        in.in_place() ? nullptr : in_scratch.array<T>(in.length());
    T* const y_copy =
        out.in_place() ? nullptr : out_scratch.array<T>(out.length());
    if ((!in.in_place() && x_copy == nullptr) ||
        (!out.in_place() && y_copy == nullptr)) {
      out_of_memory = true;
      return;
    }
    for (int64_t i = begin; i < end; ++i) {
      if (x_copy != nullptr) {
        in.copy_to(i, x_copy);
      }
      const T* x =
          x_copy != nullptr ? x_copy : reinterpret_cast<const T*>(in.direct(i));
      T* y = y_copy != nullptr ? y_copy : reinterpret_cast<T*>(out.direct(i));
      f(i, x, y);
      if (y_copy != nullptr) {
        out.copy_from(i, y_copy);
      }
    }
  });
  ET_CHECK_OR_RETURN_ERROR(!out_of_memory, MemoryAllocationFailed,
                           "no memory for a line of %lld elements",
                           static_cast<long long>(in.length()));
  return runtime::Error::Ok;
}

}  // namespace executorch::kernels
