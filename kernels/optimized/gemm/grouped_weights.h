// Weights of 4 or 8 bits that share a scale within groups along k, in panels of
// 8 columns: the "universal" linear format of torchao.
//
//   header     16 little-endian int32: magic, type, bits, has zeros, has bias,
//              columns per panel (8), depth of a chunk (16), parts of a chunk
//              (2), then zeros
//   panel      for each group of k:
//     chunks   16 steps of k each, values in order half (k 0-7, 8-15), column,
//              k: 128 int8; or 64 bytes of q + 8 in 4 bits, where block b of 16
//              bytes holds values 32 b + i in its low and 32 b + 16 + i in its
//              high nibbles
//     scales   8 floats
//     sums     8 int32, each of the q of a column in the group
#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/span.h>

#include <cstdint>

namespace executorch::kernels::gemm {

struct GroupedShape {
  int64_t n;  // columns of the product
  int64_t k;
  int64_t group;  // steps of k per scale
  int64_t bits;   // of a weight: 4 or 8

  static constexpr int64_t kColumns = 8;
  static constexpr int64_t kChunk = 16;
  // Sums over a group, of products of a byte and a difference of bytes, have to
  // fit 32 bits.
  static constexpr int64_t kMaxGroup = 65536;

  int64_t groups() const { return k / group; }
  int64_t panels() const { return (n + kColumns - 1) / kColumns; }
  int64_t panel_bytes() const {
    return kColumns * (k * bits / 8 + groups() * 8);
  }

  // Refuses what cannot be packed, and sizes that wrap.
  runtime::Error check() const;
};

inline constexpr int64_t kGroupedHeaderBytes = 64;

// The only reader of the header: refuses every blob that is not of this format
// and of this shape. The panels follow the header; they may lie at any address.
// `what` and `index` name the blob in the log. The shape has been checked.
runtime::Error check_grouped(runtime::Span<const uint8_t> blob,
                             const GroupedShape& shape, const char* what,
                             int64_t index);

}  // namespace executorch::kernels::gemm
