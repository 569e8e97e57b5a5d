#include "kernels/optimized/moe/routing.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "kernels/optimized/gemm/matrix.h"

namespace executorch::kernels::moe {

using aten::ScalarType;
using aten::Tensor;
using runtime::Error;

namespace {

// Never calls exp() with a positive number, so that nothing overflows.
float sigmoid(float x) {
  const float e = std::exp(-std::fabs(x));
  return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}

struct Choice {
  int64_t expert;
  float weight;
};

// Chooses the experts with the highest keys, the lower number among equals. A
// NaN is never better; when only NaNs are left the lowest number is taken.
void choose(const float* keys, int64_t experts, int64_t count, bool* taken,
            Choice* choices) {
  std::fill_n(taken, experts, false);
  for (int64_t k = 0; k < count; ++k) {
    int64_t best = -1;
    for (int64_t e = 0; e < experts; ++e) {
      const bool comparable = !taken[e] && keys[e] == keys[e];
      if (comparable && (best < 0 || keys[e] > keys[best])) {
        best = e;
      }
    }
    if (best < 0) {
      best = std::find(taken, taken + experts, false) - taken;
    }
    taken[best] = true;
    choices[k].expert = best;
  }
}

void weigh_sigmoid(Choice* choices, int64_t count, double scale) {
  double sum = 0;
  for (int64_t k = 0; k < count; ++k) {
    sum += static_cast<double>(choices[k].weight);
  }
  const double divisor = std::isnan(sum) ? sum : std::fmax(sum, FLT_MIN);
  for (int64_t k = 0; k < count; ++k) {
    choices[k].weight = static_cast<float>(choices[k].weight / divisor * scale);
  }
}

void weigh_softmax(Choice* choices, int64_t count) {
  float max = -INFINITY;
  for (int64_t k = 0; k < count; ++k) {
    max = std::fmax(max, choices[k].weight);
  }
  double sum = 0;
  for (int64_t k = 0; k < count; ++k) {
    choices[k].weight = std::exp(choices[k].weight - max);
    sum += static_cast<double>(choices[k].weight);
  }
  for (int64_t k = 0; k < count; ++k) {
    choices[k].weight = static_cast<float>(choices[k].weight / sum);
  }
}

// Turns the scores of one token into its experts. `scores` become what the
// weights are made of, `keys` what chooses.
void route_token(const Router& router, float* scores, float* keys, bool* taken,
                 Choice* choices) {
  for (int64_t e = 0; e < router.experts; ++e) {
    scores[e] = router.sigmoid ? sigmoid(scores[e]) : scores[e];
    keys[e] = scores[e] + (router.bias != nullptr ? router.bias[e] : 0);
  }
  choose(keys, router.experts, router.activated, taken, choices);
  for (int64_t k = 0; k < router.activated; ++k) {
    choices[k].weight = scores[choices[k].expert];
  }
  if (router.sigmoid) {
    weigh_sigmoid(choices, router.activated, router.scale);
  } else {
    weigh_softmax(choices, router.activated);
  }
}

// scores[t][e] = x[t] . gate[e]
Error score(const Tensor& x, const Tensor& gate, float* scores) {
  const int64_t tokens = x.size(0), dim = x.size(1), experts = gate.size(0);
  const gemm::Matrix<float> left(
      gemm::Side::left, {x.const_data_ptr(), ScalarType::Float, dim, 1});
  const gemm::Matrix<float> right(
      gemm::Side::right, {gate.const_data_ptr(), ScalarType::Float, 1, dim});
  gemm::Places rows, columns;
  rows.stride = experts;
  const gemm::MatrixOutput<float> out(scores, ScalarType::Float, rows, columns);
  return gemm::multiply<float>(1, tokens, experts, dim, left, right, out);
}

}  // namespace

Error Routing::route(const Router& router, const Tensor& x,
                     const Tensor& gate) {
  const int64_t tokens = x.size(0), experts = router.experts;
  size_ = tokens * router.activated;
  Scratch score_memory, key_memory, taken_memory, choice_memory;
  float* scores = score_memory.array<float>(tokens * experts);
  float* keys = key_memory.array<float>(experts);
  bool* taken = taken_memory.array<bool>(experts);
  Choice* choices = choice_memory.array<Choice>(size_);
  pairs_ = pair_memory_.array<Pair>(size_);
  offsets_ = offset_memory_.array<int64_t>(experts + 2);
  ET_CHECK_OR_RETURN_ERROR(
      scores != nullptr && keys != nullptr && taken != nullptr &&
          choices != nullptr && pairs_ != nullptr && offsets_ != nullptr,
      MemoryAllocationFailed, "no memory to route %lld tokens",
      static_cast<long long>(tokens));
  std::fill_n(offsets_, experts + 2, int64_t{0});
  if (tokens == 0) {
    return Error::Ok;
  }
  ET_CHECK_OK_OR_RETURN_ERROR(score(x, gate, scores));

  // A counting sort: offsets_[e + 2] counts, then offsets_[e + 1] runs from the
  // first to the last pair of expert e.
  for (int64_t t = 0; t < tokens; ++t) {
    Choice* own = choices + t * router.activated;
    route_token(router, scores + t * experts, keys, taken, own);
    for (int64_t k = 0; k < router.activated; ++k) {
      ++offsets_[own[k].expert + 2];
    }
  }
  for (int64_t e = 0; e < experts; ++e) {
    offsets_[e + 2] += offsets_[e + 1];
  }
  for (int64_t i = 0; i < size_; ++i) {
    pairs_[offsets_[choices[i].expert + 1]++] = {i / router.activated,
                                                 choices[i].weight};
  }
  return Error::Ok;
}

}  // namespace executorch::kernels::moe
