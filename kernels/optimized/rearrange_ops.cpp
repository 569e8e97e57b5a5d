// Operators that copy a tensor piece by piece: repeat, roll, pixel shuffles,
// triangles.
#include <cinttypes>
#include <limits>

#include "kernels/optimized/view_op.h"

namespace executorch::kernels {
namespace {

Error repeat(KernelRuntimeContext&, const Tensor& self,
             ArrayRef<int64_t> repeats, Tensor& out) {
  ConstView src = view(self);
  const int dims = static_cast<int>(repeats.size());
  ET_CHECK_OR_RETURN_ERROR(
      dims >= src.dims && repeats.size() <= runtime::kTensorDimensionLimit,
      InvalidArgument, "%zu repeats for a tensor of %d dimensions",
      repeats.size(), src.dims);
  while (src.dims < dims) {
    src.insert(0, 1, 0);
  }
  ConstView shape = src;
  for (int d = 0; d < dims; ++d) {
    ET_CHECK_OR_RETURN_ERROR(
        repeats[d] >= 0 &&
            !__builtin_mul_overflow(src.sizes[d], repeats[d], &shape.sizes[d]),
        InvalidArgument, "dimension %d cannot be repeated %" PRId64 " times", d,
        repeats[d]);
  }
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(self.scalar_type(), out));
  ET_CHECK_OK_OR_RETURN_ERROR(resize(out, shape));
  if (out.numel() == 0) {
    return Error::Ok;
  }
  // Each dimension becomes the number of the copy and the place in it.
  View dst = mutable_view(out);
  for (int d = dims - 1; d >= 0; --d) {
    dst.split(d, src.sizes[d]);
    src.insert(d, repeats[d], 0);
  }
  copy(dst, src);
  return Error::Ok;
}

// Moves every item by shift[d] in each dimension from `d` on, where 0 <=
// shift[d] < size; those pushed out at the end come in at the start.
void roll_from(int d, const View& dst, const ConstView& src,
               const int64_t* shift) {
  while (d < src.dims && shift[d] == 0) {
    ++d;
  }
  if (d == src.dims) {
    copy(dst, src);
    return;
  }
  const auto move = [&](int64_t from, int64_t to, int64_t length) {
    View dst_part = dst;
    ConstView src_part = src;
    dst_part.slice(d, to, length);
    src_part.slice(d, from, length);
    roll_from(d + 1, dst_part, src_part, shift);
  };
  const int64_t kept = src.sizes[d] - shift[d];
  move(0, shift[d], kept);
  move(kept, 0, shift[d]);
}

int64_t modulo(int64_t x, int64_t size) {
  return size == 0 ? 0 : (x % size + size) % size;
}

Error roll(KernelRuntimeContext&, const Tensor& self, ArrayRef<int64_t> shifts,
           ArrayRef<int64_t> dims, Tensor& out) {
  const ConstView src = view(self);
  const bool flat = dims.empty() && shifts.size() == 1;
  ET_CHECK_OR_RETURN_ERROR(
      flat || (!shifts.empty() && shifts.size() == dims.size() && src.dims > 0),
      InvalidArgument, "%zu shifts for %zu dimensions", shifts.size(),
      dims.size());
  int64_t shift[runtime::kTensorDimensionLimit] = {};
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t d = ET_UNWRAP(wrap_dim(dims[i], src.dims));
    shift[d] = modulo(shift[d] + modulo(shifts[i], src.sizes[d]), src.sizes[d]);
  }
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(self.scalar_type(), out));
  ET_CHECK_OK_OR_RETURN_ERROR(resize(out, src));
  const View dst = mutable_view(out);
  if (flat) {
    const int64_t wrapped = modulo(shifts[0], self.numel());
    const int64_t kept = self.numel() - wrapped;
    copy_flat(dst, wrapped, src, 0, kept);
    copy_flat(dst, 0, src, kept, wrapped);
  } else {
    roll_from(0, dst, src, shift);
  }
  return Error::Ok;
}

// Shows [..., C * r * r, H, W] as [..., C, H, r, W, r]: an image of blocks of r
// by r pixels that has a channel for each pixel of a block.
template <class V>
void channels_to_blocks(V& v, int64_t r) {
  const int c = v.dims - 3;
  v.split(c, r);
  v.split(c, r);  // C r r H W
  v.swap(c + 1, c + 3);
  v.swap(c + 2, c + 3);  // C H r r W
  v.swap(c + 3, c + 4);
}

// Shows [..., C, H * r, W * r] in the same way.
template <class V>
void pixels_to_blocks(V& v, int64_t r) {
  const int c = v.dims - 3;
  v.split(c + 2, r);
  v.split(c + 1, r);
}

Error check_shuffle(const ConstView& v, int64_t factor) {
  ET_CHECK_OR_RETURN_ERROR(
      v.dims >= 3 && factor > 0 && factor <= std::numeric_limits<int>::max(),
      InvalidArgument,
      "pixels of a tensor of %d dimensions by a factor of %" PRId64
      ": at least 3 and a positive one are needed",
      v.dims, factor);
  return Error::Ok;
}

Error pixel_shuffle(KernelRuntimeContext&, const Tensor& self, int64_t r,
                    Tensor& out) {
  ConstView src = view(self);
  ET_CHECK_OK_OR_RETURN_ERROR(check_shuffle(src, r));
  ConstView shape = src;
  int64_t* chw = shape.sizes + shape.dims - 3;
  ET_CHECK_OR_RETURN_ERROR(chw[0] % (r * r) == 0, InvalidArgument,
                           "%" PRId64
                           " channels do not divide by the square of %" PRId64,
                           chw[0], r);
  chw[0] /= r * r;
  chw[1] *= r;
  chw[2] *= r;
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(self.scalar_type(), out));
  ET_CHECK_OK_OR_RETURN_ERROR(resize(out, shape));
  View dst = mutable_view(out);
  pixels_to_blocks(dst, r);
  channels_to_blocks(src, r);
  copy(dst, src);
  return Error::Ok;
}

Error pixel_unshuffle(KernelRuntimeContext&, const Tensor& self, int64_t r,
                      Tensor& out) {
  ConstView src = view(self);
  ET_CHECK_OK_OR_RETURN_ERROR(check_shuffle(src, r));
  ConstView shape = src;
  int64_t* chw = shape.sizes + shape.dims - 3;
  ET_CHECK_OR_RETURN_ERROR(chw[1] % r == 0 && chw[2] % r == 0 &&
                               !__builtin_mul_overflow(chw[0], r * r, &chw[0]),
                           InvalidArgument,
                           "%" PRId64 " x %" PRId64
                           " pixels do not divide into blocks of %" PRId64,
                           chw[1], chw[2], r);
  chw[1] /= r;
  chw[2] /= r;
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(self.scalar_type(), out));
  ET_CHECK_OK_OR_RETURN_ERROR(resize(out, shape));
  View dst = mutable_view(out);
  channels_to_blocks(dst, r);
  pixels_to_blocks(src, r);
  copy(dst, src);
  return Error::Ok;
}

Error tril(KernelRuntimeContext&, const Tensor& self, int64_t diagonal,
           Tensor& out) {
  const ConstView src = view(self);
  ET_CHECK_OR_RETURN_ERROR(src.dims >= 2, InvalidArgument,
                           "a triangle needs 2 dimensions, got %d", src.dims);
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(self.scalar_type(), out));
  ET_CHECK_OK_OR_RETURN_ERROR(resize(out, src));
  const View dst = mutable_view(out);
  const int rows = src.dims - 2, cols = src.dims - 1;
  diagonal = std::clamp(diagonal, -src.sizes[rows], src.sizes[cols]);
  static constexpr char kZero[16] = {};
  // Row i of all matrices at once.
  for (int64_t i = 0; i < src.sizes[rows]; ++i) {
    const int64_t kept =
        std::clamp<int64_t>(i + diagonal + 1, 0, src.sizes[cols]);
    View zeros = dst, to = dst;
    ConstView from = src;
    from.slice(rows, i, 1);
    from.slice(cols, 0, kept);
    to.slice(rows, i, 1);
    to.slice(cols, 0, kept);
    copy(to, from);
    zeros.slice(rows, i, 1);
    zeros.slice(cols, kept, src.sizes[cols] - kept);
    fill(zeros, kZero);
  }
  return Error::Ok;
}

const Op kOps[] = {
    op<kEveryDtype, repeat>("aten::repeat.out"),
    op<kEveryDtype, roll>("aten::roll.out"),
    op<kEveryDtype, pixel_shuffle>("aten::pixel_shuffle.out"),
    op<kEveryDtype, pixel_unshuffle>("aten::pixel_unshuffle.out"),
    op<kEveryDtype, tril>("aten::tril.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
