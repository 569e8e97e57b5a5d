// Compiled once per instruction set with -DET_ISA=<name> and the flags of that
// set. Includes nothing with inline functions: see the rules in README.md.
//
// A vector is kLanes lanes of 16 bytes. Lane l of the k-th vector of a block
// starts as the items of row (l * kSide + k); transposing inside all lanes at
// once then needs no instruction that crosses lanes, and leaves in vector c the
// column c of the block in order.
#include "kernels/common/vec/transpose.h"

namespace executorch::kernels::vec {
namespace {

#if defined(__AVX512F__)
constexpr int kLanes = 4;
#elif defined(__AVX2__)
constexpr int kLanes = 2;
#else
constexpr int kLanes = 1;
#endif

template <int... I>
struct Seq {};
template <int N, int... I>
struct MakeSeq : MakeSeq<N - 1, N - 1, I...> {};
template <int... I>
struct MakeSeq<0, I...> {
  using type = Seq<I...>;
};

template <class T>
struct Block {
  static constexpr int kSide = 16 / sizeof(T);  // columns
  static constexpr int kRows = kSide * kLanes;
  using Indices = typename MakeSeq<kRows>::type;
  typedef T Lane __attribute__((vector_size(16)));
  typedef T Vector __attribute__((vector_size(16 * kLanes)));

  static Lane load_lane(const char* p) {
    Lane x;
    __builtin_memcpy(&x, p, sizeof(x));
    return x;
  }

  static Vector load(const char* src, int64_t stride) {
    Vector x;
    Lane* lanes = reinterpret_cast<Lane*>(&x);
    for (int l = 0; l < kLanes; ++l) {
      lanes[l] = load_lane(src + l * kSide * stride);
    }
    return x;
  }

  // Interleaves the low halves (or the high ones) of each lane of a and b.
  template <int... I>
  static Vector zip_low(Vector a, Vector b, Seq<I...>) {
    return __builtin_shufflevector(
        a, b, (I / kSide * kSide + I % kSide / 2 + I % 2 * kRows)...);
  }
  template <int... I>
  static Vector zip_high(Vector a, Vector b, Seq<I...>) {
    return __builtin_shufflevector(
        a, b,
        (I / kSide * kSide + kSide / 2 + I % kSide / 2 + I % 2 * kRows)...);
  }

  static void run(char* dst, int64_t dst_stride, const char* src,
                  int64_t src_stride) {
    Vector x[kSide], y[kSide];
#pragma GCC unroll 16
    for (int k = 0; k < kSide; ++k) {
      x[k] = load(src + k * src_stride, src_stride);
    }
#pragma GCC unroll 4
    for (int done = 1; done < kSide; done *= 2) {
#pragma GCC unroll 16
      for (int k = 0; k < kSide / 2; ++k) {
        y[2 * k] = zip_low(x[k], x[k + kSide / 2], Indices{});
        y[2 * k + 1] = zip_high(x[k], x[k + kSide / 2], Indices{});
      }
#pragma GCC unroll 16
      for (int k = 0; k < kSide; ++k) {
        x[k] = y[k];
      }
    }
#pragma GCC unroll 16
    for (int k = 0; k < kSide; ++k) {
      __builtin_memcpy(dst + k * dst_stride, &x[k], sizeof(Vector));
    }
  }
};

template <class T>
void edge(char* dst, int64_t dst_stride, const char* src, int64_t src_stride,
          int64_t rows, int64_t cols) {
  for (int64_t c = 0; c < cols; ++c) {
    for (int64_t r = 0; r < rows; ++r) {
      T item;
      __builtin_memcpy(&item, src + r * src_stride + c * sizeof(T), sizeof(T));
      __builtin_memcpy(dst + c * dst_stride + r * sizeof(T), &item, sizeof(T));
    }
  }
}

// Goes down the rows in strips of one cache line of the destination, so that
// each of its lines is written once and as a whole.
template <class T>
void run(char* dst, int64_t dst_stride, const char* src, int64_t src_stride,
         int64_t rows, int64_t cols) {
  using B = Block<T>;
  constexpr int64_t kItem = sizeof(T);
  constexpr int64_t kStrip = 64 / kItem;
  const int64_t full_cols = cols / B::kSide * B::kSide;
  int64_t r = 0;
  for (; r + B::kRows <= rows;) {
    const int64_t strip = rows - r < kStrip ? B::kRows : kStrip;
    for (int64_t c = 0; c < full_cols; c += B::kSide) {
      for (int64_t i = r; i < r + strip; i += B::kRows) {
        B::run(dst + c * dst_stride + i * kItem, dst_stride,
               src + i * src_stride + c * kItem, src_stride);
      }
    }
    r += strip;
  }
  edge<T>(dst + full_cols * dst_stride, dst_stride, src + full_cols * kItem,
          src_stride, r, cols - full_cols);
  edge<T>(dst + r * kItem, dst_stride, src + r * src_stride, src_stride,
          rows - r, cols);
}

}  // namespace

#define ET_PASTE_(a, b) a##b
#define ET_PASTE(a, b) ET_PASTE_(a, b)

extern const Transpose ET_PASTE(transpose_, ET_ISA);
const Transpose ET_PASTE(transpose_, ET_ISA) = {cpu::Isa::ET_ISA, run<uint8_t>,
                                                run<uint16_t>, run<uint32_t>,
                                                run<uint64_t>};

}  // namespace executorch::kernels::vec
