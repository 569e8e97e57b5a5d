// aten::grid_sampler_2d: reads an image at points that another tensor names.
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "kernels/common/op.h"
#include "kernels/common/parallel.h"
#include "kernels/optimized/conv/shape.h"
#include "kernels/optimized/gemm/matrix.h"

namespace executorch::kernels {
namespace {

enum class Mode { bilinear, nearest, bicubic };
enum class Padding { zeros, border, reflection };

struct Sampler {
  Mode mode;
  Padding padding;
  bool align_corners;
  int64_t sizes[2];  // height, width

  // From [-1, 1] to points of the image.
  template <class T>
  T point(T x, int d) const {
    return align_corners ? (x + 1) / 2 * T(sizes[d] - 1)
                         : ((x + 1) * T(sizes[d]) - 1) / 2;
  }

  // Moves a point outside to where the padding says its value is.
  template <class T>
  T inside(T x, int d) const {
    if (padding == Padding::zeros) {
      return x;
    }
    if (padding == Padding::reflection) {
      x = align_corners ? reflect(x, T(0), T(sizes[d] - 1))
                        : reflect(x, T(-0.5), T(sizes[d]) - T(0.5));
    }
    // Not a number becomes 0.
    return std::min(x > 0 ? x : T(0), T(sizes[d] - 1));
  }

 private:
  template <class T>
  static T reflect(T x, T low, T high) {
    const T span = high - low;
    if (!(span > 0)) {
      return 0;
    }
    const T distance = std::abs(x - low);
    const T rest = std::fmod(distance, span);
    const bool odd = std::fmod(std::floor(distance / span), T(2)) != 0;
    return odd ? high - rest : low + rest;
  }
};

// The points along one dimension that a result is a weighted sum of.
template <class T>
struct Points {
  int count;
  T at[4];
  T weight[4];
};

template <class T>
Points<T> points(const Sampler& s, T x, int d) {
  x = s.point(x, d);
  if (s.mode == Mode::nearest) {
    return {1, {std::nearbyint(s.inside(x, d))}, {T(1)}};
  }
  if (s.mode == Mode::bilinear) {
    x = s.inside(x, d);
    const T low = std::floor(x);
    return {2, {low, low + 1}, {low + 1 - x, x - low}};
  }
  const T low = std::floor(x);
  const T t = x - low;
  constexpr T kA = T(-0.75);
  const auto near = [&](T u) { return ((kA + 2) * u - (kA + 3)) * u * u + 1; };
  const auto far = [&](T u) {
    return ((kA * u - 5 * kA) * u + 8 * kA) * u - 4 * kA;
  };
  Points<T> p = {4,
                 {low - 1, low, low + 1, low + 2},
                 {far(t + 1), near(t), near(1 - t), far(2 - t)}};
  for (T& at : p.at) {
    at = s.inside(at, d);
  }
  return p;
}

// Index of a point, or -1 when it lies outside or is not a number.
template <class T>
int64_t index_of(T x, int64_t size) {
  return x >= 0 && x < T(size) ? static_cast<int64_t>(x) : -1;
}

template <class T>
struct Tensors {
  gemm::Cast<T> cast;
  conv::Image in_image, out_image;
  const char* in;
  char* out;
  int64_t channels;
};

// All channels of one result.
template <class T>
void sample(const Sampler& s, const Tensors<T>& t, T x, T y, int64_t n,
            int64_t to) {
  const Points<T> rows = points(s, y, 0);
  const Points<T> columns = points(s, x, 1);
  for (int64_t c = 0; c < t.channels; ++c) {
    const int64_t plane =
        n * t.in_image.batch_stride + c * t.in_image.channel_stride;
    T sum = 0;
    for (int i = 0; i < rows.count; ++i) {
      const int64_t row = index_of(rows.at[i], s.sizes[0]);
      for (int j = 0; j < columns.count; ++j) {
        const int64_t column = index_of(columns.at[j], s.sizes[1]);
        T value = 0;
        if (row >= 0 && column >= 0) {
          const int64_t at = plane + row * t.in_image.strides[1] +
                             column * t.in_image.strides[2];
          t.cast.read(t.in + at * t.cast.item(), 1, &value, 1);
        }
        sum += value * (rows.weight[i] * columns.weight[j]);
      }
    }
    const int64_t at = to + c * t.out_image.channel_stride;
    t.cast.write(&sum, t.out + at * t.cast.item(), 1, 1);
  }
}

template <class T>
void run(const Sampler& s, const Tensor& in, const Tensor& grid, Tensor& out) {
  const Tensors<T> t = {
      gemm::Cast<T>(in.scalar_type()),
      conv::image_of(in, 2),
      conv::image_of(out, 2),
      static_cast<const char*>(in.const_data_ptr()),
      static_cast<char*>(out.mutable_data_ptr()),
      in.size(1),
  };
  const char* coordinates = static_cast<const char*>(grid.const_data_ptr());
  const int64_t height = grid.size(1), width = grid.size(2);
  parallel(
      grid.size(0) * height, kGrainBytes / (64 * width * t.channels + 1) + 1,
      [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t n = i / height, y = i % height;
          for (int64_t x = 0; x < width; ++x) {
            const int64_t at = n * grid.strides()[0] + y * grid.strides()[1] +
                               x * grid.strides()[2];
            T point[2];
            t.cast.read(coordinates + at * t.cast.item(), grid.strides()[3],
                        point, 2);
            sample(s, t, point[0], point[1], n,
                   n * t.out_image.batch_stride + y * t.out_image.strides[1] +
                       x * t.out_image.strides[2]);
          }
        }
      });
}

Error grid_sampler_2d(KernelRuntimeContext&, const Tensor& in,
                      const Tensor& grid, int64_t mode, int64_t padding,
                      bool align_corners, Tensor& out) {
  ET_CHECK_OR_RETURN_ERROR(
      grid.scalar_type() == in.scalar_type() &&
          out.scalar_type() == in.scalar_type(),
      InvalidArgument,
      "the input has dtype %s, the grid %s, the result %s; all must be the "
      "same",
      runtime::toString(in.scalar_type()),
      runtime::toString(grid.scalar_type()),
      runtime::toString(out.scalar_type()));
  ET_CHECK_OR_RETURN_ERROR(
      in.dim() == 4 && grid.dim() == 4 && grid.size(3) == 2 &&
          grid.size(0) == in.size(0),
      InvalidArgument,
      "an input of rank %d and a grid of rank %d; both must be 4, with equal "
      "batches, and grid points have 2 coordinates",
      int(in.dim()), int(grid.dim()));
  ET_CHECK_OR_RETURN_ERROR(in.size(2) > 0 && in.size(3) > 0, InvalidArgument,
                           "the input has no points");
  ET_CHECK_OR_RETURN_ERROR(
      mode >= 0 && mode <= 2 && padding >= 0 && padding <= 2, InvalidArgument,
      "mode %lld and padding %lld, each must be 0, 1 or 2", (long long)mode,
      (long long)padding);
  const aten::SizesType sizes[] = {in.sizes()[0], in.sizes()[1],
                                   grid.sizes()[1], grid.sizes()[2]};
  ET_CHECK_OK_OR_RETURN_ERROR(runtime::resize_tensor(out, {sizes, 4}));
  const Sampler s = {static_cast<Mode>(mode),
                     static_cast<Padding>(padding),
                     align_corners,
                     {in.size(2), in.size(3)}};
  if (in.scalar_type() == ScalarType::Double) {
    run<double>(s, in, grid, out);
  } else {
    run<float>(s, in, grid, out);
  }
  return Error::Ok;
}

const Op kOps[] = {
    op<kFloats, grid_sampler_2d>("aten::grid_sampler_2d.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
