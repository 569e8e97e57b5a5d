#include "kernels/quantized/quantizer.h"

#include <cmath>

#include "kernels/common/convert.h"

namespace executorch::kernels {

Quantizer::Quantizer(const Tensor& x, const Quantization& q, Tensor& out)
    : x_(static_cast<const char*>(x.const_data_ptr())),
      out_(static_cast<char*>(out.mutable_data_ptr())),
      in_(x.scalar_type()),
      out_type_(out.scalar_type()),
      q_(q) {
  product_ = q.scale.meet(q.in_float32 ? wide(in_) : in_);
  sum_ = q.zero_point.meet(product_);
  quotient_ = fit(q.scale.type());
  to_product_ = q.scale.factor_fit(product_);
  to_sum_ = fit(sum_);
}

void Quantizer::load(const int64_t at[2], const int64_t step[2], int64_t n) {
  kind_ = step[0] == 0 && step[1] == 0 ? vec::kOne : vec::kMany;
  for (int64_t i = 0; i < n; ++i) {
    const double scale = q_.scale.at(at[0] + i * step[0]);
    inverse_[i] = to_product_(quotient_(1.0 / scale));
    zero_[i] = to_sum_(q_.zero_point.at(at[1] + i * step[1]));
    inverse32_[i] = static_cast<float>(inverse_[i]);
    zero32_[i] = static_cast<float>(zero_[i]);
  }
  if (kind_ == vec::kMany) {
    fill_tail(inverse_, n);
    fill_tail(zero_, n);
    fill_tail(inverse32_, n);
    fill_tail(zero32_, n);
  }
  float_margin_ = float_margin(n);
}

// See vec::QuantizeParams. In float, the inverse scale, the product and the sum
// are each off by up to 2^-24 of what is clamped to the range afterwards.
float Quantizer::float_margin(int64_t n) const {
  double largest = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double inverse = std::abs(inverse_[i]);
    const bool normal = inverse > 0x1p-120 && inverse < 0x1p120;
    if (!normal || zero_[i] != std::nearbyint(zero_[i])) {
      return 0;
    }
    largest = std::max(largest, std::abs(zero_[i]));
  }
  const double range = std::max(std::abs(static_cast<double>(q_.min)),
                                std::abs(static_cast<double>(q_.max)));
  const double reach = range + 2 * largest;
  return reach < 0x1p19 ? static_cast<float>(reach * 0x1p-22) : 0;
}

void Quantizer::run(int64_t offset, int64_t n) {
  const vec::Loops& loops = vec::loops();
  const vec::Int type = integer_index(out_type_);
  if (in_ != ScalarType::Double && product_ == sum_) {
    if (sum_ == ScalarType::Float) {
      return run_loop<float>(
          loops.quantize_f32[kind_][q_.rounding][type],
          {inverse32_, zero32_, static_cast<float>(q_.min),
           static_cast<float>(q_.max), inverse32_, zero32_, float_margin_},
          offset, n);
    }
    if (sum_ == ScalarType::Double) {
      return run_loop<double>(
          loops.quantize_f64[kind_][q_.rounding][type],
          {inverse_, zero_, static_cast<double>(q_.min),
           static_cast<double>(q_.max), inverse32_, zero32_, float_margin_},
          offset, n);
    }
  }
  run_exact(offset, n);
}

template <class T>
void Quantizer::run_loop(const vec::Quantize<T>& loop,
                         const vec::QuantizeParams<T>& params, int64_t offset,
                         int64_t n) {
  char* out = out_ + offset * runtime::elementSize(out_type_);
  if (in_ == ScalarType::Float) {
    loop(reinterpret_cast<const float*>(x_) + offset, out, n, params);
    return;
  }
  // A run with many parameters is one piece.
  const Converter widen(in_, ScalarType::Float);
  const auto* x = reinterpret_cast<const uint16_t*>(x_) + offset;
  float buffer[kPiece];
  for (int64_t i = 0; i < n; i += kPiece) {
    const int64_t count = std::min(kPiece, n - i);
    widen(x + i, buffer, count);
    loop(buffer, out + i * runtime::elementSize(out_type_), count, params);
  }
}

void Quantizer::run_exact(int64_t offset, int64_t n) {
  const Fit product = fit(product_), sum = fit(sum_);
  const double low = sum(static_cast<double>(q_.min));
  const double high = sum(static_cast<double>(q_.max));
  const bool last = q_.rounding == vec::kRoundLast;
  visit(FloatTypes{}, in_, [&](auto in_tag) {
    using X = typename decltype(in_tag)::type;
    const X* x = reinterpret_cast<const X*>(x_) + offset;
    visit(QuantizedTypes{}, out_type_, [&](auto out_tag) {
      using O = typename decltype(out_tag)::type;
      O* out = reinterpret_cast<O*>(out_) + offset;
      for (int64_t i = 0; i < n; ++i) {
        const int64_t k = kind_ == vec::kOne ? 0 : i;
        double q = product(static_cast<double>(x[i]) * inverse_[k]);
        q = sum((last ? q : std::nearbyint(q)) + zero_[k]);
        q = last ? std::nearbyint(q) : q;
        q = q < low ? low : q;
        out[i] = cast_to<O>(q > high ? high : q);
      }
    });
  });
}

void quantize(const Tensor& x, const int64_t* block, const Quantization& q,
              Tensor& out) {
  run_rows(Rows(x, block, q.scale, q.zero_point),
           [&] { return Quantizer(x, q, out); });
}

}  // namespace executorch::kernels
