#include "kernels/common/lines.h"

#include "kernels/common/convert.h"

namespace executorch::kernels {

using aten::ScalarType;

template <class Byte>
Lines<Byte>::Lines(const BasicView<Byte>& view, int first, ScalarType dtype,
                   ScalarType as)
    : outer_(view), line_(view), dtype_(dtype), as_(as) {
  outer_.dims = first;
  line_.dims = 0;
  for (int d = first; d < view.dims; ++d) {
    line_.append(view.sizes[d], view.strides[d]);
  }
  length_ = line_.numel();
  in_place_ = dtype == as && line_.is_contiguous();
}

template <class Byte>
int64_t Lines<Byte>::offset(int64_t i) const {
  int64_t offset = 0;
  for (int d = outer_.dims - 1; d > 0; --d) {
    offset += i % outer_.sizes[d] * outer_.strides[d];
    i /= outer_.sizes[d];
  }
  return outer_.dims > 0 ? offset + i * outer_.strides[0] : 0;
}

template <class Byte>
BasicView<Byte> Lines<Byte>::line(int64_t i) const {
  BasicView<Byte> view = line_;
  view.data += offset(i);
  return view;
}

namespace {

// Consecutive elements of the same shape as `line`.
template <class ToByte, class Byte>
BasicView<ToByte> dense(ToByte* data, ScalarType dtype,
                        const BasicView<Byte>& line) {
  BasicView<ToByte> view(data, item_size(dtype));
  view.reshape(line.sizes, line.dims);
  return view;
}

}  // namespace

template <class Byte>
void Lines<Byte>::copy_to(int64_t i, void* elements) const {
  const BasicView<Byte> from = line(i);
  (void)copy(dense(static_cast<char*>(elements), as_, from), as_, from, dtype_);
}

template <>
void Lines<char>::copy_from(int64_t i, const void* elements) const {
  const View to = line(i);
  (void)copy(to, dtype_, dense(static_cast<const char*>(elements), as_, to),
             as_);
}

template class Lines<const char>;
template class Lines<char>;

}  // namespace executorch::kernels
