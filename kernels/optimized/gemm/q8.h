// Products of float rows with weights of 4 or 8 bits (grouped_weights.h).
//
// A row is quantized to int8 once, with a scale and a zero point of its own, in
// a range that contains 0:
//   scale = (max - min) / 255, zero = -128 - round(min / scale)
//   a = clamp(round_half_even(fma(x, 1 / (scale + 1e-16), zero)), -128, 127)
// (max and min taken with 0; the quotient rounded half away from zero; a row
// without extent becomes zeros). A result is summed over the groups in order,
//   r += (weight_scale * scale) * float(sum(a * q) - zero * sum(q))
// with the inner sums exact and each operation rounded on its own. So a result
// has the same bits for every instruction set and number of threads.
#pragma once

#include <stdint.h>

#include "src/threadpool/cpu.h"

namespace executorch::kernels::gemm {

// A part of the product: some rows times some panels.
struct Q8Tile {
  const uint8_t* weights;  // the first panel, at any address
  int64_t panel_bytes;
  int64_t groups;
  int64_t chunks;                // of 16 steps of k, per group
  const int8_t* const* a;        // per row
  const int32_t* const* starts;  // per row and group: -8 sum(a)
  const float* scales;           // per row
  const int32_t* zeros;          // per row
  float* const* out;             // per row: 8 results for each panel
};

struct Q8Kernels {
  struct Run {
    int rows;  // at most, of a tile
    void (*tile)(const Q8Tile& tile, int rows, int64_t panels);
  };
  cpu::Isa isa;
  Run bits4, bits8;
  // Quantizes k values; the starts are of `group` values each.
  void (*quantize)(const float* x, int64_t k, int64_t group, int8_t* a,
                   int32_t* starts, float* scale, int32_t* zero);
};

const Q8Kernels& q8();

}  // namespace executorch::kernels::gemm
