// The plain kernels: what all others are tested against.
//
// Compiled with -DET_ISA=<name>; includes nothing with inline functions.
#include "kernels/optimized/gemm/q8_quantize.h"

namespace executorch::kernels::gemm {
namespace {

// Weights of one chunk and column, in order of k.
template <int kBits>
void unpack(const uint8_t* chunk, int column, int8_t* q) {
  for (int k = 0; k < 16; ++k) {
    const int i = k / 8 * 64 + column * 8 + k % 8;
    if (kBits == 8) {
      q[k] = static_cast<int8_t>(chunk[i]);
    } else {
      const uint8_t byte = chunk[i / 32 * 16 + i % 16];
      const int u = i % 32 < 16 ? byte & 15 : byte >> 4;
      q[k] = static_cast<int8_t>(u - 8);
    }
  }
}

template <int kBits>
void one(const Q8Tile& t, int row, const uint8_t* panel, float* out) {
  constexpr int64_t kChunkBytes = 16 * kBits;
  float results[8] = {};
  const int8_t* a = t.a[row];
  for (int64_t g = 0; g < t.groups; ++g) {
    int32_t dots[8] = {};
    for (int64_t c = 0; c < t.chunks; ++c) {
      for (int column = 0; column < 8; ++column) {
        int8_t q[16];
        unpack<kBits>(panel, column, q);
        for (int k = 0; k < 16; ++k) {
          dots[column] += a[k] * q[k];
        }
      }
      panel += kChunkBytes;
      a += 16;
    }
    float scales[8];
    int32_t sums[8];
    __builtin_memcpy(scales, panel, sizeof(scales));
    __builtin_memcpy(sums, panel + 32, sizeof(sums));
    panel += 64;
    for (int column = 0; column < 8; ++column) {
      const int32_t d = dots[column] - t.zeros[row] * sums[column];
      results[column] += scales[column] * t.scales[row] * static_cast<float>(d);
    }
  }
  __builtin_memcpy(out, results, sizeof(results));
}

template <int kBits>
void tile(const Q8Tile& t, int rows, int64_t panels) {
  for (int64_t p = 0; p < panels; ++p) {
    for (int row = 0; row < rows; ++row) {
      one<kBits>(t, row, t.weights + p * t.panel_bytes, t.out[row] + p * 8);
    }
  }
}

}  // namespace

extern const Q8Kernels ET_PASTE(q8_, ET_ISA);
const Q8Kernels ET_PASTE(q8_, ET_ISA) = {
    cpu::Isa::ET_ISA, {1, tile<4>}, {1, tile<8>}, quantize};

}  // namespace executorch::kernels::gemm
