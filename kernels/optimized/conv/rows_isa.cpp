// Compiled once per instruction set with -DET_ISA=<name> and the flags of that
// set. Includes nothing with inline functions that others may share.
#include "kernels/optimized/conv/rows.h"
#include "kernels/optimized/gemm/vector_isa.h"

namespace executorch::kernels::conv {
namespace {

constexpr int kLanes = Vec::kLanes;

// V vectors of results side by side.
template <int V>
void weigh_vectors(float* out, const float* in, const int64_t* offsets,
                   const float* weights, int64_t taps, float bias) {
  Vec acc[V];
#pragma GCC unroll 8
  for (int j = 0; j < V; ++j) {
    acc[j] = Vec::all(bias);
  }
  for (int64_t t = 0; t < taps; ++t) {
    const Vec w = Vec::all(weights[t]);
    const float* from = in + offsets[t];
#pragma GCC unroll 8
    for (int j = 0; j < V; ++j) {
      acc[j] = fma(w, Vec::load(from + j * kLanes), acc[j]);
    }
  }
#pragma GCC unroll 8
  for (int j = 0; j < V; ++j) {
    acc[j].store(out + j * kLanes);
  }
}

void weigh(float* out, int64_t n, const float* in, const int64_t* offsets,
           const float* weights, int64_t taps, float bias) {
  int64_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    weigh_vectors<4>(out + i, in + i, offsets, weights, taps, bias);
  }
  for (; i + kLanes <= n; i += kLanes) {
    weigh_vectors<1>(out + i, in + i, offsets, weights, taps, bias);
  }
  if (i < n) {
    float last[kLanes];
    weigh_vectors<1>(last, in + i, offsets, weights, taps, bias);
    for (int64_t j = 0; i + j < n; ++j) {
      out[i + j] = last[j];
    }
  }
}

}  // namespace

#define ET_PASTE_(a, b) a##b
#define ET_PASTE(a, b) ET_PASTE_(a, b)

extern const Rows ET_PASTE(rows_, ET_ISA);
const Rows ET_PASTE(rows_, ET_ISA) = {cpu::Isa::ET_ISA, weigh};

}  // namespace executorch::kernels::conv
