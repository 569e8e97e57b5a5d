#include "kernels/optimized/gemm/gemm.h"

#include <algorithm>
#include <atomic>

#include "kernels/common/parallel.h"
#include "kernels/optimized/gemm/blocks.h"

namespace executorch::kernels::gemm {

using runtime::Error;

namespace {

// Steps of k at a time. A panel of `right` then stays in the first level cache,
// all panels of `left` in the second.
constexpr int64_t kDepth = 256;

// Items of an operand that are made once for all tasks.
constexpr int64_t kMostMadeOnce = 1 << 20;

// The fallback for element types without vector code.
template <class T>
struct Plain {
  static constexpr int kRows = 4, kLanes = 4, kVectors = 2;

  static void tile(const Tile<T>& t) {
    T acc[kRows][kLanes * kVectors];
    const int columns = t.vectors * kLanes;
    for (int i = 0; i < t.rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        acc[i][j] = t.start == Start::zero   ? T(0)
                    : t.start == Start::rows ? t.init[i]
                                             : t.init[i * t.init_step + j];
      }
    }
    for (int64_t k = 0; k < t.k; ++k) {
      const T* a =
          t.a + (t.a_offsets != nullptr ? t.a_offsets[k] : k * t.a_step);
      for (int i = 0; i < t.rows; ++i) {
        for (int j = 0; j < columns; ++j) {
          acc[i][j] = mul_add(a[i], t.b[k * t.b_step + j], acc[i][j]);
        }
      }
    }
    for (int i = 0; i < t.rows; ++i) {
      std::copy(acc[i], acc[i] + columns, t.c + i * t.c_step);
    }
  }

  static T mul_add(T a, T b, T c) {
    if constexpr (std::is_same_v<T, int64_t>) {  // integers wrap
      return static_cast<T>(static_cast<uint64_t>(a) *
                                static_cast<uint64_t>(b) +
                            static_cast<uint64_t>(c));
    } else {
      return c + a * b;
    }
  }

  static void pack_rows(T* dst, int64_t step, const T* src, int64_t src_step,
                        int64_t rows, int64_t depth) {
    for (int64_t k = 0; k < depth; ++k) {
      for (int64_t i = 0; i < rows; ++i) {
        dst[k * step + i] = src[i * src_step + k];
      }
    }
  }

  static void pack_runs(T* dst, int64_t step, const T* src,
                        const int64_t* offsets, int64_t depth, const Run* runs,
                        int64_t num_runs) {
    for (int64_t k = 0; k < depth; ++k) {
      for (int64_t r = 0; r < num_runs; ++r) {
        const T* from = src + offsets[k] + runs[r].from;
        std::copy(from, from + runs[r].length, dst + k * step + runs[r].to);
      }
    }
  }

  static constexpr Kernels<T> kKernels = {kRows, kVectors,  kLanes,
                                          tile,  pack_rows, pack_runs};
};

}  // namespace

template <class T>
const Kernels<T>& kernels() {
  if constexpr (std::is_same_v<T, float>) {
    return sgemm().kernels;
  } else {
    return Plain<T>::kKernels;
  }
}

Panels::Panels(Side side, int64_t size, int max_rows, int lanes,
               int max_vectors)
    : side(side), size(size), lanes(lanes), full(int64_t{lanes} * max_vectors) {
  const int64_t most = side == Side::left ? max_rows : full;
  count = (size + most - 1) / most;
}

namespace {

// How k is cut.
struct Depth {
  explicit Depth(int64_t k)
      : k(k),
        blocks(std::max<int64_t>((k + kDepth - 1) / kDepth, 1)),
        each(std::max<int64_t>((k + blocks - 1) / blocks, 1)) {}
  int64_t from(int64_t block) const { return block * each; }
  int64_t of(int64_t block) const { return std::min(each, k - from(block)); }

  const int64_t k, blocks, each;
};

// An operand whose panels are made once for all tasks, where several need them
// and they are not there yet.
template <class T>
class MadeOnce final : public Operand<T> {
 public:
  MadeOnce(const Panels& panels, const Depth& depth, const Operand<T>& from)
      : panels_(panels),
        depth_(depth),
        from_(from),
        step_(panels.width() * depth.each + kSlack) {}

  // The operand to use: this one if that pays; null if there is no memory.
  const Operand<T>* make(int64_t batch, bool is_shared) {
    const Range first = panels_.range(0);
    if (!is_shared || batch * panels_.size * depth_.k > kMostMadeOnce ||
        from_.in_place(0, first, panels_.width(first), 0) != nullptr) {
      return &from_;
    }
    const int64_t count = batch * panels_.count * depth_.blocks;
    data_ = memory_.array<T>(count * step_);
    if (data_ == nullptr) {
      return nullptr;
    }
    const int64_t grain = kGrainBytes / (step_ * int64_t{sizeof(T)}) + 1;
    parallel(count, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t block = i % depth_.blocks, panel = i / depth_.blocks;
        make_panel(panel / panels_.count, panels_.range(panel % panels_.count),
                   block, data_ + i * step_);
      }
    });
    return this;
  }

  Panel<T> panel(int64_t batch, const Range& range, int64_t width, int64_t from,
                 int64_t, T*) const override {
    return {in_place(batch, range, width, from), width};
  }
  const T* in_place(int64_t batch, const Range& range, int64_t,
                    int64_t from) const override {
    const int64_t panel = batch * panels_.count + panels_.number(range.first);
    return data_ + (panel * depth_.blocks + from / depth_.each) * step_;
  }

 private:
  void make_panel(int64_t batch, const Range& range, int64_t block, T* to) {
    const int64_t width = panels_.width(range), depth = depth_.of(block);
    const Panel<T> made =
        from_.panel(batch, range, width, depth_.from(block), depth, to);
    for (int64_t k = 0; made.data != to && k < depth; ++k) {
      std::copy_n(made.items(k), width, to + k * width);
    }
  }

  const Panels& panels_;
  const Depth& depth_;
  const Operand<T>& from_;
  const int64_t step_;  // from one panel of one block to the next
  Scratch memory_;
  T* data_ = nullptr;
};

// The part of a product that one task computes: a block of rows and columns.
template <class T>
class Task {
 public:
  Task(const Depth& depth, const Panels& rows, const Panels& columns,
       const Operand<T>& left, const Operand<T>& right, const Output<T>& out)
      : depth_(depth),
        rows_(rows),
        columns_(columns),
        left_(left),
        right_(right),
        out_(out) {}

  // Memory for blocks of at most this many panels.
  bool reserve(int64_t row_panels, int64_t column_panels) {
    const Kernels<T>& kernel = kernels<T>();
    a_step_ = kernel.max_rows * depth_.each + kSlack;
    columns_step_ = column_panels * columns_.full;
    a_ = a_memory_.array<T>(row_panels * a_step_);
    b_ = b_memory_.array<T>(columns_.full * depth_.each + kSlack);
    a_panels_ = panel_memory_.array<Panel<T>>(row_panels);
    const int64_t sums = row_panels * kernel.max_rows * columns_step_;
    sums_ = sums_memory_.array<T>(
        depth_.blocks > 1 ? sums : kernel.max_rows * columns_.full);
    return a_ != nullptr && b_ != nullptr && a_panels_ != nullptr &&
           sums_ != nullptr;
  }

  void run(int64_t batch, const Range& row_panels, const Range& column_panels) {
    batch_ = batch;
    direct_ = out_.direct(batch, &direct_step_);
    for (int64_t block = 0; block < depth_.blocks; ++block) {
      const int64_t from = depth_.from(block), depth = depth_.of(block);
      for (int64_t p = 0; p < row_panels.count; ++p) {
        const Range rows = rows_.range(row_panels.first + p);
        a_panels_[p] =
            left_.panel(batch, rows, rows.count, from, depth, a_ + p * a_step_);
      }
      for (int64_t q = 0; q < column_panels.count; ++q) {
        const Range columns = columns_.range(column_panels.first + q);
        const int64_t width = columns_.width(columns);
        const Panel<T> b = right_.panel(batch, columns, width, from, depth, b_);
        const T* next = next_panel(block, column_panels, q);
        for (int64_t p = 0; p < row_panels.count; ++p) {
          tile(block, depth, row_panels, p, columns, q, b, next);
        }
      }
    }
  }

 private:
  // Where the panel of columns after this one is, if it is there already.
  const T* next_panel(int64_t block, const Range& column_panels,
                      int64_t q) const {
    const bool same_block = q + 1 < column_panels.count;
    if (!same_block && block + 1 == depth_.blocks) {
      return nullptr;
    }
    const Range range =
        columns_.range(column_panels.first + (same_block ? q + 1 : 0));
    return right_.in_place(batch_, range, columns_.width(range),
                           depth_.from(same_block ? block : block + 1));
  }

  void tile(int64_t block, int64_t depth, const Range& row_panels, int64_t p,
            const Range& columns, int64_t q, const Panel<T>& b, const T* next) {
    const Range rows = rows_.range(row_panels.first + p);
    const int64_t width = columns_.width(columns);
    const bool in_place = direct_ != nullptr && width == columns.count;
    Tile<T> t;
    t.rows = static_cast<int>(rows.count);
    t.vectors = static_cast<int>(width / columns_.lanes);
    t.k = depth;
    t.a = a_panels_[p].data;
    t.a_step = a_panels_[p].step;
    t.a_offsets = a_panels_[p].offsets;
    t.b = b.data;
    t.b_step = b.step;
    if (next != nullptr) {  // each tile fetches its part
      t.ahead = next + p * (depth * width / row_panels.count);
      t.ahead_step = (width + row_panels.count - 1) / row_panels.count;
    }
    if (in_place) {
      t.c = direct_ + rows.first * direct_step_ + columns.first;
      t.c_step = direct_step_;
    } else if (depth_.blocks == 1) {
      t.c = sums_;
      t.c_step = columns_.full;
    } else {
      t.c =
          sums_ + p * kernels<T>().max_rows * columns_step_ + q * columns_.full;
      t.c_step = columns_step_;
    }
    if (block > 0) {
      t.start = Start::values;
      t.init = t.c;
      t.init_step = t.c_step;
    } else if (const int64_t bias = batch_ % out_.bias_inner * out_.bias_stride;
               out_.row_bias != nullptr) {
      t.start = Start::rows;
      t.init = out_.row_bias + bias + rows.first;
    } else if (out_.column_bias != nullptr) {
      t.start = Start::values;
      t.init = out_.column_bias + bias + columns.first;
    }
    const bool last = block == depth_.blocks - 1;
    t.clamp = last ? out_.clamp : nullptr;
    kernels<T>().tile(t);
    if (last && !in_place) {
      out_.store(batch_, rows, columns, t.c, t.c_step);
    }
  }

  const Depth& depth_;
  const Panels& rows_;
  const Panels& columns_;
  const Operand<T>& left_;
  const Operand<T>& right_;
  const Output<T>& out_;

  Scratch a_memory_, b_memory_, panel_memory_, sums_memory_;
  T* a_ = nullptr;
  T* b_ = nullptr;
  T* sums_ = nullptr;
  Panel<T>* a_panels_ = nullptr;
  int64_t a_step_ = 0, columns_step_ = 0;

  int64_t batch_ = 0;
  T* direct_ = nullptr;
  int64_t direct_step_ = 0;
};

}  // namespace

template <class T>
Error multiply(int64_t batch, int64_t m, int64_t n, int64_t k,
               const Operand<T>& left, const Operand<T>& right,
               const Output<T>& out) {
  if (batch == 0 || m == 0 || n == 0) {
    return Error::Ok;
  }
  const Panels rows = panels<T>(Side::left, m);
  const Panels columns = panels<T>(Side::right, n);
  const double macs = static_cast<double>(batch) * m * n * (k + 1);
  const auto [row_panels, column_panels, row_blocks, column_blocks] =
      choose_blocks(batch, macs, rows, columns);
  const int64_t tasks = batch * row_blocks * column_blocks;
  const int64_t grain = static_cast<int64_t>(kMinTask / (macs / tasks)) + 1;
  const Depth depth(k);
  MadeOnce<T> left_once(rows, depth, left), right_once(columns, depth, right);
  const Operand<T>* a = left_once.make(batch, column_blocks > 1);
  const Operand<T>* b = right_once.make(batch, row_blocks > 1);
  const bool is_ready = a != nullptr && b != nullptr;
  std::atomic<bool> out_of_memory{!is_ready};
  parallel(is_ready ? tasks : 0, grain, [&](int64_t begin, int64_t end) {
    Task<T> task(depth, rows, columns, *a, *b, out);
    if (!task.reserve(row_panels, column_panels)) {
      out_of_memory = true;
      return;
    }
    for (int64_t i = begin; i < end; ++i) {
      const int64_t column = i % column_blocks * column_panels;
      const int64_t row = i / column_blocks % row_blocks * row_panels;
      task.run(i / (column_blocks * row_blocks),
               {row, std::min(row_panels, rows.count - row)},
               {column, std::min(column_panels, columns.count - column)});
    }
  });
  ET_CHECK_OR_RETURN_ERROR(!out_of_memory, MemoryAllocationFailed,
                           "no memory for a matrix product with %lld steps",
                           static_cast<long long>(k));
  return Error::Ok;
}

template Error multiply(int64_t, int64_t, int64_t, int64_t,
                        const Operand<float>&, const Operand<float>&,
                        const Output<float>&);
template Error multiply(int64_t, int64_t, int64_t, int64_t,
                        const Operand<double>&, const Operand<double>&,
                        const Output<double>&);
template Error multiply(int64_t, int64_t, int64_t, int64_t,
                        const Operand<int64_t>&, const Operand<int64_t>&,
                        const Output<int64_t>&);
template Error multiply(int64_t, int64_t, int64_t, int64_t,
                        const Operand<std::complex<float>>&,
                        const Operand<std::complex<float>>&,
                        const Output<std::complex<float>>&);
template Error multiply(int64_t, int64_t, int64_t, int64_t,
                        const Operand<std::complex<double>>&,
                        const Operand<std::complex<double>>&,
                        const Output<std::complex<double>>&);
template const Kernels<float>& kernels();
template const Kernels<double>& kernels();
template const Kernels<int64_t>& kernels();
template const Kernels<std::complex<float>>& kernels();
template const Kernels<std::complex<double>>& kernels();

}  // namespace executorch::kernels::gemm
