// Vectors of 16 bytes, which every 64-bit CPU has: wider ones were measured to
// gain nothing, as memory sets the pace.
#include "kernels/common/transpose.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace executorch::kernels {
namespace {

template <class T>
struct Block {
  static constexpr int kSide = 16 / sizeof(T);
  using Indices = std::make_integer_sequence<int, kSide>;
  typedef T Vector __attribute__((vector_size(16)));

  // Interleaves the first halves of a and b, or the second ones.
  template <int... I>
  static Vector zip_first(Vector a, Vector b,
                          std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(a, b, (I / 2 + I % 2 * kSide)...);
  }
  template <int... I>
  static Vector zip_second(Vector a, Vector b,
                           std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(a, b,
                                   (kSide / 2 + I / 2 + I % 2 * kSide)...);
  }

  // Each round of interleaving rows that are half a block apart moves one bit
  // of the column number into the row number.
  static void transpose(char* dst, int64_t dst_stride, const char* src,
                        int64_t src_stride) {
    // Without a loop the vectors stay in registers.
    Vector x[kSide], y[kSide];
#pragma GCC unroll 16
    for (int k = 0; k < kSide; ++k) {
      std::memcpy(&x[k], src + k * src_stride, sizeof(Vector));
    }
#pragma GCC unroll 4
    for (int done = 1; done < kSide; done *= 2) {
#pragma GCC unroll 8
      for (int k = 0; k < kSide / 2; ++k) {
        y[2 * k] = zip_first(x[k], x[k + kSide / 2], Indices{});
        y[2 * k + 1] = zip_second(x[k], x[k + kSide / 2], Indices{});
      }
#pragma GCC unroll 16
      for (int k = 0; k < kSide; ++k) {
        x[k] = y[k];
      }
    }
#pragma GCC unroll 16
    for (int k = 0; k < kSide; ++k) {
      std::memcpy(dst + k * dst_stride, &x[k], sizeof(Vector));
    }
  }
};

struct Item16 {
  uint64_t halves[2];
};
template <>
struct Block<Item16> {
  static constexpr int kSide = 1;
  static void transpose(char* dst, int64_t, const char* src, int64_t) {
    std::memcpy(dst, src, sizeof(Item16));
  }
};

// What is left beside the blocks; the longer loop is the inner one.
template <class T>
void transpose_items(char* dst, int64_t dst_stride, const char* src,
                     int64_t src_stride, int64_t rows, int64_t cols) {
  constexpr int64_t kItem = sizeof(T);
  if (rows < cols) {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < cols; ++c) {
        std::memcpy(dst + c * dst_stride + r * kItem,
                    src + r * src_stride + c * kItem, kItem);
      }
    }
  } else {
    for (int64_t c = 0; c < cols; ++c) {
      for (int64_t r = 0; r < rows; ++r) {
        std::memcpy(dst + c * dst_stride + r * kItem,
                    src + r * src_stride + c * kItem, kItem);
      }
    }
  }
}

// Goes through the matrix in tiles, and through a tile in strips of one cache
// line of the destination: a line is written as a whole, and the pages of a
// tile stay in the TLB.
template <class T>
void transpose(char* dst, int64_t dst_stride, const char* src,
               int64_t src_stride, int64_t rows, int64_t cols) {
  constexpr int64_t kItem = sizeof(T);
  constexpr int64_t kSide = Block<T>::kSide;
  constexpr int64_t kStrip = 64 / kItem;
  constexpr int64_t kTile = 64;
  const int64_t full_rows = rows / kSide * kSide;
  const int64_t full_cols = cols / kSide * kSide;
  const auto tile = [=](int64_t r0, int64_t r1, int64_t c0, int64_t c1) {
    for (int64_t strip = r0; strip < r1; strip += kStrip) {
      const int64_t end = std::min(strip + kStrip, r1);
      for (int64_t c = c0; c < c1; c += kSide) {
        for (int64_t r = strip; r < end; r += kSide) {
          Block<T>::transpose(dst + c * dst_stride + r * kItem, dst_stride,
                              src + r * src_stride + c * kItem, src_stride);
        }
      }
    }
  };
  for (int64_t r = 0; r < full_rows; r += kTile) {
    for (int64_t c = 0; c < full_cols; c += kTile) {
      tile(r, std::min(r + kTile, full_rows), c,
           std::min(c + kTile, full_cols));
    }
  }
  transpose_items<T>(dst + full_cols * dst_stride, dst_stride,
                     src + full_cols * kItem, src_stride, full_rows,
                     cols - full_cols);
  transpose_items<T>(dst + full_rows * kItem, dst_stride,
                     src + full_rows * src_stride, src_stride, rows - full_rows,
                     cols);
}

}  // namespace

TransposeFn transpose_of(int64_t item) {
  switch (item) {
    case 1:
      return transpose<uint8_t>;
    case 2:
      return transpose<uint16_t>;
    case 4:
      return transpose<uint32_t>;
    case 8:
      return transpose<uint64_t>;
    default:
      return transpose<Item16>;
  }
}

}  // namespace executorch::kernels
