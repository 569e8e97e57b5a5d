#include "kernels/quantized/extremes.h"

#include "kernels/common/convert.h"

namespace executorch::kernels {
namespace {

template <class T>
Extremes scan(const T* x, int64_t n, int64_t stride) {
  Extremes all;
  for (int64_t i = 0; i < n; ++i) {
    const double value = static_cast<double>(x[i * stride]);
    all.merge({value, value});
  }
  return all;
}

Extremes scan(const float* x, int64_t n) {
  float min, max;
  vec::loops().min_max(x, n, &min, &max);
  return {min, max};
}

Extremes scan(const uint16_t* x, ScalarType type, int64_t n) {
  const Converter widen(type, ScalarType::Float);
  Extremes all;
  float buffer[kPiece];
  for (int64_t i = 0; i < n; i += kPiece) {
    const int64_t count = std::min(kPiece, n - i);
    widen(x + i, buffer, count);
    all.merge(scan(buffer, count));
  }
  return all;
}

}  // namespace

Extremes extremes(const void* x, ScalarType type, int64_t n, int64_t stride) {
  if (stride == 1 && type == ScalarType::Float) {
    return scan(static_cast<const float*>(x), n);
  }
  if (stride == 1 && type != ScalarType::Double) {
    return scan(static_cast<const uint16_t*>(x), type, n);
  }
  Extremes all;
  visit(FloatTypes{}, type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    all = scan(static_cast<const T*>(x), n, stride);
  });
  return all;
}

Extremes extremes(const Tensor& x) {
  constexpr int64_t kMaxParts = 64;
  Extremes part[kMaxParts];
  const auto* data = static_cast<const char*>(x.const_data_ptr());
  const int64_t n = x.numel();
  const int64_t size = std::max(kGrain, (n + kMaxParts - 1) / kMaxParts);
  const int64_t parts = (n + size - 1) / size;
  parallel(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      part[i] = extremes(data + i * size * x.element_size(), x.scalar_type(),
                         std::min(size, n - i * size), 1);
    }
  });
  for (int64_t i = 1; i < parts; ++i) {
    part[0].merge(part[i]);
  }
  return part[0];
}

Extremes row_extremes(const Tensor& x, int64_t row) {
  const int64_t dims = x.dim();
  int64_t offset = 0;
  for (int64_t d = dims - 2; d >= 0; --d) {
    offset += row % x.size(d) * x.strides()[d];
    row /= x.size(d);
  }
  const auto* data = static_cast<const char*>(x.const_data_ptr());
  return extremes(data + offset * x.element_size(), x.scalar_type(),
                  x.size(dims - 1), x.strides()[dims - 1]);
}

}  // namespace executorch::kernels
