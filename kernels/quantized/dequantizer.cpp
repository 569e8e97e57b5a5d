#include "kernels/quantized/dequantizer.h"

#include <cmath>
#include <limits>

#include "kernels/common/convert.h"

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
  const int64_t value = cast_to<int64_t>(difference);
  double result = difference;
  visit(IntegerTypes{}, type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    result = static_cast<double>(static_cast<T>(value));
  });
  return result;
}

bool is_float(ScalarType t) { return runtime::isFloatingType(t); }

}  // namespace

Dequantizer::Dequantizer(const Dequantization& q, ScalarType in, ScalarType out)
    : in_(in), out_(out), q_(q) {
  difference_ = q.converts_first ? out : in;
  if (q.zero_point) {
    difference_ = q.zero_point->meet(difference_);
  }
  to_difference_ = fit(difference_);
  const Bounds x = bounds(in), type = bounds(difference_);
  least_zero_ = std::max(x.max - type.max, -0x1p22);
  most_zero_ = std::min(x.min - type.min, 0x1p22);
  product_ = q.scale.meet(difference_);
  to_product_ = q.scale.factor_fit(product_);
}

void Dequantizer::load(const int64_t at[2], const int64_t step[2], int64_t n) {
  kind_ = step[0] == 0 && step[1] == 0 ? vec::kOne : vec::kMany;
  loaded_ = n;
  // An integer below 2^24 times a float is exact in double, and then rounded
  // once, as the product in float is.
  in_float_ = !is_float(difference_) && runtime::elementSize(in_) <= 2;
  for (int64_t i = 0; i < n; ++i) {
    scale_[i] = to_product_(q_.scale.at(at[0] + i * step[0]));
    zero_[i] = q_.zero_point
                   ? to_difference_(q_.zero_point->at(at[1] + i * step[1]))
                   : 0;
    scale32_[i] = static_cast<float>(scale_[i]);
    zero32_[i] = static_cast<float>(zero_[i]);
    in_float_ = in_float_ && scale_[i] == scale32_[i];
  }
  if (kind_ == vec::kMany) {
    fill_tail(scale_, n);
    fill_tail(zero_, n);
    fill_tail(scale32_, n);
    fill_tail(zero32_, n);
  }
  use_loops_ = loops_fit();
}

// Whether a vector loop gives the same bits as one step after the other. It
// does if both steps are of one floating type, or if the difference of integers
// neither wraps nor loses bits in the type of the product.
bool Dequantizer::loops_fit() const {
  const bool narrow = precision_of(product_) != vec::kFloat32;
  const size_t size = runtime::elementSize(in_);
  if (out_ == ScalarType::Double || (narrow && size > 1)) {
    return false;
  }
  if (is_float(difference_)) {
    return difference_ == product_;
  }
  if (size > 2 && product_ != ScalarType::Double) {
    return false;
  }
  for (int64_t i = 0; i < loaded_; ++i) {
    if (zero_[i] < least_zero_ || zero_[i] > most_zero_) {
      return false;
    }
  }
  return true;
}

void Dequantizer::run(const void* x, void* out, int64_t n) const {
  if (!use_loops_) {
    return run_exact(x, out, n);
  }
  const vec::Loops& loops = vec::loops();
  const vec::Int type = integer_index(in_);
  const auto* bytes = static_cast<const char*>(x);
  if (product_ == ScalarType::Double && !in_float_) {
    run_loop<double>(loops.dequantize_f64[kind_][type], {scale_, zero_}, bytes,
                     out, n);
  } else {
    run_loop<float>(loops.dequantize_f32[precision_of(product_)][kind_][type],
                    {scale32_, zero32_}, bytes, out, n);
  }
}

template <class T>
void Dequantizer::run_loop(const vec::Dequantize<T>& loop,
                           const vec::DequantizeParams<T>& params,
                           const char* x, void* out, int64_t n) const {
  if (out_ == ScalarType::Float) {
    loop(x, static_cast<float*>(out), n, params);
    return;
  }
  // A run with many parameters is one piece.
  const Converter narrow(ScalarType::Float, out_);
  const size_t size = runtime::elementSize(in_);
  float buffer[kPiece];
  for (int64_t i = 0; i < n; i += kPiece) {
    const int64_t count = std::min(kPiece, n - i);
    loop(x + i * size, buffer, count, params);
    narrow(buffer, static_cast<uint16_t*>(out) + i, count);
  }
}

void Dequantizer::run_exact(const void* x, void* out, int64_t n) const {
  const bool integers = !is_float(difference_);
  const Fit first = fit(q_.converts_first ? out_ : difference_);
  const Fit difference = fit(difference_), product = fit(product_);
  visit(QuantizedTypes{}, in_, [&](auto in_tag) {
    using X = typename decltype(in_tag)::type;
    visit(FloatTypes{}, out_, [&](auto out_tag) {
      using O = typename decltype(out_tag)::type;
      for (int64_t i = 0; i < n; ++i) {
        const int64_t k = kind_ == vec::kOne ? 0 : i;
        const double value = static_cast<double>(static_cast<const X*>(x)[i]);
        const double d = integers ? wrapped(value - zero_[k], difference_)
                                  : difference(first(value) - zero_[k]);
        const double y = product(product(d) * scale_[k]);
        static_cast<O*>(out)[i] = cast_to<O>(y);
      }
    });
  });
}

namespace {

// A Dequantizer on the elements of two tensors.
struct Worker {
  void load(const int64_t at[2], const int64_t step[2], int64_t n) {
    dequantizer.load(at, step, n);
  }
  void run(int64_t offset, int64_t n) {
    dequantizer.run(x + offset * in_size, out + offset * out_size, n);
  }

  Dequantizer dequantizer;
  const char* x;
  char* out;
  int64_t in_size, out_size;
};

}  // namespace

void dequantize(const Tensor& x, const int64_t* block, const Dequantization& q,
                Tensor& out) {
  const Param none(0);
  const Rows rows(x, block, q.scale, q.zero_point ? *q.zero_point : none);
  run_rows(rows, [&] {
    return Worker{Dequantizer(q, x.scalar_type(), out.scalar_type()),
                  static_cast<const char*>(x.const_data_ptr()),
                  static_cast<char*>(out.mutable_data_ptr()), x.element_size(),
                  out.element_size()};
  });
}

}  // namespace executorch::kernels
