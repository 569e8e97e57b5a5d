// Operands and outputs of a matrix product that are matrices in memory, with
// any dtype and any strides.
#pragma once

#include <cstdlib>
#include <memory>
#include <utility>

#include "kernels/common/convert.h"
#include "kernels/common/types.h"
#include "kernels/optimized/gemm/gemm.h"

namespace executorch::kernels::gemm {

// The dtype that T is stored as without conversion.
template <class T>
constexpr ScalarType dtype_of() {
  return runtime::CppTypeToScalarType<T>::value;
}
template <>
constexpr ScalarType dtype_of<std::complex<float>>() {
  return ScalarType::ComplexFloat;
}
template <>
constexpr ScalarType dtype_of<std::complex<double>>() {
  return ScalarType::ComplexDouble;
}

// Calls f(TypeTag<T>{}) with the type that sums of `dtype` are kept in; false
// when it has none.
template <class F>
constexpr bool visit_sum_type(ScalarType dtype, F&& f) {
  switch (dtype) {
    case ScalarType::Float:
    case ScalarType::Half:
    case ScalarType::BFloat16:
      f(TypeTag<float>{});
      return true;
    case ScalarType::Double:
      f(TypeTag<double>{});
      return true;
    case ScalarType::Byte:
    case ScalarType::Char:
    case ScalarType::Short:
    case ScalarType::Int:
    case ScalarType::Long:
      f(TypeTag<int64_t>{});
      return true;
    case ScalarType::ComplexFloat:
      f(TypeTag<std::complex<float>>{});
      return true;
    case ScalarType::ComplexDouble:
      f(TypeTag<std::complex<double>>{});
      return true;
    default:
      return false;
  }
}

// The dtypes that have one.
inline constexpr DtypeSet kSumDtypes = [] {
  DtypeSet all = 0;
  for (int i = 0; i < static_cast<int>(ScalarType::Undefined); ++i) {
    const auto dtype = static_cast<ScalarType>(i);
    all |= visit_sum_type(dtype, [](auto) {}) ? dtype_bit(dtype) : 0;
  }
  return all;
}();

// Copies `count` items, `stride` apart, into an array of T, and back.
template <class T>
class Cast {
 public:
  explicit Cast(ScalarType dtype);

  void read(const char* src, int64_t stride, T* dst, int64_t count) const;
  void write(const T* src, char* dst, int64_t stride, int64_t count) const;

  int64_t item() const { return item_; }
  bool same() const { return same_; }

 private:
  bool same_;  // as T: nothing to convert
  int64_t item_;
  Converter to_, from_;
};

// A view of a tensor as a matrix, or a batch of them. Strides are in items.
struct MatrixView {
  const void* data;
  ScalarType dtype;
  int64_t row_stride;
  int64_t column_stride;
  BatchOffset batch = {};

  MatrixView transposed() const {
    return {data, dtype, column_stride, row_stride, batch};
  }
};

// Side::left: rows of the view are rows of the product and its columns run
// along k. Side::right: its rows run along k. What lies side by side in memory
// across k is used where it is when that is `once` or so; else a copy, which
// does not keep the steps of k far apart, is faster.
template <class T>
class Matrix final : public Operand<T> {
 public:
  Matrix(Side side, const MatrixView& view, bool once = false)
      : data_(static_cast<const char*>(view.data)),
        cast_(view.dtype),
        stride_(side == Side::left ? view.row_stride : view.column_stride),
        k_stride_(side == Side::left ? view.column_stride : view.row_stride),
        batch_(view.batch),
        in_place_(once && stride_ == 1 && cast_.same()) {}

  Panel<T> panel(int64_t batch, const Range& range, int64_t width, int64_t from,
                 int64_t depth, T* buffer) const override;
  const T* in_place(int64_t batch, const Range& range, int64_t width,
                    int64_t from) const override;

 private:
  const char* items(int64_t batch, const Range& range, int64_t from) const {
    return data_ + cast_.item() * (batch_(batch) + range.first * stride_ +
                                   from * k_stride_);
  }
  void pack_converted(const char* src, const Range& range, int64_t width,
                      int64_t depth, T* buffer) const;

  const char* data_;
  const Cast<T> cast_;
  const int64_t stride_;  // from one row (or column) of the product to the next
  const int64_t k_stride_;
  const BatchOffset batch_;
  const bool in_place_;
};

// An operand whose panels were made beforehand. Batch entry b uses the matrix
// b % count: the groups of a convolution have weights of their own.
template <class T>
class Packed final : public Operand<T> {
 public:
  // Null when there is no memory for it.
  static std::shared_ptr<const Packed> make(const Operand<T>& from, Side side,
                                            int64_t count, int64_t size,
                                            int64_t k);

  Panel<T> panel(int64_t batch, const Range& range, int64_t width, int64_t from,
                 int64_t depth, T* buffer) const override;
  const T* in_place(int64_t batch, const Range& range, int64_t width,
                    int64_t from) const override;

 private:
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  Packed(int64_t count, int64_t k) : count_(count), k_(k) {}

  std::unique_ptr<T, Free> data_;
  int64_t count_, k_, matrix_ = 0;  // items of one matrix
};

// Offsets of the results along one side of the product: `stride` apart, or at
// the points of a grid with up to three dimensions.
struct Places {
  int64_t stride = 1;
  bool grid = false;
  int64_t sizes[3] = {};
  int64_t strides[3] = {};

  static Places on_grid(const int64_t (&sizes)[3], const int64_t (&strides)[3]);

  // Offsets of `range`, one after the other.
  void offsets(const Range& range, int64_t* out) const;
};

// Adds scale * value(i, j) to alpha times the sum.
struct Addend {
  const void* data = nullptr;
  int64_t row_stride = 0;
  int64_t column_stride = 0;
};

template <class T>
class MatrixOutput final : public Output<T> {
 public:
  MatrixOutput(void* data, ScalarType dtype, Places rows, Places columns,
               BatchOffset batch = {})
      : data_(static_cast<char*>(data)),
        cast_(dtype),
        rows_(rows),
        columns_(columns),
        batch_(batch) {}

  // The result is alpha * sum + beta * addend; the addend has the dtype of the
  // result and is not read when it has no data.
  void scale(T alpha, T beta, const Addend& addend) {
    scaled_ = true;
    alpha_ = alpha;
    beta_ = beta;
    addend_ = addend;
  }

  // Swaps rows and columns: the output of the transposed product.
  void transpose() {
    std::swap(rows_, columns_);
    std::swap(this->row_bias, this->column_bias);
    std::swap(addend_.row_stride, addend_.column_stride);
  }

  // The result is added to what is there.
  void accumulate() { accumulate_ = true; }

  T* direct(int64_t batch, int64_t* step) const override;
  void store(int64_t batch, const Range& rows, const Range& columns,
             const T* tile, int64_t step) const override;

 private:
  void scale_row(int64_t row, const Range& columns, T* values) const;
  void store_transposed(int64_t base, const Range& rows, const Range& columns,
                        const T* tile, int64_t step) const;

  char* data_;
  const Cast<T> cast_;
  Places rows_, columns_;
  const BatchOffset batch_;
  bool scaled_ = false;
  bool accumulate_ = false;
  T alpha_{1}, beta_{0};
  Addend addend_;
};

}  // namespace executorch::kernels::gemm
