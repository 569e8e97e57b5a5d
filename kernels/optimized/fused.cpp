#include "kernels/optimized/fused.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <string_view>

#include "kernels/common/checks.h"

namespace executorch::kernels {
namespace {

using MaybeTensor = std::optional<Tensor>;
using registry::Follower;

// The items of a dense vector of floats for each channel, or null.
const float* per_channel(const Tensor& t, int64_t channels) {
  const bool fits = t.scalar_type() == ScalarType::Float && t.dim() == 1 &&
                    t.size(0) == channels && t.strides()[0] == 1;
  return fits ? t.const_data_ptr<float>() : nullptr;
}

// (x - mean) / sqrt(variance + eps) * weight + bias, all constant.
bool read_batch_norm(PrepareContext& context, const Follower& call,
                     int64_t channels, Fused* fused) {
  using Args = Unboxed<kFloats, const Tensor&, MaybeTensor, MaybeTensor,
                       const Tensor&, const Tensor&, double, double>;
  bool ok = true;
  (void)Args::call(call.args, [&](const Tensor&, const MaybeTensor& weight,
                                  const MaybeTensor& bias, const Tensor& mean,
                                  const Tensor& variance, double, double eps) {
    char name[48];  // of all digits
    std::snprintf(name, sizeof(name), " batch norm %a", eps);
    std::string identity = name;
    const auto read = [&](const Tensor& t) {
      const float* data = per_channel(t, channels);
      ok = ok && data != nullptr;
      identity += ' ' + (ok ? context.identity(data) : "");
      return data;
    };
    const float* means = read(mean);
    const float* variances = read(variance);
    const float* weights = weight ? read(*weight) : nullptr;
    const float* biases = bias ? read(*bias) : nullptr;
    for (int64_t c = 0; ok && c < channels; ++c) {
      const double factor =
          (weights != nullptr ? weights[c] : 1) / std::sqrt(variances[c] + eps);
      const double offset = (biases != nullptr ? biases[c] : 0) -
                            static_cast<double>(means[c]) * factor;
      fused->scale.push_back(static_cast<float>(factor));
      fused->shift.push_back(static_cast<float>(offset));
      // A factor that is no number is not the same before and after a sum.
      ok = std::isfinite(fused->scale.back()) &&
           std::isfinite(fused->shift.back());
    }
    fused->identity = std::move(identity);
    return Error::Ok;
  });
  if (!ok) {
    *fused = Fused();
  }
  return ok;
}

// A number that leaves every float as it is if there is none.
float bound(const EValue& value, float none) {
  return value.isScalar() ? static_cast<float>(to_double(value.toScalar()))
                          : none;
}

bool read_limits(const Follower& call, Fused* fused) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::string_view name = call.name;
  if (name == "aten::relu.out") {
    fused->limits[0] = 0;
    fused->limits[1] = kInfinity;
  } else if (name == "aten::hardtanh.out" || name == "aten::clamp.out") {
    fused->limits[0] = bound(*call.args[1], -kInfinity);
    fused->limits[1] = bound(*call.args[2], kInfinity);
  } else {
    return false;
  }
  fused->is_limited =
      !std::isnan(fused->limits[0]) && !std::isnan(fused->limits[1]);
  return fused->is_limited;
}

}  // namespace

Fused absorb_followers(PrepareContext& context, int64_t channels) {
  constexpr std::string_view kBatchNorm =
      "aten::_native_batch_norm_legit_no_training.out";
  Fused fused;
  const Follower* call = context.follower();
  if (call != nullptr && call->name == kBatchNorm && channels > 0 &&
      read_batch_norm(context, *call, channels, &fused)) {
    context.absorb();
    call = context.follower();
  }
  if (call != nullptr && read_limits(*call, &fused)) {
    context.absorb();
  }
  return fused;
}

}  // namespace executorch::kernels
