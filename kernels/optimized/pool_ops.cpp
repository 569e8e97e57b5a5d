// Two-dimensional pooling.
//
// A window of pooling is a window of a convolution with one channel per group:
// conv/shape.h and conv/planes.h turn padding, stride and dilation into shifted
// copies of a padded plane, and conv/sweep.h combines these.
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/common/op.h"
#include "kernels/optimized/conv/planes.h"
#include "kernels/optimized/conv/sweep_loops.h"

namespace executorch::kernels {
namespace {

using conv::Axis;
using conv::Planes;
using conv::PlaneScratch;
using conv::Shape;
using conv::Sweep;

struct PoolParams {
  ArrayRef<int64_t> kernel, stride, padding, dilation;
  bool ceil_mode;
};

Error check_input(const Tensor& in) {
  ET_CHECK_OR_RETURN_ERROR(in.dim() == 3 || in.dim() == 4, InvalidArgument,
                           "an input of rank %d, must be 3 or 4",
                           int(in.dim()));
  for (int d = in.dim() == 4 ? 1 : 0; d < in.dim(); ++d) {
    ET_CHECK_OR_RETURN_ERROR(in.size(d) > 0, InvalidArgument,
                             "dimension %d of the input is empty", d);
  }
  return Error::Ok;
}

// Size of the result along one dimension. In ceil mode the last window may
// leave the padded input, but must start inside of it or of the padding before
// it.
Error set_out_size(Shape& s, int d, bool ceil_mode) {
  const int64_t reach = s.dilation[d] * (s.kernel[d] - 1) + 1;
  const int64_t room = s.in[d] + 2 * s.padding[d] - reach;
  const int64_t extra = ceil_mode ? s.stride[d] - 1 : 0;
  s.out[d] = room + extra < 0 ? 0 : (room + extra) / s.stride[d] + 1;
  if (ceil_mode && (s.out[d] - 1) * s.stride[d] >= s.in[d] + s.padding[d]) {
    --s.out[d];
  }
  ET_CHECK_OR_RETURN_ERROR(
      s.out[d] >= 1, InvalidArgument,
      "an input of %lld points, padded by %lld, does not fit a window that "
      "reaches over %lld",
      (long long)s.in[d], (long long)s.padding[d], (long long)reach);
  return Error::Ok;
}

// The window as a convolution with one channel in each group, without strides
// of a result.
Result<Shape> pool_shape(const Tensor& in, const PoolParams& params) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_input(in));
  const int first = static_cast<int>(in.dim()) - 2;
  Shape s = {};
  s.dtype = in.scalar_type();
  s.batch = first == 2 ? in.size(0) : 1;
  s.groups = in.size(first - 1);
  s.in_channels = s.out_channels = 1;
  s.in_image = conv::image_of(in, first);
  const auto& stride = params.stride.empty() ? params.kernel : params.stride;
  ET_CHECK_OK_OR_RETURN_ERROR(
      conv::expand(params.kernel, 2, 1, 1, "kernel size", s.kernel));
  ET_CHECK_OK_OR_RETURN_ERROR(
      conv::expand(stride, 2, 1, 1, "stride", s.stride));
  ET_CHECK_OK_OR_RETURN_ERROR(
      conv::expand(params.padding, 2, 0, 0, "padding", s.padding));
  ET_CHECK_OK_OR_RETURN_ERROR(
      conv::expand(params.dilation, 2, 1, 1, "dilation", s.dilation));
  s.in[0] = s.out[0] = 1;
  for (int d = 1; d < 3; ++d) {
    s.in[d] = in.size(first + d - 1);
    ET_CHECK_OR_RETURN_ERROR(
        s.padding[d] <= (s.dilation[d] * (s.kernel[d] - 1) + 1) / 2,
        InvalidArgument, "padding %lld is more than half of the kernel, %lld",
        (long long)s.padding[d], (long long)s.kernel[d]);
    ET_CHECK_OK_OR_RETURN_ERROR(set_out_size(s, d, params.ceil_mode));
  }
  return s;
}

// Gives `out` the sizes of the input with `height` x `width` points.
Error resize(const Tensor& in, int64_t height, int64_t width, Tensor& out) {
  aten::SizesType sizes[4];
  const size_t rank = in.dim();
  std::copy(in.sizes().begin(), in.sizes().end(), sizes);
  sizes[rank - 2] = static_cast<aten::SizesType>(height);
  sizes[rank - 1] = static_cast<aten::SizesType>(width);
  return runtime::resize_tensor(out, {sizes, rank});
}

Error check_dtype(const Tensor& in, const Tensor& out, bool allowed) {
  ET_CHECK_OR_RETURN_ERROR(allowed, InvalidArgument, "no pooling of dtype %s",
                           runtime::toString(in.scalar_type()));
  ET_CHECK_OR_RETURN_ERROR(in.scalar_type() == out.scalar_type(),
                           InvalidArgument,
                           "the input has dtype %s, the result %s",
                           runtime::toString(in.scalar_type()),
                           runtime::toString(out.scalar_type()));
  return Error::Ok;
}

// Calls f(TypeTag<T>{}) with the type that windows of `dtype` are combined in.
template <class F>
Error in_sum_type(ScalarType dtype, F f) {
  switch (dtype) {
    case ScalarType::Double:
      return f(TypeTag<double>{});
    case ScalarType::Float:
    case ScalarType::Half:
    case ScalarType::BFloat16:
      return f(TypeTag<float>{});
    default:
      return f(TypeTag<int64_t>{});
  }
}

int64_t plane_offset(const conv::Image& image, int64_t n, int64_t c) {
  return n * image.batch_stride + c * image.channel_stride;
}
int64_t row_offset(const conv::Image& image, int64_t n, int64_t c, int64_t y) {
  return plane_offset(image, n, c) + y * image.strides[1];
}

// Taps of the window in its plane, and how far they move an index of the input.
struct Taps {
  Scratch memory;
  int64_t count = 0;
  int64_t* offsets = nullptr;
  int32_t* steps = nullptr;

  bool init(const Shape& s, const conv::Window& w, const Planes& planes) {
    count = w.taps();
    offsets = memory.array<int64_t>(2 * count);
    if (offsets == nullptr) {
      return false;
    }
    steps = reinterpret_cast<int32_t*>(offsets + count);
    conv::for_taps(w, [&](int64_t i, int64_t z, int64_t y, int64_t x) {
      offsets[i] = planes.tap_offset(z, y, x);
      steps[i] =
          static_cast<int32_t>(y * s.dilation[1] * s.in[2] + x * s.dilation[2]);
    });
    return true;
  }
};

// Calls f with the loop over one channel of the result.
template <class T, class F>
void sweep(const Planes& planes, const Shape& s, const Taps& taps,
           const PlaneScratch<T>& scratch, int64_t n, int64_t c, void* out,
           F f) {
  const int64_t item = gemm::Cast<T>(s.dtype).item();
  conv::for_slices(
      planes, s.out_image, s.dtype, scratch.plane, scratch.out,
      static_cast<char*>(out) + plane_offset(s.out_image, n, c) * item,
      [&](const T* from, T* to, int64_t step) {
        f(Sweep<T>{to, step, from, s.stride[1] * planes.row, s.out[1], s.out[2],
                   taps.offsets, taps.count});
      });
}

// max_pool2d_with_indices

// First point of the window of output point i that lies in the input.
int64_t first_inside(const Shape& s, int d, int64_t i) {
  const int64_t low = i * s.stride[d] - s.padding[d];
  return low < 0
             ? low + (-low + s.dilation[d] - 1) / s.dilation[d] * s.dilation[d]
             : low;
}

template <class T>
Error run_max_pool(const Shape& s, const conv::Image& index_image,
                   const void* in, void* out, int64_t* indices) {
  const conv::Window w = conv::window(s, 0);
  const Planes planes(s, w);
  Taps taps;
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
        int64_t* index = indices + plane_offset(index_image, n, c);
        const conv::MaxPlaces where = {
            in_place ? index : scratch.places,
            in_place ? index_image.strides[1] : width,
            static_cast<int32_t>(-s.padding[1] * s.in[2] - s.padding[2]),
            static_cast<int32_t>(s.stride[1] * s.in[2]),
            static_cast<int32_t>(s.stride[2]),
            taps.steps,
            firsts,
            firsts + height};
        sweep(planes, s, taps, scratch, n, c, out,
              [&](const Sweep<T>& x) { conv::max(x, where); });
        for (int64_t y = 0; !in_place && y < height; ++y) {
          for (int64_t x = 0; x < width; ++x) {
            index[y * index_image.strides[1] + x * index_image.strides[2]] =
                scratch.places[y * width + x];
          }
        }
      });
}

Error max_pool2d(KernelRuntimeContext&, const Tensor& in,
                 ArrayRef<int64_t> kernel, ArrayRef<int64_t> stride,
                 ArrayRef<int64_t> padding, ArrayRef<int64_t> dilation,
                 bool ceil_mode, Tensor& out, Tensor& indices) {
  ET_CHECK_OK_OR_RETURN_ERROR(
      check_dtype(in, out, runtime::isRealHBF16Type(in.scalar_type())));
  ET_CHECK_OR_RETURN_ERROR(indices.scalar_type() == ScalarType::Long,
                           InvalidArgument, "indices have dtype %s, not int64",
                           runtime::toString(indices.scalar_type()));
  Result<Shape> s =
      pool_shape(in, {kernel, stride, padding, dilation, ceil_mode});
  ET_CHECK_OK_OR_RETURN_ERROR(s.error());
  // Indices are counted in 32 bits; those of padding may be a little outside.
  ET_CHECK_OR_RETURN_ERROR(
      (s->in[1] + 2 * s->padding[1] + s->stride[1] * 2) * s->in[2] <
          std::numeric_limits<int32_t>::max() / 2,
      NotSupported, "a plane of %lldx%lld points is too large",
      (long long)s->in[1], (long long)s->in[2]);
  ET_CHECK_OK_OR_RETURN_ERROR(resize(in, s->out[1], s->out[2], out));
  ET_CHECK_OK_OR_RETURN_ERROR(resize(in, s->out[1], s->out[2], indices));
  const int first = static_cast<int>(in.dim()) - 2;
  s->out_image = conv::image_of(out, first);
  return in_sum_type(in.scalar_type(), [&](auto tag) {
    return run_max_pool<typename decltype(tag)::type>(
        *s, conv::image_of(indices, first), in.const_data_ptr(),
        out.mutable_data_ptr(), indices.mutable_data_ptr<int64_t>());
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
                               row_offset(from, n, c, y) * cast.item(),
                           from.strides[2], row, s.out[2]);
                 const int64_t* index = indices.const_data_ptr<int64_t>() +
                                        row_offset(at, n, c, y);
                 for (int64_t x = 0; x < s.out[2]; ++x) {
                   sums[index[x * at.strides[2]]] += row[x];
                 }
               }
               for (int64_t y = 0; y < s.in[1]; ++y) {
                 cast.write(sums + y * s.in[2],
                            static_cast<char*>(out) +
                                row_offset(result, n, c, y) * cast.item(),
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
  ET_CHECK_OK_OR_RETURN_ERROR(
      check_dtype(in, out, runtime::isFloatingType(in.scalar_type())));
  ET_CHECK_OR_RETURN_ERROR(grad.scalar_type() == in.scalar_type() &&
                               indices.scalar_type() == ScalarType::Long,
                           InvalidArgument,
                           "the gradient has dtype %s, the indices %s",
                           runtime::toString(grad.scalar_type()),
                           runtime::toString(indices.scalar_type()));
  const Result<Shape> s =
      pool_shape(in, {kernel, stride, padding, dilation, ceil_mode});
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
  ET_CHECK_OK_OR_RETURN_ERROR(resize(in, s->in[1], s->in[2], out));
  return in_sum_type(in.scalar_type(), [&](auto tag) {
    return run_backward<typename decltype(tag)::type>(
        *s, grad, indices, conv::image_of(out, rank - 2),
        out.mutable_data_ptr());
  });
}

// avg_pool2d

// Number of points that the mean at output point i counts.
int64_t counted(const Shape& s, int d, int64_t i, bool with_padding) {
  const int64_t low = i * s.stride[d] - s.padding[d];
  const int64_t high =
      std::min(low + s.kernel[d], s.in[d] + (with_padding ? s.padding[d] : 0));
  return high - (with_padding ? low : std::max<int64_t>(low, 0));
}

// How many points the means of a row, and of a column, count; or the divisor.
struct Counts {
  Scratch memory, scale_memory;
  int64_t* rows = nullptr;
  int64_t* columns = nullptr;
  float* row_scales = nullptr;  // reciprocals
  float* column_scales = nullptr;

  bool init(const Shape& s, bool with_padding, int64_t divisor) {
    rows = memory.array<int64_t>(s.out[1] + s.out[2]);
    row_scales = scale_memory.array<float>(s.out[1] + s.out[2] + gemm::kSlack);
    if (rows == nullptr || row_scales == nullptr) {
      return false;
    }
    columns = rows + s.out[1];
    column_scales = row_scales + s.out[1];
    for (int64_t y = 0; y < s.out[1]; ++y) {
      rows[y] = divisor != 0 ? divisor : counted(s, 1, y, with_padding);
      row_scales[y] = 1 / static_cast<float>(rows[y]);
    }
    for (int64_t x = 0; x < s.out[2]; ++x) {
      columns[x] = divisor != 0 ? 1 : counted(s, 2, x, with_padding);
      column_scales[x] = 1 / static_cast<float>(columns[x]);
    }
    return true;
  }
};

template <class T>
void mean(const Sweep<T>& s, const Counts& counts) {
  if constexpr (std::is_same_v<T, float>) {
    conv::sweeps().mean(s, counts.row_scales, counts.column_scales);
  } else {
    conv::for_results(s, [&](int64_t y, int64_t x, const T* in) {
      T sum = 0;
      for (int64_t t = 0; t < s.taps; ++t) {
        sum += in[s.offsets[t]];
      }
      s.out[y * s.out_step + x] = sum / T(counts.rows[y] * counts.columns[x]);
    });
  }
}

template <class T>
Error run_avg_pool(const Shape& s, bool with_padding, int64_t divisor,
                   const void* in, void* out) {
  const conv::Window w = conv::window(s, 0);
  const Planes planes(s, w);
  Taps taps;
  Counts counts;
  ET_CHECK_OR_RETURN_ERROR(
      taps.init(s, w, planes) && counts.init(s, with_padding, divisor),
      MemoryAllocationFailed, "no memory for %lld taps", (long long)w.taps());
  return conv::for_planes<T>(
      planes, in, T(0), planes.size * (1 + w.taps() / 4),
      [&](int64_t n, int64_t c, const PlaneScratch<T>& scratch) {
        sweep(planes, s, taps, scratch, n, c, out,
              [&](const Sweep<T>& x) { mean(x, counts); });
      });
}

Error avg_pool2d(KernelRuntimeContext&, const Tensor& in,
                 ArrayRef<int64_t> kernel, ArrayRef<int64_t> stride,
                 ArrayRef<int64_t> padding, bool ceil_mode,
                 bool count_include_pad, std::optional<int64_t> divisor,
                 Tensor& out) {
  const ScalarType dtype = in.scalar_type();
  ET_CHECK_OK_OR_RETURN_ERROR(check_dtype(
      in, out, runtime::isFloatingType(dtype) || dtype == ScalarType::Long));
  ET_CHECK_OR_RETURN_ERROR(divisor.value_or(1) != 0, InvalidArgument,
                           "the divisor is 0");
  const int64_t one = 1;
  Result<Shape> s =
      pool_shape(in, {kernel, stride, padding, {&one, 1}, ceil_mode});
  ET_CHECK_OK_OR_RETURN_ERROR(s.error());
  ET_CHECK_OK_OR_RETURN_ERROR(resize(in, s->out[1], s->out[2], out));
  s->out_image = conv::image_of(out, static_cast<int>(in.dim()) - 2);
  return in_sum_type(dtype, [&](auto tag) {
    return run_avg_pool<typename decltype(tag)::type>(
        *s, count_include_pad, divisor.value_or(0), in.const_data_ptr(),
        out.mutable_data_ptr());
  });
}

// _adaptive_avg_pool2d

// Points of the input that output point i is the mean of.
struct Part {
  Part(int64_t i, int64_t in, int64_t out)
      : begin(i * in / out), end(((i + 1) * in + out - 1) / out) {}
  int64_t begin, end;
};

template <class T>
Error run_adaptive(const Shape& s, ArrayRef<int64_t> size, const void* in,
                   void* out) {
  const conv::Window w = conv::window(s, 0);
  const Planes planes(s, w);
  const gemm::Cast<T> cast(s.dtype);
  return conv::for_planes<T>(
      planes, in, T(0), 2 * planes.size,
      [&](int64_t n, int64_t c, const PlaneScratch<T>& scratch) {
        for (int64_t y = 0; y < size[0]; ++y) {
          const Part rows(y, s.in[1], size[0]);
          for (int64_t x = 0; x < size[1]; ++x) {
            const Part columns(x, s.in[2], size[1]);
            T sum = 0;
            for (int64_t i = rows.begin; i < rows.end; ++i) {
              for (int64_t j = columns.begin; j < columns.end; ++j) {
                sum += scratch.plane[i * planes.row + j];
              }
            }
            const T mean =
                sum / T(rows.end - rows.begin) / T(columns.end - columns.begin);
            cast.write(
                &mean,
                static_cast<char*>(out) + (row_offset(s.out_image, n, c, y) +
                                           x * s.out_image.strides[2]) *
                                              cast.item(),
                1, 1);
          }
        }
      });
}

Error adaptive_avg_pool2d(KernelRuntimeContext&, const Tensor& in,
                          ArrayRef<int64_t> size, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(
      check_dtype(in, out, runtime::isFloatingType(in.scalar_type())));
  ET_CHECK_OR_RETURN_ERROR(size.size() == 2 && size[0] >= 0 && size[1] >= 0,
                           InvalidArgument,
                           "the output size must be two numbers from 0 on");
  // A window of one point over the whole input: its plane is the input.
  const int64_t one = 1, zero = 0;
  Result<Shape> s =
      pool_shape(in, {{&one, 1}, {&one, 1}, {&zero, 1}, {&one, 1}, false});
  ET_CHECK_OK_OR_RETURN_ERROR(s.error());
  ET_CHECK_OK_OR_RETURN_ERROR(resize(in, size[0], size[1], out));
  s->out_image = conv::image_of(out, static_cast<int>(in.dim()) - 2);
  return in_sum_type(in.scalar_type(), [&](auto tag) {
    return run_adaptive<typename decltype(tag)::type>(
        *s, size, in.const_data_ptr(), out.mutable_data_ptr());
  });
}

const Op kOps[] = {
    op<max_pool2d>("aten::max_pool2d_with_indices.out"),
    op<max_pool2d_backward>(
        "aten::max_pool2d_with_indices_backward.grad_input"),
    op<avg_pool2d>("aten::avg_pool2d.out"),
    op<adaptive_avg_pool2d>("aten::_adaptive_avg_pool2d.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
