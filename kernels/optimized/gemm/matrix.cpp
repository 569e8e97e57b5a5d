#include "kernels/optimized/gemm/matrix.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "kernels/common/parallel.h"
#include "kernels/common/transpose.h"
#include "kernels/common/types.h"
#include "src/core/large_memory.h"

namespace executorch::kernels::gemm {
namespace {

// Items that are converted at a time.
constexpr int64_t kChunk = 256;

}  // namespace

template <class T>
Cast<T>::Cast(ScalarType dtype)
    : same_(dtype == dtype_of<T>()), item_(sizeof(T)) {
  if (!same_) {
    item_ = item_size(dtype);
    to_ = Converter(dtype, dtype_of<T>());
    from_ = Converter(dtype_of<T>(), dtype);
  }
}

template <class T>
void Cast<T>::read(const char* src, int64_t stride, T* dst,
                   int64_t count) const {
  if (same_) {
    const T* from = reinterpret_cast<const T*>(src);
    if (stride == 1) {
      std::copy(from, from + count, dst);
      return;
    }
    for (int64_t i = 0; i < count; ++i) {
      dst[i] = from[i * stride];
    }
  } else if (stride == 1) {
    to_(src, dst, count);
  } else {
    for (int64_t i = 0; i < count; ++i) {
      to_(src + i * stride * item_, dst + i, 1);
    }
  }
}

template <class T>
void Cast<T>::write(const T* src, char* dst, int64_t stride,
                    int64_t count) const {
  if (same_) {
    T* to = reinterpret_cast<T*>(dst);
    if (stride == 1) {
      std::copy(src, src + count, to);
      return;
    }
    for (int64_t i = 0; i < count; ++i) {
      to[i * stride] = src[i];
    }
  } else if (stride == 1) {
    from_(src, dst, count);
  } else {
    for (int64_t i = 0; i < count; ++i) {
      from_(src + i, dst + i * stride * item_, 1);
    }
  }
}

template <class T>
const T* Matrix<T>::in_place(int64_t batch, const Range& range, int64_t width,
                             int64_t from) const {
  return in_place_ && range.count == width
             ? reinterpret_cast<const T*>(items(batch, range, from))
             : nullptr;
}

template <class T>
Panel<T> Matrix<T>::panel(int64_t batch, const Range& range, int64_t width,
                          int64_t from, int64_t depth, T* buffer) const {
  if (const T* there = in_place(batch, range, width, from)) {
    return {there, k_stride_};
  }
  const char* src = items(batch, range, from);
  if (range.count < width) {  // garbage may be slow to compute with
    std::fill(buffer, buffer + width * depth, T(0));
  }
  if (!cast_.same()) {
    pack_converted(src, range, width, depth, buffer);
    return {buffer, width};
  }
  const T* source = reinterpret_cast<const T*>(src);
  if (k_stride_ == 1) {
    kernels<T>().pack_rows(buffer, width, source, stride_, range.count, depth);
  } else if (stride_ == 1) {
    for (int64_t k = 0; k < depth; ++k) {
      std::copy(source + k * k_stride_, source + k * k_stride_ + range.count,
                buffer + k * width);
    }
  } else {
    for (int64_t k = 0; k < depth; ++k) {
      cast_.read(src + k * k_stride_ * cast_.item(), stride_,
                 buffer + k * width, range.count);
    }
  }
  return {buffer, width};
}

template <class T>
void Matrix<T>::pack_converted(const char* src, const Range& range,
                               int64_t width, int64_t depth, T* buffer) const {
  if (stride_ == 1 || k_stride_ != 1) {
    for (int64_t k = 0; k < depth; ++k) {
      cast_.read(src + k * k_stride_ * cast_.item(), stride_,
                 buffer + k * width, range.count);
    }
    return;
  }
  // Rows of up to a chunk are converted side by side, then packed.
  constexpr int64_t kRows = 8;
  T rows[kRows * kChunk];
  for (int64_t i = (range.count - 1) / kRows * kRows; i >= 0; i -= kRows) {
    const int64_t count = std::min(kRows, range.count - i);
    for (int64_t k = 0; k < depth; k += kChunk) {
      const int64_t length = std::min(kChunk, depth - k);
      for (int64_t r = 0; r < count; ++r) {
        cast_.read(src + ((i + r) * stride_ + k) * cast_.item(), 1,
                   rows + r * kChunk, length);
      }
      for (int64_t r = 0; r < count; ++r) {
        for (int64_t j = 0; j < length; ++j) {
          buffer[(k + j) * width + i + r] = rows[r * kChunk + j];
        }
      }
    }
  }
}

template <class T>
std::shared_ptr<const Packed<T>> Packed<T>::make(const Operand<T>& from,
                                                 Side side, int64_t count,
                                                 int64_t size, int64_t k) {
  const Panels panels = gemm::panels<T>(side, size);
  std::shared_ptr<Packed> packed(new (std::nothrow) Packed(count, k));
  if (packed == nullptr || panels.count == 0 || k == 0) {
    return nullptr;
  }
  const Range last = panels.range(panels.count - 1);
  packed->matrix_ = (last.first + panels.width(last)) * k;
  int64_t bytes;
  if (__builtin_mul_overflow(packed->matrix_, count * int64_t{sizeof(T)},
                             &bytes)) {
    return nullptr;
  }
  constexpr int64_t kAlign = Scratch::kAlignment;
  bytes += kSlack * int64_t{sizeof(T)};
  packed->data_.reset(static_cast<T*>(core::allocate_aligned(kAlign, bytes)));
  if (packed->data_ == nullptr) {
    return nullptr;
  }
  // A panel may be written a little too far. Pieces go to one thread in order,
  // so that the next panel mends that, and the last one comes from a buffer.
  T* data = packed->data_.get();
  std::atomic<bool> out_of_memory{false};
  parallel(count * panels.count, kGrainBytes / (panels.full * k) + 1,
           [&](int64_t begin, int64_t end) {
             Scratch memory;
             T* buffer = memory.array<T>(panels.full * k + kSlack);
             if (buffer == nullptr) {
               out_of_memory = true;
               return;
             }
             for (int64_t i = begin; i < end; ++i) {
               const int64_t matrix = i / panels.count;
               const Range range = panels.range(i % panels.count);
               const int64_t width = panels.width(range);
               T* to = data + matrix * packed->matrix_ + range.first * k;
               const Panel<T> panel = from.panel(matrix, range, width, 0, k,
                                                 i + 1 < end ? to : buffer);
               for (int64_t j = 0; panel.data != to && j < k; ++j) {
                 std::copy_n(panel.items(j), width, to + j * width);
               }
             }
           });
  return out_of_memory ? nullptr : packed;
}

template <class T>
Panel<T> Packed<T>::panel(int64_t batch, const Range& range, int64_t width,
                          int64_t from, int64_t, T*) const {
  return {in_place(batch, range, width, from), width};
}

template <class T>
const T* Packed<T>::in_place(int64_t batch, const Range& range, int64_t width,
                             int64_t from) const {
  return data_.get() + batch % count_ * matrix_ + range.first * k_ +
         from * width;
}

Places Places::on_grid(const int64_t (&sizes)[3], const int64_t (&strides)[3]) {
  Places p;
  std::copy(sizes, sizes + 3, p.sizes);
  std::copy(strides, strides + 3, p.strides);
  // Dimensions that join make a line; so do those that have only one point.
  int64_t line = 1;
  for (int d = 2; d >= 0; --d) {
    if (sizes[d] == 1) {
      continue;
    }
    if (line == 1) {
      p.stride = strides[d];
    } else if (strides[d] != line * p.stride) {
      p.grid = true;
    }
    line *= sizes[d];
  }
  return p;
}

void Places::offsets(const Range& range, int64_t* out) const {
  for (int64_t i = 0; i < range.count; ++i) {
    const int64_t at = range.first + i;
    out[i] = !grid ? at * stride
                   : at / (sizes[1] * sizes[2]) * strides[0] +
                         at / sizes[2] % sizes[1] * strides[1] +
                         at % sizes[2] * strides[2];
  }
}

template <class T>
T* MatrixOutput<T>::direct(int64_t batch, int64_t* step) const {
  if (!cast_.same() || scaled_ || accumulate_ || rows_.grid || columns_.grid ||
      columns_.stride != 1) {
    return nullptr;
  }
  *step = rows_.stride;
  return reinterpret_cast<T*>(data_) + batch_(batch);
}

template <class T>
void MatrixOutput<T>::scale_row(int64_t row, const Range& columns,
                                T* values) const {
  T addend[kChunk];
  if (addend_.data != nullptr) {
    const int64_t at =
        row * addend_.row_stride + columns.first * addend_.column_stride;
    cast_.read(static_cast<const char*>(addend_.data) + at * cast_.item(),
               addend_.column_stride, addend, columns.count);
  }
  for (int64_t j = 0; j < columns.count; ++j) {
    if constexpr (std::is_same_v<T, int64_t>) {  // integers wrap
      uint64_t x = uint64_t(alpha_) * uint64_t(values[j]);
      if (addend_.data != nullptr) {
        x += uint64_t(beta_) * uint64_t(addend[j]);
      }
      values[j] = int64_t(x);
    } else {
      const T x = alpha_ * values[j];
      values[j] = addend_.data != nullptr ? x + beta_ * addend[j] : x;
    }
  }
}

template <class T>
void MatrixOutput<T>::store(int64_t batch, const Range& rows,
                            const Range& columns, const T* tile,
                            int64_t step) const {
  const int64_t base = batch_(batch);
  if (!scaled_ && !accumulate_ && !rows_.grid && rows_.stride == 1 &&
      cast_.same() && rows.count > 1) {
    return store_transposed(base, rows, columns, tile, step);
  }
  int64_t row_at[kChunk], column_at[kChunk];
  rows_.offsets(rows, row_at);
  columns_.offsets(columns, column_at);
  T values[kChunk];
  for (int64_t i = 0; i < rows.count; ++i) {
    std::copy(tile + i * step, tile + i * step + columns.count, values);
    if (scaled_) {
      scale_row(rows.first + i, columns, values);
    }
    char* to = data_ + (base + row_at[i]) * cast_.item();
    if (accumulate_) {
      T old[kChunk];
      for (int64_t j = 0; j < columns.count; ++j) {
        cast_.read(to + column_at[j] * cast_.item(), 1, old + j, 1);
        values[j] += old[j];
      }
    }
    if (!columns_.grid) {
      cast_.write(values, to + column_at[0] * cast_.item(), columns_.stride,
                  columns.count);
      continue;
    }
    for (int64_t j = 0; j < columns.count; ++j) {
      cast_.write(values + j, to + column_at[j] * cast_.item(), 1, 1);
    }
  }
}

// Rows of the product lie side by side in memory.
template <class T>
void MatrixOutput<T>::store_transposed(int64_t base, const Range& rows,
                                       const Range& columns, const T* tile,
                                       int64_t step) const {
  int64_t column_at[kChunk];
  columns_.offsets(columns, column_at);
  T* to = reinterpret_cast<T*>(data_) + base + rows.first;
  if constexpr (std::is_same_v<T, float>) {
    if (!columns_.grid) {
      transpose_of(sizeof(T))(reinterpret_cast<char*>(to + column_at[0]),
                              columns_.stride * sizeof(T),
                              reinterpret_cast<const char*>(tile),
                              step * sizeof(T), rows.count, columns.count);
      return;
    }
  }
  for (int64_t j = 0; j < columns.count; ++j) {
    for (int64_t i = 0; i < rows.count; ++i) {
      to[column_at[j] + i] = tile[i * step + j];
    }
  }
}

#define ET_INSTANTIATE(T)   \
  template class Cast<T>;   \
  template class Matrix<T>; \
  template class Packed<T>; \
  template class MatrixOutput<T>
ET_INSTANTIATE(float);
ET_INSTANTIATE(double);
ET_INSTANTIATE(int64_t);
ET_INSTANTIATE(std::complex<float>);
ET_INSTANTIATE(std::complex<double>);

}  // namespace executorch::kernels::gemm
