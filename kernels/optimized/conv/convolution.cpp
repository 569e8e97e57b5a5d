#include "kernels/optimized/conv/convolution.h"

#include <algorithm>
#include <atomic>

#include "kernels/common/parallel.h"
#include "kernels/optimized/conv/depthwise.h"
#include "kernels/optimized/gemm/matmul.h"

namespace executorch::kernels::conv {

using gemm::BatchOffset;
using gemm::MatrixView;
using gemm::Places;
using gemm::Side;

namespace {

// Planes of several images are made together when they are small.
constexpr int64_t kPlaneBytes = 4 << 20;

int64_t dot(const int64_t (&strides)[3], const Axis (&axes)[3],
            int64_t Axis::*value) {
  return strides[0] * (axes[0].*value) + strides[1] * (axes[1].*value) +
         strides[2] * (axes[2].*value);
}

// Places of the output points of a window.
Places out_places(const Shape& s, const Window& w) {
  const auto& strides = s.out_image.strides;
  return Places::on_grid(
      {w.axes[0].points, w.axes[1].points, w.axes[2].points},
      {strides[0] * w.axes[0].spacing, strides[1] * w.axes[1].spacing,
       strides[2] * w.axes[2].spacing});
}

// With one tap and nothing around the input, its points are a matrix already,
// if those that are used lie on a line.
bool is_matrix(const Shape& s, const Window& w, Places* places) {
  if (w.taps() != 1) {
    return false;
  }
  for (int d = 0; d < 3; ++d) {
    const Axis& a = w.axes[d];
    if (a.low < 0 || a.low + a.extent() > s.in[d]) {
      return false;
    }
  }
  const auto& strides = s.in_image.strides;
  *places =
      Places::on_grid({w.axes[0].points, w.axes[1].points, w.axes[2].points},
                      {strides[0] * w.axes[0].step, strides[1] * w.axes[1].step,
                       strides[2] * w.axes[2].step});
  return !places->grid;
}

// Whether points that form a matrix are read where they are: for few channels,
// or as a left operand, whose items are fetched ahead, if they are not far
// apart.
bool is_read_in_place(const Shape& s, Side points) {
  constexpr int64_t kNear = 256;
  return s.out_channels <= 2 * gemm::kernels<float>().max_rows ||
         (points == Side::left && s.in_image.channel_stride <= kNear);
}

// The part of the left panels of points that are copied.
double copied_panels(const Shape& s, const Window& w, bool is_matrix) {
  if (is_matrix) {
    return is_read_in_place(s, Side::left) ? 0 : 1;
  }
  const int64_t row = w.axes[2].points;
  const int64_t panel = gemm::panels<float>(Side::left, w.points()).width();
  return row % panel == 0 ? 0 : std::min(1.0, double(panel) / double(row));
}

}  // namespace

// The factors were fitted to times of some 20 shapes: results that are not
// adjacent are stored through a transpose, and an item of a patch is copied, or
// at least looked for, once for all channels.
Side weight_side(const Shape& s, const Window& w) {
  const int64_t k = s.in_channels * w.taps();
  const int64_t lanes = gemm::kernels<float>().lanes;
  const auto cost = [&](int64_t columns, bool adjacent, double per_item) {
    const int64_t filled = (columns + lanes - 1) / lanes * lanes;
    return double(filled) / double(columns) *
           (adjacent ? 1 : 1 + 20.0 / (k + 1)) *
           (1 + per_item / s.out_channels);
  };
  Places line;
  const bool matrix = is_matrix(s, w, &line);
  const double copy = !matrix ? 7 : is_read_in_place(s, Side::right) ? 0 : 4;
  const Places places = out_places(s, w);
  const double left =
      cost(w.points(), !places.grid && places.stride == 1, copy);
  const double right = cost(s.out_channels, s.out_image.channel_stride == 1,
                            4 + 7 * copied_panels(s, w, matrix));
  return left <= right ? Side::left : Side::right;
}

namespace {

// What happens to sums of products; each may be null.
template <class T>
struct Finish {
  const T* bias;    // per output channel
  const T* limits;  // the lowest and the highest result
};

// Runs one window of a convolution for some images, with the two operands
// given.
template <class T>
Error multiply(const Shape& s, const Window& w, int64_t images, Side side,
               const gemm::Operand<T>& weights, const gemm::Operand<T>& patches,
               const Finish<T>& finish, char* out) {
  const Places points = out_places(s, w);
  const Places channels = {s.out_image.channel_stride};
  const BatchOffset batch = {s.groups, s.out_image.batch_stride,
                             s.out_image.channel_stride * s.out_channels};
  const int64_t item = gemm::Cast<T>(s.dtype).item();
  out += dot(s.out_image.strides, w.axes, &Axis::first) * item;
  const bool left = side == Side::left;
  gemm::MatrixOutput<T> result(out, s.dtype, left ? channels : points,
                               left ? points : channels, batch);
  (left ? result.row_bias : result.column_bias) = finish.bias;
  result.clamp = finish.limits;
  result.bias_inner = s.groups;
  result.bias_stride = s.out_channels;
  const int64_t k = s.in_channels * w.taps();
  return left ? gemm::multiply<T>(images * s.groups, s.out_channels, w.points(),
                                  k, weights, patches, result)
              : gemm::multiply<T>(images * s.groups, w.points(), s.out_channels,
                                  k, patches, weights, result);
}

// Makes the planes of `images` images from `in` on.
template <class T>
void fill(const Planes& planes, const char* in, int64_t images, T* data) {
  const Shape& s = planes.shape;
  const gemm::Cast<T> cast(s.dtype);
  const int64_t channels = s.in_channels * s.groups;
  const int64_t grain = kGrainBytes / (planes.size * sizeof(T) + 1) + 1;
  parallel(images * channels, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t at = i / channels * s.in_image.batch_stride +
                         i % channels * s.in_image.channel_stride;
      T* plane = data + i * planes.size;
      std::fill(plane, plane + planes.size, T(0));
      planes.fill(cast, in + at * cast.item(), plane);
    }
  });
}

template <class T>
Error run_on_planes(const Shape& s, const Window& w, Side side,
                    const gemm::Operand<T>& weights, const char* in,
                    const Finish<T>& finish, char* out) {
  const Planes planes(s, w);
  const int64_t channels = s.in_channels * s.groups;
  int64_t image = -1;
  const bool countable = planes.size >= 0 &&
                         !__builtin_mul_overflow(planes.size, channels, &image);
  const int64_t bytes = countable ? image * int64_t{sizeof(T)} : 0;
  const int64_t together =
      std::max<int64_t>(std::min(s.batch, kPlaneBytes / (bytes + 1)), 1);
  Scratch plane_memory, offset_memory;
  T* data = countable ? plane_memory.array<T>(image * together + gemm::kSlack)
                      : nullptr;
  int64_t* offsets = offset_memory.array<int64_t>(s.in_channels * w.taps());
  ET_CHECK_OR_RETURN_ERROR(
      data != nullptr && offsets != nullptr, MemoryAllocationFailed,
      "no memory for the padded input of a convolution: %lld channels of %lld",
      (long long)channels, (long long)planes.size);
  for (int64_t c = 0; c < s.in_channels; ++c) {
    for_taps(w, [&](int64_t i, int64_t z, int64_t y, int64_t x) {
      offsets[c * w.taps() + i] = c * planes.size + planes.tap_offset(z, y, x);
    });
  }
  const Patches<T> patches(side == Side::left ? Side::right : Side::left,
                           planes, data, offsets);
  const int64_t item = gemm::Cast<T>(s.dtype).item();
  for (int64_t i = 0; i < s.batch; i += together) {
    const int64_t images = std::min(together, s.batch - i);
    fill(planes, in + i * s.in_image.batch_stride * item, images, data);
    ET_CHECK_OK_OR_RETURN_ERROR(
        multiply(s, w, images, side, weights, patches, finish,
                 out + i * s.out_image.batch_stride * item));
  }
  return Error::Ok;
}

template <class T>
Error run_window(const Shape& s, const Window& w, Side side,
                 const gemm::Operand<T>& weights, const void* in,
                 const Finish<T>& finish, void* out) {
  const char* from = static_cast<const char*>(in);
  char* to = static_cast<char*>(out);
  Places points;
  if (is_matrix(s, w, &points)) {
    const int64_t item = gemm::Cast<T>(s.dtype).item();
    const BatchOffset batch = {s.groups, s.in_image.batch_stride,
                               s.in_image.channel_stride * s.in_channels};
    const MatrixView view = {
        from + dot(s.in_image.strides, w.axes, &Axis::low) * item, s.dtype,
        points.stride, s.in_image.channel_stride, batch};
    const bool left = side == Side::left;
    const Side points_side = left ? Side::right : Side::left;
    const gemm::Matrix<T> patches(points_side, left ? view.transposed() : view,
                                  is_read_in_place(s, points_side));
    return multiply<T>(s, w, s.batch, side, weights, patches, finish, to);
  }
  return run_on_planes<T>(s, w, side, weights, from, finish, to);
}

template <class T>
Error run_all(const Shape& s, const void* in, const void* weight, const T* bias,
              void* out) {
  if (is_depthwise(s)) {
    Scratch memory;
    return run_depthwise<T>(s, in, depthwise_taps<T>(s, weight, memory), bias,
                            nullptr, out);
  }
  for (int64_t i = 0; i < num_windows(s); ++i) {
    const Window w = window(s, i);
    ET_CHECK_OK_OR_RETURN_ERROR(run_window<T>(s, w, weight_side(s, w),
                                              Weights<T>(s, w, weight), in,
                                              {bias, nullptr}, out));
  }
  return Error::Ok;
}

// The same with what was prepared, whose bias is in `bias` already.
Error run_prepared(const Shape& s, const void* in, const void* weight,
                   const float* bias, void* out, const Prepared& prepared) {
  const Fused& fused = prepared.fused;
  const float* limits = fused.is_limited ? fused.limits : nullptr;
  if (is_depthwise(s)) {
    return run_depthwise<float>(s, in, prepared.taps.data(), bias, limits, out);
  }
  const float* scale = fused.scale.empty() ? nullptr : fused.scale.data();
  for (int64_t i = 0; i < num_windows(s); ++i) {
    const Window w = window(s, i);
    const Weights<float> weights(s, w, weight, scale);
    const auto* packed =
        i < Prepared::kMostWindows ? prepared.weights[i].get() : nullptr;
    ET_CHECK_OK_OR_RETURN_ERROR(run_window<float>(
        s, w, packed != nullptr ? prepared.side : weight_side(s, w),
        packed != nullptr ? static_cast<const gemm::Operand<float>&>(*packed)
                          : weights,
        in, {bias, limits}, out));
  }
  return Error::Ok;
}

template <class T>
Error run_with_bias(const Shape& s, const void* in, const void* weight,
                    const void* bias, int64_t bias_stride, void* out,
                    const Prepared* prepared) {
  const bool is_fused = prepared != nullptr && !prepared->bias.empty();
  Scratch memory;
  const T* values = nullptr;
  if (bias != nullptr && !is_fused) {
    const int64_t count = s.out_channels * s.groups;
    values = gemm::read_bias<T>(bias, s.dtype, bias_stride, count, memory);
    ET_CHECK_OR_RETURN_ERROR(values != nullptr, MemoryAllocationFailed,
                             "no memory for a bias");
  }
  if constexpr (std::is_same_v<T, float>) {
    if (prepared != nullptr) {
      return run_prepared(s, in, weight,
                          is_fused ? prepared->bias.data() : values, out,
                          *prepared);
    }
  }
  return run_all<T>(s, in, weight, values, out);
}

}  // namespace

bool is_depthwise(const Shape& s) {
  return s.in_channels == 1 && s.out_channels <= 4 && !s.transposed;
}

Error run(const Shape& s, const void* in, const void* weight, const void* bias,
          int64_t bias_stride, void* out, const Prepared* prepared) {
  if (s.batch == 0 || s.out_channels == 0) {
    return Error::Ok;
  }
  switch (s.dtype) {
    case ScalarType::Double:
      return run_with_bias<double>(s, in, weight, bias, bias_stride, out,
                                   nullptr);
    case ScalarType::Float:
    case ScalarType::Half:
    case ScalarType::BFloat16:
      return run_with_bias<float>(s, in, weight, bias, bias_stride, out,
                                  prepared);
    default:
      return run_with_bias<int64_t>(s, in, weight, bias, bias_stride, out,
                                    nullptr);
  }
}

}  // namespace executorch::kernels::conv
