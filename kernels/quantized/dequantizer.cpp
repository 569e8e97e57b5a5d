#include "kernels/quantized/dequantizer.h"

#include <cmath>
#include <limits>

namespace executorch::kernels {
namespace {

using IntegerTypes =
    Types<uint8_t, int8_t, uint16_t, int16_t, int32_t, int64_t>;

struct Bounds {
  double min, max;
};
Bounds bounds(ScalarType t) {
  Bounds b = {0, 0};
  visit(IntegerTypes{}, t, [&](auto tag) {
    using T = typename decltype(tag)::type;
    b = {static_cast<double>(std::numeric_limits<T>::min()),
         static_cast<double>(std::numeric_limits<T>::max())};
  });
  return b;
}

// The difference of two integers as `type` holds it: what overflows wraps.
double wrapped(double difference, ScalarType type) {
  const int64_t value = static_cast<int64_t>(difference);
  double result = difference;
  visit(IntegerTypes{}, type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    result = static_cast<double>(static_cast<T>(value));
  });
  return result;
}

bool is_float(ScalarType t) { return runtime::isFloatingType(t); }

}  // namespace

Dequantizer::Dequantizer(const Dequantization& q, const void* x, ScalarType in,
                         void* out, ScalarType out_type)
    : x_(static_cast<const char*>(x)),
      out_(static_cast<char*>(out)),
      in_(in),
      out_type_(out_type),
      q_(q) {
  difference_ = q.converts_first ? out_type : in;
  if (q.zero_point) {
    difference_ = q.zero_point->meet(difference_);
  }
  product_ = q.scale.meet(difference_);
}

void Dequantizer::load(const int64_t at[2], const int64_t step[2], int64_t n) {
  kind_ = step[0] == 0 && step[1] == 0 ? vec::kOne : vec::kMany;
  loaded_ = n;
  const Fit to_product = q_.scale.fit_for(product_);
  const Fit to_difference =
      q_.zero_point ? q_.zero_point->fit_for(difference_) : fit(difference_);
  for (int64_t i = 0; i < n; ++i) {
    scale_[i] = to_product(q_.scale.at(at[0] + i * step[0]));
    zero_[i] = q_.zero_point
                   ? to_difference(q_.zero_point->at(at[1] + i * step[1]))
                   : 0;
    scale32_[i] = static_cast<float>(scale_[i]);
    zero32_[i] = static_cast<float>(zero_[i]);
  }
  use_loops_ = loops_fit();
}

// Whether a vector loop gives the same bits as one step after the other. It
// does if both steps are of one floating type, or if the difference of integers
// neither wraps nor loses bits in the type of the product.
bool Dequantizer::loops_fit() const {
  const bool narrow = product_ == ScalarType::Half ||  //
                      product_ == ScalarType::BFloat16;
  const size_t size = runtime::elementSize(in_);
  if (out_type_ == ScalarType::Double || (narrow && size > 1)) {
    return false;
  }
  if (is_float(difference_)) {
    return difference_ == product_;
  }
  if (size > 2 && product_ != ScalarType::Double) {
    return false;
  }
  const Bounds in = bounds(in_), type = bounds(difference_);
  for (int64_t i = 0; i < loaded_; ++i) {
    if (std::abs(zero_[i]) > (1 << 22) || in.min - zero_[i] < type.min ||
        in.max - zero_[i] > type.max) {
      return false;
    }
  }
  return true;
}

void Dequantizer::run(int64_t offset, int64_t n) {
  if (!use_loops_) {
    return run_exact(offset, n);
  }
  const vec::Loops& loops = vec::loops();
  const vec::Int type = integer_index(in_);
  if (product_ == ScalarType::Double) {
    run_loop(loops.dequantize_f64[kind_][type], scale_, zero_, offset, n);
  } else {
    run_loop(loops.dequantize_f32[precision_of(product_)][kind_][type],
             scale32_, zero32_, offset, n);
  }
}

template <class T>
void Dequantizer::run_loop(const vec::Dequantize<T>& loop, const T* scale,
                           const T* zero, int64_t offset, int64_t n) {
  const vec::DequantizeParams<T> params = {scale, zero};
  const size_t size = runtime::elementSize(in_);
  const char* x = x_ + offset * size;
  if (out_type_ == ScalarType::Float) {
    loop(x, reinterpret_cast<float*>(out_) + offset, n, params);
    return;
  }
  const auto narrow = vec::loops().from_float32[precision_of(out_type_)];
  auto* out = reinterpret_cast<uint16_t*>(out_) + offset;
  float buffer[kPiece];
  for (int64_t i = 0; i < n; i += kPiece) {
    const int64_t count = std::min(kPiece, n - i);
    loop(x + i * size, buffer, count, params);
    narrow(buffer, out + i, count);
  }
}

void Dequantizer::run_exact(int64_t offset, int64_t n) {
  const bool integers = !is_float(difference_);
  const Fit first = fit(q_.converts_first ? out_type_ : difference_);
  const Fit difference = fit(difference_), product = fit(product_);
  visit(QuantizedTypes{}, in_, [&](auto in_tag) {
    using X = typename decltype(in_tag)::type;
    const X* x = reinterpret_cast<const X*>(x_) + offset;
    visit(FloatTypes{}, out_type_, [&](auto out_tag) {
      using O = typename decltype(out_tag)::type;
      O* out = reinterpret_cast<O*>(out_) + offset;
      for (int64_t i = 0; i < n; ++i) {
        const int64_t k = kind_ == vec::kOne ? 0 : i;
        const double value = static_cast<double>(x[i]);
        const double d = integers ? wrapped(value - zero_[k], difference_)
                                  : difference(first(value) - zero_[k]);
        const double y = product(product(d) * scale_[k]);
        if constexpr (sizeof(O) == 2) {
          out[i] = O(static_cast<float>(y));
        } else {
          out[i] = static_cast<O>(y);
        }
      }
    });
  });
}

void dequantize(const Tensor& x, const int64_t* block, const Dequantization& q,
                Tensor& out) {
  const Param none(0);
  const Rows rows(x, block, q.scale, q.zero_point ? *q.zero_point : none);
  run_rows(rows, Dequantizer(q, x.const_data_ptr(), x.scalar_type(),
                             out.mutable_data_ptr(), out.scalar_type()));
}

}  // namespace executorch::kernels
