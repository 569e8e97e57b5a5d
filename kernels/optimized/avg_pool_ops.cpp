// Means of the points in a window.
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <algorithm>

#include "kernels/optimized/conv/pooling.h"

namespace executorch::kernels {
namespace {

using conv::Planes;
using conv::PlaneScratch;
using conv::Shape;
using conv::Sweep;

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
  conv::PoolTaps taps;
  Counts counts;
  ET_CHECK_OR_RETURN_ERROR(
      taps.init(s, w, planes) && counts.init(s, with_padding, divisor),
      MemoryAllocationFailed, "no memory for %lld taps", (long long)w.taps());
  return conv::for_planes<T>(
      planes, in, T(0), planes.size * (1 + w.taps() / 4),
      [&](int64_t n, int64_t c, const PlaneScratch<T>& scratch) {
        conv::sweep_channel(planes, s, taps, scratch, n, c, out,
                            [&](const Sweep<T>& x) { mean(x, counts); });
      });
}

Error avg_pool2d(KernelRuntimeContext&, const Tensor& in,
                 ArrayRef<int64_t> kernel, ArrayRef<int64_t> stride,
                 ArrayRef<int64_t> padding, bool ceil_mode,
                 bool count_include_pad, std::optional<int64_t> divisor,
                 Tensor& out) {
  const ScalarType dtype = in.scalar_type();
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(dtype, out));
  ET_CHECK_OR_RETURN_ERROR(divisor.value_or(1) != 0, InvalidArgument,
                           "the divisor is 0");
  const int64_t one = 1;
  Result<Shape> s =
      conv::pool_shape(in, {kernel, stride, padding, {&one, 1}, ceil_mode});
  ET_CHECK_OK_OR_RETURN_ERROR(s.error());
  ET_CHECK_OK_OR_RETURN_ERROR(
      conv::resize_pooled(in, s->out[1], s->out[2], out));
  s->out_image = conv::image_of(out, static_cast<int>(in.dim()) - 2);
  return conv::in_sum_type(dtype, [&](auto tag) {
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
        const T* points = scratch.plane + planes.tap_offset(0, 0, 0);
        for (int64_t y = 0; y < size[0]; ++y) {
          const Part rows(y, s.in[1], size[0]);
          for (int64_t x = 0; x < size[1]; ++x) {
            const Part columns(x, s.in[2], size[1]);
            T sum = 0;
            for (int64_t i = rows.begin; i < rows.end; ++i) {
              for (int64_t j = columns.begin; j < columns.end; ++j) {
                sum += points[i * planes.row + j];
              }
            }
            const T mean =
                sum / T(rows.end - rows.begin) / T(columns.end - columns.begin);
            cast.write(&mean,
                       static_cast<char*>(out) +
                           (conv::row_offset(s.out_image, n, c, y) +
                            x * s.out_image.strides[2]) *
                               cast.item(),
                       1, 1);
          }
        }
      });
}

Error adaptive_avg_pool2d(KernelRuntimeContext&, const Tensor& in,
                          ArrayRef<int64_t> size, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(in.scalar_type(), out));
  ET_CHECK_OR_RETURN_ERROR(size.size() == 2 && size[0] >= 0 && size[1] >= 0,
                           InvalidArgument,
                           "the output size must be two numbers from 0 on");
  // A window of one point over the whole input: its plane is the input.
  const int64_t one = 1, zero = 0;
  Result<Shape> s = conv::pool_shape(
      in, {{&one, 1}, {&one, 1}, {&zero, 1}, {&one, 1}, false});
  ET_CHECK_OK_OR_RETURN_ERROR(s.error());
  ET_CHECK_OK_OR_RETURN_ERROR(conv::resize_pooled(in, size[0], size[1], out));
  s->out_image = conv::image_of(out, static_cast<int>(in.dim()) - 2);
  return conv::in_sum_type(in.scalar_type(), [&](auto tag) {
    return run_adaptive<typename decltype(tag)::type>(
        *s, size, in.const_data_ptr(), out.mutable_data_ptr());
  });
}

const Op kOps[] = {
    op<kFloats | dtype_bit(ScalarType::Long), avg_pool2d>(
        "aten::avg_pool2d.out"),
    op<kFloats, adaptive_avg_pool2d>("aten::_adaptive_avg_pool2d.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
