// Operators of quantization-aware training that exported graphs may keep:
// quantizing and dequantizing in one step, and conversions.
#include <cmath>

#include "kernels/common/checks.h"
#include "kernels/common/convert.h"
#include "kernels/quantized/checks.h"

namespace executorch::kernels {
namespace {

// A worker for run_rows(). All steps are float32.
struct FakeQuantizer {
  void load(const int64_t at[2], const int64_t step[2], int64_t n) {
    stride = step[0] == 0 && step[1] == 0 ? 0 : 1;
    for (int64_t i = 0; i < n; ++i) {
      scale[i] = static_cast<float>(scales.at(at[0] + i * step[0]));
      zero[i] = static_cast<float>(
          cast_to<int32_t>(zero_points.at(at[1] + i * step[1])));
    }
  }
  void run(int64_t offset, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      const float s = scale[i * stride], z = zero[i * stride];
      float q = std::nearbyint(x[offset + i] * (1.0f / s)) + z;
      q = q < min ? min : q;
      q = q > max ? max : q;
      out[offset + i] = (q - z) * s;
    }
  }

  Param scales, zero_points;
  const float* x;
  float* out;
  float min, max;
  int64_t stride = 0;
  float scale[kPiece] = {}, zero[kPiece] = {};
};

Error fake_quant_per_channel(KernelRuntimeContext&, const Tensor& x,
                             const Tensor& scales, const Tensor& zero_points,
                             int64_t axis, int64_t min, int64_t max,
                             Tensor& out) {
  Param s(scales), z(zero_points);
  ET_CHECK_OK_OR_RETURN_ERROR(check_params(scales, &zero_points));
  ET_CHECK_OK_OR_RETURN_ERROR(lay_per_channel(x, axis, scales, "scales", s));
  ET_CHECK_OK_OR_RETURN_ERROR(
      lay_per_channel(x, axis, zero_points, "zero points", z));
  ET_CHECK_OK_OR_RETURN_ERROR(resize_like(x, ScalarType::Float, out));
  run_rows(Rows(x, nullptr, s, z), [&] {
    return FakeQuantizer{s,
                         z,
                         x.const_data_ptr<float>(),
                         out.mutable_data_ptr<float>(),
                         static_cast<float>(min),
                         static_cast<float>(max)};
  });
  return Error::Ok;
}

// A conversion that exporters keep apart from the operators around it.
Error convert_element_type(KernelRuntimeContext&, const Tensor& x,
                           ScalarType dtype, Tensor& out) {
  const Converter convert(x.scalar_type(), dtype);
  ET_CHECK_OR_RETURN_ERROR(
      convert.valid(), InvalidArgument, "there is no conversion from %s to %s",
      runtime::toString(x.scalar_type()), runtime::toString(dtype));
  ET_CHECK_OK_OR_RETURN_ERROR(resize_like(x, dtype, out));
  const auto* from = static_cast<const char*>(x.const_data_ptr());
  auto* to = static_cast<char*>(out.mutable_data_ptr());
  parallel(x.numel(), kGrain, [&](int64_t begin, int64_t end) {
    convert(from + begin * x.element_size(), to + begin * out.element_size(),
            end - begin);
  });
  return Error::Ok;
}

const Op kOps[] = {
    op<dtype_bit(ScalarType::Float), fake_quant_per_channel>(
        "quantized_decomposed::fake_quant_per_channel.out"),
    op<kAnyDtype, convert_element_type>(
        "quantized_decomposed::convert_element_type.no_fuse_out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
