// Maxima of the points in a window, and the gradient of them.
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <algorithm>
#include <limits>

#include "kernels/optimized/conv/pooling.h"

namespace executorch::kernels {
namespace {

using conv::Planes;
using conv::PlaneScratch;
using conv::Shape;
using conv::Sweep;

// max_pool2d_with_indices

// First point of the window of output point i that lies in the input.
int64_t first_inside(const Shape& s, int d, int64_t i) {
  const int64_t low = i * s.stride[d] - s.padding[d];
  return low < 0
             ? low + (-low + s.dilation[d] - 1) / s.dilation[d] * s.dilation[d]
             : low;
}

template <class T>
Error run_max_pool(const Shape& s, const void* in, void* out) {
  const conv::Window w = conv::window(s, 0);
  const Planes planes(s, w);
  conv::PoolTaps taps;
  ET_CHECK_OR_RETURN_ERROR(taps.init(s, w, planes), MemoryAllocationFailed,
                           "no memory for %lld taps", (long long)w.taps());
  return conv::for_planes<T>(
      planes, in, conv::lowest<T>(), planes.size * (1 + w.taps() / 8),
      [&](int64_t n, int64_t c, const PlaneScratch<T>& scratch) {
        conv::sweep_channel(planes, s, taps, scratch, n, c, out,
                            [](const Sweep<T>& x) { conv::max(x); });
      });
}

template <class T>
Error find_maxima(const Shape& s, const conv::Image& index_image,
                  const void* in, void* out, int64_t* indices) {
  const conv::Window w = conv::window(s, 0);
  const Planes planes(s, w);
  conv::PoolTaps taps;
  Scratch first_memory;
  const int64_t height = s.out[1], width = s.out[2];
  // Rows and columns of the first points, told where nothing is greater.
  int32_t* firsts = first_memory.array<int32_t>(height + width + gemm::kSlack);
  ET_CHECK_OR_RETURN_ERROR(taps.init(s, w, planes) && firsts != nullptr,
                           MemoryAllocationFailed, "no memory for %lld taps",
                           (long long)w.taps());
  for (int64_t y = 0; y < height; ++y) {
    firsts[y] = static_cast<int32_t>(first_inside(s, 1, y) * s.in[2]);
  }
  for (int64_t x = 0; x < width; ++x) {
    firsts[height + x] = static_cast<int32_t>(first_inside(s, 2, x));
  }
  const bool in_place = index_image.strides[2] == 1;
  return conv::for_planes<T>(
      planes, in, conv::lowest<T>(), planes.size * (1 + w.taps() / 4),
      [&](int64_t n, int64_t c, const PlaneScratch<T>& scratch) {
        int64_t* index = indices + conv::plane_offset(index_image, n, c);
        const conv::MaxPlaces where = {
            in_place ? index : scratch.places,
            in_place ? index_image.strides[1] : width,
            static_cast<int32_t>(-s.padding[1] * s.in[2] - s.padding[2]),
            static_cast<int32_t>(s.stride[1] * s.in[2]),
            static_cast<int32_t>(s.stride[2]),
            taps.steps,
            firsts,
            firsts + height};
        conv::sweep_channel(
            planes, s, taps, scratch, n, c, out,
            [&](const Sweep<T>& x) { conv::find_max(x, where); });
        for (int64_t y = 0; !in_place && y < height; ++y) {
          for (int64_t x = 0; x < width; ++x) {
            index[y * index_image.strides[1] + x * index_image.strides[2]] =
                scratch.places[y * width + x];
          }
        }
      });
}

// That nothing reads the indices.
struct NoIndices {};

std::shared_ptr<const NoIndices> prepare_max_pool(
    PrepareContext& ctx, const Tensor&, ArrayRef<int64_t>, ArrayRef<int64_t>,
    ArrayRef<int64_t>, ArrayRef<int64_t>, bool, Tensor&, Tensor&) {
  constexpr size_t kIndices = 7;
  return ctx.is_read(kIndices) ? nullptr : std::make_shared<NoIndices>();
}

Error max_pool2d(KernelRuntimeContext&, const NoIndices* no_indices,
                 const Tensor& in, ArrayRef<int64_t> kernel,
                 ArrayRef<int64_t> stride, ArrayRef<int64_t> padding,
                 ArrayRef<int64_t> dilation, bool ceil_mode, Tensor& out,
                 Tensor& indices) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(in.scalar_type(), out));
  ET_CHECK_OR_RETURN_ERROR(indices.scalar_type() == ScalarType::Long,
                           InvalidArgument, "indices have dtype %s, not int64",
                           runtime::toString(indices.scalar_type()));
  Result<Shape> s =
      conv::pool_shape(in, {kernel, stride, padding, dilation, ceil_mode});
  ET_CHECK_OK_OR_RETURN_ERROR(s.error());
  // Indices are counted in 32 bits; those of padding may be a little outside.
  ET_CHECK_OR_RETURN_ERROR(
      (s->in[1] + 2 * s->padding[1] + s->stride[1] * 2) * s->in[2] <
          std::numeric_limits<int32_t>::max() / 2,
      NotSupported, "a plane of %lldx%lld points is too large",
      (long long)s->in[1], (long long)s->in[2]);
  ET_CHECK_OK_OR_RETURN_ERROR(
      conv::resize_pooled(in, s->out[1], s->out[2], out));
  ET_CHECK_OK_OR_RETURN_ERROR(
      conv::resize_pooled(in, s->out[1], s->out[2], indices));
  const int first = static_cast<int>(in.dim()) - 2;
  s->out_image = conv::image_of(out, first);
  return conv::in_sum_type(in.scalar_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (no_indices != nullptr) {
      return run_max_pool<T>(*s, in.const_data_ptr(), out.mutable_data_ptr());
    }
    return find_maxima<T>(*s, conv::image_of(indices, first),
                          in.const_data_ptr(), out.mutable_data_ptr(),
                          indices.mutable_data_ptr<int64_t>());
  });
}

// max_pool2d_with_indices_backward

Error check_indices(const Tensor& indices, int64_t points) {
  const int64_t* index = indices.const_data_ptr<int64_t>();
  for (ssize_t i = 0; i < indices.numel(); ++i) {
    ET_CHECK_OR_RETURN_ERROR(index[i] >= 0 && index[i] < points,
                             InvalidArgument,
                             "index %lld in a plane of %lld points",
                             (long long)index[i], (long long)points);
  }
  return Error::Ok;
}

template <class T>
Error run_backward(const Shape& s, const Tensor& grad, const Tensor& indices,
                   const conv::Image& result, void* out) {
  const int first = static_cast<int>(grad.dim()) - 2;
  const conv::Image from = conv::image_of(grad, first);
  const conv::Image at = conv::image_of(indices, first);
  const gemm::Cast<T> cast(s.dtype);
  const int64_t points = s.in[1] * s.in[2];
  std::atomic<bool> out_of_memory{false};
  parallel(s.batch * s.groups, kGrainBytes / (8 * points + 1) + 1,
           [&](int64_t begin, int64_t end) {
             Scratch sum_memory, row_memory;
             T* sums = sum_memory.array<T>(points);
             T* row = row_memory.array<T>(s.out[2]);
             if (sums == nullptr || row == nullptr) {
               out_of_memory = true;
               return;
             }
             for (int64_t i = begin; i < end; ++i) {
               const int64_t n = i / s.groups, c = i % s.groups;
               std::fill(sums, sums + points, T(0));
               for (int64_t y = 0; y < s.out[1]; ++y) {
                 cast.read(static_cast<const char*>(grad.const_data_ptr()) +
                               conv::row_offset(from, n, c, y) * cast.item(),
                           from.strides[2], row, s.out[2]);
                 const int64_t* index = indices.const_data_ptr<int64_t>() +
                                        conv::row_offset(at, n, c, y);
                 for (int64_t x = 0; x < s.out[2]; ++x) {
                   sums[index[x * at.strides[2]]] += row[x];
                 }
               }
               for (int64_t y = 0; y < s.in[1]; ++y) {
                 cast.write(sums + y * s.in[2],
                            static_cast<char*>(out) +
                                conv::row_offset(result, n, c, y) * cast.item(),
                            result.strides[2], s.in[2]);
               }
             }
           });
  ET_CHECK_OR_RETURN_ERROR(!out_of_memory, MemoryAllocationFailed,
                           "no memory for a plane of %lld points",
                           (long long)points);
  return Error::Ok;
}

Error max_pool2d_backward(KernelRuntimeContext&, const Tensor& grad,
                          const Tensor& in, ArrayRef<int64_t> kernel,
                          ArrayRef<int64_t> stride, ArrayRef<int64_t> padding,
                          ArrayRef<int64_t> dilation, bool ceil_mode,
                          const Tensor& indices, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(in.scalar_type(), out));
  ET_CHECK_OR_RETURN_ERROR(grad.scalar_type() == in.scalar_type() &&
                               indices.scalar_type() == ScalarType::Long,
                           InvalidArgument,
                           "the gradient has dtype %s, the indices %s",
                           runtime::toString(grad.scalar_type()),
                           runtime::toString(indices.scalar_type()));
  const Result<Shape> s =
      conv::pool_shape(in, {kernel, stride, padding, dilation, ceil_mode});
  ET_CHECK_OK_OR_RETURN_ERROR(s.error());
  const int rank = static_cast<int>(in.dim());
  for (const Tensor* t : {&grad, &indices}) {
    bool fits = t->dim() == rank;
    for (int d = 0; fits && d < rank; ++d) {
      fits = t->size(d) == (d < rank - 2 ? in.size(d) : s->out[d - rank + 3]);
    }
    ET_CHECK_OR_RETURN_ERROR(
        fits, InvalidArgument,
        "the gradient and the indices must be %lldx%lld images",
        (long long)s->out[1], (long long)s->out[2]);
  }
  ET_CHECK_OK_OR_RETURN_ERROR(check_indices(indices, s->in[1] * s->in[2]));
  ET_CHECK_OK_OR_RETURN_ERROR(conv::resize_pooled(in, s->in[1], s->in[2], out));
  return conv::in_sum_type(in.scalar_type(), [&](auto tag) {
    return run_backward<typename decltype(tag)::type>(
        *s, grad, indices, conv::image_of(out, rank - 2),
        out.mutable_data_ptr());
  });
}

const Op kOps[] = {
    op<kReal & ~dtype_bit(ScalarType::UInt16), max_pool2d, prepare_max_pool>(
        "aten::max_pool2d_with_indices.out"),
    op<kFloats, max_pool2d_backward>(
        "aten::max_pool2d_with_indices_backward.grad_input"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
