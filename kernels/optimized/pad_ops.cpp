// Padding with a number, by reflection and by repeating the border.
//
// Along each dimension the result has three parts: places before the input,
// inside it and after it. Each part is a view of the input: reversed for
// reflection, a border item repeated for replication.
#include <cinttypes>
#include <limits>

#include "kernels/common/checks.h"
#include "kernels/common/op.h"
#include "kernels/common/strided.h"

namespace executorch::kernels {
namespace {

// Which places of a dimension of the input the result shows: from `first` up to
// but not including `last`, perhaps outside of [0, size).
struct Range {
  int64_t first, last, size;

  int64_t length() const { return last - first; }
};

// The list of pads has two for each dimension, the last dimension first.
// Dimensions that it does not mention are shown as they are.
Error read_pads(ArrayRef<int64_t> pads, const ConstView& v, Range* ranges) {
  ET_CHECK_OR_RETURN_ERROR(
      pads.size() % 2 == 0 && pads.size() / 2 <= static_cast<size_t>(v.dims),
      InvalidArgument, "%zu pads for a tensor of %d dimensions", pads.size(),
      v.dims);
  for (int d = 0; d < v.dims; ++d) {
    ranges[d] = {0, v.sizes[d], v.sizes[d]};
  }
  constexpr int64_t kMax = std::numeric_limits<aten::SizesType>::max();
  for (size_t i = 0; i < pads.size(); i += 2) {
    Range& range = ranges[v.dims - 1 - i / 2];
    const int64_t before = pads[i], after = pads[i + 1];
    ET_CHECK_OR_RETURN_ERROR(
        before >= -kMax && before <= kMax && after >= -kMax && after <= kMax &&
            range.size + before + after >= 0,
        InvalidArgument,
        "size %" PRId64 " cannot be padded by %" PRId64 " and %" PRId64,
        range.size, before, after);
    range.first = -before;
    range.last += after;
  }
  return Error::Ok;
}

Error resize_padded(Tensor& out, const ConstView& src, const Range* ranges) {
  ConstView shape = src;
  for (int d = 0; d < shape.dims; ++d) {
    shape.sizes[d] = ranges[d].length();
  }
  return resize(out, shape);
}

Error constant_pad(KernelRuntimeContext&, const Tensor& self,
                   ArrayRef<int64_t> pads, const Scalar& value, Tensor& out) {
  ConstView src = view(self);
  const ScalarType dtype = self.scalar_type();
  Range ranges[runtime::kTensorDimensionLimit];
  ET_CHECK_OK_OR_RETURN_ERROR(read_pads(pads, src, ranges));
  for (int d = 0; d < src.dims; ++d) {
    const Range& r = ranges[d];
    const int64_t first = std::max<int64_t>(r.first, 0);
    const int64_t last = std::min(r.last, r.size);
    ET_CHECK_OR_RETURN_ERROR(first <= last, InvalidArgument,
                             "pads take away more than the size %" PRId64
                             " of dimension %d",
                             r.size, d);
    src.slice(d, first, last - first);
  }
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(dtype, out));
  if (!is_in(dtype, kHalfs)) {
    ET_CHECK_OK_OR_RETURN_ERROR(check_fits(value, dtype));
  }
  ET_CHECK_OK_OR_RETURN_ERROR(resize_padded(out, src, ranges));

  // Fills what is before and after the input in one dimension after the other,
  // each time only beside what is left of the output.
  View dst = mutable_view(out);
  const Number number = kernels::number(value, dtype);
  for (int d = 0; d < src.dims; ++d) {
    const int64_t before = std::max<int64_t>(-ranges[d].first, 0);
    const int64_t end = before + src.sizes[d];
    View border = dst;
    border.slice(d, 0, before);
    fill(border, number.bytes);
    border = dst;
    border.slice(d, end, dst.sizes[d] - end);
    fill(border, number.bytes);
    dst.slice(d, before, src.sizes[d]);
  }
  copy(dst, src);
  return Error::Ok;
}

// How places outside of a dimension of size n are shown, as the place that the
// first of them, i, shows and the step from there on.
struct Reflect {
  static int64_t before(int64_t i) { return -i; }
  static int64_t after(int64_t i, int64_t n) { return 2 * (n - 1) - i; }
  static constexpr int64_t kStep = -1;
};
struct Replicate {
  static int64_t before(int64_t) { return 0; }
  static int64_t after(int64_t, int64_t n) { return n - 1; }
  static constexpr int64_t kStep = 0;
};

template <class Border>
void pad_from(int d, const View& dst, const ConstView& src,
              const Range* ranges) {
  if (d == src.dims) {
    copy(dst, src);
    return;
  }
  const Range& r = ranges[d];
  // The places [begin, end) show those from `shows` on.
  const auto part = [&](int64_t begin, int64_t end, int64_t shows,
                        int64_t step) {
    if (begin < end) {
      View dst_part = dst;
      ConstView src_part = src;
      dst_part.slice(d, begin - r.first, end - begin);
      src_part.slice(d, shows, end - begin, step);
      pad_from<Border>(d + 1, dst_part, src_part, ranges);
    }
  };
  const int64_t inside = std::max<int64_t>(r.first, 0);
  const int64_t after = std::max(r.first, r.size);
  part(r.first, std::min<int64_t>(r.last, 0), Border::before(r.first),
       Border::kStep);
  part(inside, std::min(r.last, r.size), inside, 1);
  part(after, r.last, Border::after(after, r.size), Border::kStep);
}

template <int kDims, class Border>
Error border_pad(KernelRuntimeContext&, const Tensor& self,
                 ArrayRef<int64_t> pads, Tensor& out) {
  const ConstView src = view(self);
  ET_CHECK_OR_RETURN_ERROR(
      (src.dims == kDims + 1 || src.dims == kDims + 2) &&
          pads.size() == 2 * kDims,
      InvalidArgument,
      "%zu pads for %d dimensions, expected %d for %d or %d dimensions",
      pads.size(), src.dims, 2 * kDims, kDims + 1, kDims + 2);
  Range ranges[runtime::kTensorDimensionLimit];
  ET_CHECK_OK_OR_RETURN_ERROR(read_pads(pads, src, ranges));
  int64_t longest = 0;
  for (int d = src.dims - kDims - 1; d < src.dims; ++d) {
    const Range& r = ranges[d];
    const bool reaches =
        Border::kStep == 0 || (-r.first < r.size && r.last - r.size < r.size);
    ET_CHECK_OR_RETURN_ERROR(r.size > 0 && reaches, InvalidArgument,
                             "size %" PRId64 " cannot be padded by %" PRId64
                             " and %" PRId64 " in this way (dimension %d)",
                             r.size, -r.first, r.last - r.size, d);
    longest = d < src.dims - kDims ? longest : std::max(longest, r.length());
  }
  ET_CHECK_OR_RETURN_ERROR(longest > 0, InvalidArgument,
                           "nothing is left of the padded dimensions");
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(self.scalar_type(), out));
  ET_CHECK_OK_OR_RETURN_ERROR(resize_padded(out, src, ranges));
  pad_from<Border>(0, mutable_view(out), src, ranges);
  return Error::Ok;
}

const Op kOps[] = {
    op<kAnyDtype, constant_pad>("aten::constant_pad_nd.out"),
    op<kReal | kComplex, border_pad<1, Reflect>>("aten::reflection_pad1d.out"),
    op<kReal | kComplex, border_pad<2, Reflect>>("aten::reflection_pad2d.out"),
    op<kReal | kComplex, border_pad<3, Reflect>>("aten::reflection_pad3d.out"),
    op<kReal | kComplex, border_pad<1, Replicate>>(
        "aten::replication_pad1d.out"),
    op<kReal | kComplex, border_pad<2, Replicate>>(
        "aten::replication_pad2d.out"),
    op<kReal | kComplex, border_pad<3, Replicate>>(
        "aten::replication_pad3d.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
