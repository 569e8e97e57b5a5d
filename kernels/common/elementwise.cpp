#include "kernels/common/elementwise.h"

#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <algorithm>
#include <cstring>

#include "kernels/common/convert.h"
#include "kernels/common/parallel.h"

namespace executorch::kernels {

using aten::ScalarType;
using aten::SizesType;
using aten::Tensor;
using runtime::Error;
using runtime::Span;

namespace {

constexpr int64_t kBlockBytes = 4096;  // converted or moved at a time
constexpr int64_t kChunk = 16 * 1024;  // elements per call if they are not
constexpr int kMaxDims = runtime::kTensorDimensionLimit;

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Whether the operand needs no index arithmetic: it is laid out as `out`, or is
// one value.
bool is_flat(const Operand& x, const Tensor& out) {
  return x.dims == 0 || x.is_laid_out_as(out);
}

// Whether all operands are flat, and `out` has the shape of the result already.
bool are_flat(Span<const Operand> operands, const Tensor& out) {
  bool has_shape = out.dim() == 0;
  for (const Operand& x : operands) {
    if (!is_flat(x, out)) {
      return false;
    }
    has_shape = has_shape || x.dims != 0;
  }
  return has_shape;
}

// Refuses what would read elements after they were overwritten.
Error check_overlap(Span<const Operand> operands, const Tensor& out) {
  const auto* begin = static_cast<const char*>(out.const_data_ptr());
  const char* end = begin + out.numel() * item_size(out.scalar_type());
  for (const Operand& x : operands) {
    int64_t numel = 1;
    for (int d = 0; d < x.dims; ++d) {
      numel *= x.sizes[d];
    }
    const char* x_end = x.data + numel * item_size(x.dtype);
    const bool apart = x_end <= begin || end <= x.data;
    ET_CHECK_OR_RETURN_ERROR(
        apart || (x.data == begin && x_end == end && is_flat(x, out)),
        InvalidArgument,
        "the output overlaps in memory with an input of another layout");
  }
  return Error::Ok;
}

Error resize_to_broadcast(Span<const Operand> operands, Tensor& out) {
  Shape shape;
  for (const Operand& x : operands) {
    ET_CHECK_OK_OR_RETURN_ERROR(
        shape.broadcast({x.sizes, static_cast<size_t>(x.dims)}));
  }
  return runtime::resize_tensor(out, shape.view());
}

struct Input {
  const char* data;
  int64_t item;
  bool converts, rounds;
  Converter convert;
  Converter narrow, widen;   // to the dtype to round to, and back
  int64_t stride[kMaxDims];  // bytes; 0 along a broadcast dimension
};

// The loops of one call: dimensions in the order of out's memory, outermost
// first, without those of size 1, neighbours merged where all inputs allow it.
// The elements of `out` are then simply consecutive.
struct Plan {
  Plan(const Computation& computation, Span<const Operand> operands,
       Tensor& out)
      : computation(computation),
        count(static_cast<int>(operands.size())),
        out(static_cast<char*>(out.mutable_data_ptr())) {
    plan_output(out.scalar_type());
    for (int k = 0; k < count; ++k) {
      const Operand& x = operands[k];
      in[k].data = x.data;
      in[k].item = item_size(x.dtype);
      widest = std::max({widest, in[k].item, item_size(x.as)});
      in[k].rounds = x.rounded_to != ScalarType::Undefined;
      in[k].converts = x.dtype != x.as || in[k].rounds;
      if (in[k].converts) {
        in[k].convert = Converter(x.dtype, x.as);
      }
      if (in[k].rounds) {
        in[k].narrow = Converter(x.as, x.rounded_to);
        in[k].widen = Converter(x.rounded_to, x.as);
      }
    }
    if (are_flat(operands, out)) {
      dims = 1;
      size[0] = out.numel();
      for (int k = 0; k < count; ++k) {
        in[k].stride[0] = operands[k].dims == 0 ? 0 : in[k].item;
      }
    } else {
      plan_dims(operands, out);
      merge_dims();
    }
    plan_blocks();
  }

  int64_t last_stride(int k) const { return in[k].stride[dims - 1]; }
  int64_t row_stride(int k) const {
    return dims > 1 ? in[k].stride[dims - 2] : 0;
  }

  const Computation& computation;
  int count;
  int dims = 0;
  int64_t size[kMaxDims];
  Input in[kMaxOperands];

  char* out;
  int64_t out_item;
  bool out_converts, out_rounds;
  Converter round, to_out;

  // One call computes `rows` rows of `cols` elements of the last dimension.
  int64_t rows = 1, cols;
  int64_t row_blocks, col_blocks, blocks;
  int64_t widest;   // bytes of the largest element of all
  int64_t bytes;    // touched per block
  bool value_last;  // the last input is the same value in all of a block

 private:
  void plan_output(ScalarType dtype) {
    const ScalarType from = computation.writes;
    const ScalarType result = computation.result;
    out_item = item_size(dtype);
    widest = std::max(out_item, item_size(from));
    out_rounds = result != from && result != dtype;
    out_converts = out_rounds || from != dtype;
    if (out_converts) {
      round = Converter(from, result);
      to_out = Converter(out_rounds ? result : from, dtype);
    }
  }

  void plan_dims(Span<const Operand> operands, const Tensor& out) {
    const int rank = static_cast<int>(out.dim());
    int64_t out_stride[kMaxDims];
    for (int d = 0; d < rank; ++d) {
      if (out.sizes()[d] == 1) {
        continue;
      }
      const int64_t stride = out.strides()[d];
      int at = dims++;
      for (; at > 0 && out_stride[at - 1] < stride; --at) {
        out_stride[at] = out_stride[at - 1];
        move(at - 1, at);
      }
      out_stride[at] = stride;
      size[at] = out.sizes()[d];
      for (int k = 0; k < count; ++k) {
        const Operand& x = operands[k];
        const int own = d - (rank - x.dims);
        const bool repeats = own < 0 || x.sizes[own] == 1;
        in[k].stride[at] = repeats ? 0 : x.strides[own] * in[k].item;
      }
    }
    if (dims == 0) {
      dims = 1;
      size[0] = 1;
      for (int k = 0; k < count; ++k) {
        in[k].stride[0] = in[k].item;
      }
    }
  }

  void move(int from, int to) {
    size[to] = size[from];
    for (int k = 0; k < count; ++k) {
      in[k].stride[to] = in[k].stride[from];
    }
  }

  void merge_dims() {
    int last = 0;
    for (int d = 1; d < dims; ++d) {
      bool merges = true;
      for (int k = 0; k < count; ++k) {
        merges = merges && in[k].stride[last] == in[k].stride[d] * size[d];
      }
      const int64_t merged = merges ? size[last] * size[d] : size[d];
      last += merges ? 0 : 1;
      move(d, last);
      size[last] = merged;
    }
    dims = last + 1;
  }

  void plan_blocks() {
    const int64_t row = size[dims - 1];
    const int64_t block = kBlockBytes / widest;
    const bool narrow = dims > 1 && row <= block / 2;
    if (computation.commutes && last_stride(0) == 0 && last_stride(1) != 0) {
      std::swap(in[0], in[1]);
    }
    value_last = computation.run_with_value != nullptr && !narrow &&
                 last_stride(count - 1) == 0;
    bool buffered = out_converts;
    bytes = out_item;
    for (int k = 0; k < count; ++k) {
      const bool is_value = value_last && k == count - 1;
      buffered = buffered || (!is_value &&
                              (in[k].converts || last_stride(k) != in[k].item));
      bytes += in[k].item;
    }
    if (narrow) {
      rows = std::min(size[dims - 2], block / row);
      cols = row;
    } else {
      cols = std::min(row, buffered ? block : kChunk);
    }
    col_blocks = ceil_div(row, cols);
    row_blocks = dims > 1 ? ceil_div(size[dims - 2], rows) : 1;
    blocks = col_blocks * row_blocks;
    for (int d = 0; d < dims - 2; ++d) {
      blocks *= size[d];
    }
    bytes *= rows * cols;
  }
};

template <class T>
void repeat(const char* src, char* dst, int64_t count) {
  constexpr int64_t kStep = 16;  // bytes, which compilers write at once
  const int64_t bytes = count * int64_t{sizeof(T)};
  char pattern[kStep];
  for (size_t i = 0; i < kStep; i += sizeof(T)) {
    std::memcpy(pattern + i, src, sizeof(T));
  }
  int64_t i = 0;
  for (; i + kStep <= bytes; i += kStep) {
    std::memcpy(dst + i, pattern, kStep);
  }
  for (; i < bytes; i += sizeof(T)) {
    std::memcpy(dst + i, src, sizeof(T));
  }
}

template <class T>
void gather(const char* src, char* dst, int64_t rows, int64_t cols,
            int64_t row_stride, int64_t stride) {
  for (int64_t r = 0; r < rows; ++r, src += row_stride) {
    const char* from = src;
    if (stride == 0) {
      repeat<T>(src, dst, cols);
      dst += cols * int64_t{sizeof(T)};
    } else if (stride == sizeof(T)) {
      std::memcpy(dst, src, static_cast<size_t>(cols) * sizeof(T));
      dst += cols * int64_t{sizeof(T)};
    } else {
      for (int64_t c = 0; c < cols; ++c, from += stride, dst += sizeof(T)) {
        std::memcpy(dst, from, sizeof(T));
      }
    }
  }
}

struct Item16 {
  uint64_t parts[2];
};

void gather(const Input& x, const char* src, char* dst, int64_t rows,
            int64_t cols, int64_t row_stride, int64_t stride) {
  const auto run = x.item == 1   ? gather<uint8_t>
                   : x.item == 2 ? gather<uint16_t>
                   : x.item == 4 ? gather<uint32_t>
                   : x.item == 8 ? gather<uint64_t>
                                 : gather<Item16>;
  run(src, dst, rows, cols, row_stride, stride);
}

// What one thread keeps while it computes some of the blocks of a plan.
class Worker {
 public:
  explicit Worker(const Plan& plan) : plan_(plan), dims_(plan.dims) {}

  void run(int64_t begin, int64_t end) {
    seek(begin);
    char* out = plan_.out + position() * plan_.out_item;
    for (int64_t block = begin; block < end; ++block) {
      const int64_t cols = std::min(plan_.cols, plan_.size[dims_ - 1] - col());
      const int64_t rows =
          dims_ > 1 ? std::min(plan_.rows, plan_.size[dims_ - 2] - row()) : 1;
      const void* in[kMaxOperands];
      for (int k = 0; k < plan_.count; ++k) {
        in[k] = load(k, rows, cols);
      }
      compute(in, out, rows * cols);
      out += rows * cols * plan_.out_item;
      next();
    }
  }

 private:
  int64_t& col() { return index_[dims_ - 1]; }
  int64_t& row() { return index_[dims_ - 2]; }

  void seek(int64_t block) {
    col() = block % plan_.col_blocks * plan_.cols;
    block /= plan_.col_blocks;
    if (dims_ > 1) {
      row() = block % plan_.row_blocks * plan_.rows;
      block /= plan_.row_blocks;
    }
    for (int d = dims_ - 3; d >= 0; --d) {
      index_[d] = block % plan_.size[d];
      block /= plan_.size[d];
    }
  }

  void next() {
    for (int d = dims_ - 1; d >= 0; --d) {
      index_[d] += d == dims_ - 1   ? plan_.cols
                   : d == dims_ - 2 ? plan_.rows
                                    : 1;
      if (index_[d] < plan_.size[d]) {
        return;
      }
      index_[d] = 0;
    }
  }

  int64_t position() const {
    int64_t at = 0;
    for (int d = 0; d < dims_; ++d) {
      at = at * plan_.size[d] + index_[d];
    }
    return at;
  }

  // `rows * cols` elements of input k as an array of the type it is read in.
  const void* load(int k, int64_t rows, int64_t cols) {
    const Input& x = plan_.in[k];
    const char* src = x.data;
    for (int d = 0; d < dims_; ++d) {
      src += index_[d] * x.stride[d];
    }
    const int64_t stride = plan_.last_stride(k);
    const int64_t row_stride = plan_.row_stride(k);
    const bool is_value = plan_.value_last && k == plan_.count - 1;
    const bool plain =
        is_value ||
        (stride == x.item &&
         (rows == 1 || row_stride == plan_.size[dims_ - 1] * x.item));
    if (plain && !x.converts) {
      return src;
    }
    const int64_t count = is_value ? 1 : rows * cols;
    Buffer& buffer = buffers_[k];
    if (buffer.holds(src, rows, cols)) {
      return buffer.values;
    }
    buffer.remember(src, rows, cols);
    if (!plain) {
      gather(x, src, x.converts ? raw_ : buffer.values, rows, cols, row_stride,
             stride);
    }
    if (x.converts) {
      x.convert(plain ? src : raw_, buffer.values, count);
    }
    if (x.rounds) {
      x.narrow(buffer.values, raw_, count);
      x.widen(raw_, buffer.values, count);
    }
    return buffer.values;
  }

  void compute(const void* const* in, char* out, int64_t n) {
    const Computation& f = plan_.computation;
    char* to = plan_.out_converts ? result_ : out;
    (plan_.value_last ? f.run_with_value : f.run)(in, to, n, f.params);
    if (plan_.out_rounds) {
      plan_.round(result_, raw_, n);
      plan_.to_out(raw_, out, n);
    } else if (plan_.out_converts) {
      plan_.to_out(result_, out, n);
    }
  }

  struct Buffer {
    // A broadcast input is read again from the same place: its values, or the
    // first of them, are still here.
    bool holds(const char* from, int64_t rows, int64_t cols) const {
      return from == src && ((cols == src_cols && rows <= src_rows) ||
                             (rows == 1 && cols <= src_cols));
    }
    void remember(const char* from, int64_t rows, int64_t cols) {
      src = from;
      src_rows = rows;
      src_cols = cols;
    }
    const char* src = nullptr;
    int64_t src_rows = 0, src_cols = 0;
    alignas(64) char values[kBlockBytes];
  };

  const Plan& plan_;
  const int dims_;
  int64_t index_[kMaxDims];
  Buffer buffers_[kMaxOperands];
  alignas(64) char raw_[kBlockBytes];
  alignas(64) char result_[kBlockBytes];
};

// Runs the function on the tensors as they are, if no element has to be
// converted or moved. False if some have to.
bool run_in_place(const Computation& f, Span<const Operand> operands,
                  Tensor& out) {
  if (out.scalar_type() != f.writes || f.result != f.writes) {
    return false;
  }
  const int count = static_cast<int>(operands.size());
  const char* data[kMaxOperands];
  int64_t step[kMaxOperands];
  int64_t bytes = item_size(f.writes);
  bool value_last = false;
  for (int k = 0; k < count; ++k) {
    const Operand& x = operands[k];
    const bool is_value = x.dims == 0 && out.dim() != 0;
    value_last = is_value;
    if (x.dtype != x.as || x.rounded_to != ScalarType::Undefined ||
        (is_value &&
         (k + 1 != count || count == 1 || f.run_with_value == nullptr))) {
      return false;
    }
    data[k] = x.data;
    step[k] = is_value ? 0 : item_size(x.dtype);
    bytes += step[k];
  }
  const BlockFn run = value_last ? f.run_with_value : f.run;
  char* to = static_cast<char*>(out.mutable_data_ptr());
  const int64_t n = out.numel();
  if (n * bytes * f.cost <= kGrainBytes) {
    const void* in[kMaxOperands];
    std::copy_n(data, count, in);
    run(in, to, n, f.params);
    return true;
  }
  parallel(n, std::max<int64_t>(1, kGrainBytes / (bytes * f.cost)),
           [&](int64_t begin, int64_t end) {
             const void* in[kMaxOperands];
             for (int k = 0; k < count; ++k) {
               in[k] = data[k] + begin * step[k];
             }
             run(in, to + begin * item_size(f.writes), end - begin, f.params);
           });
  return true;
}

}  // namespace

Error elementwise(const Computation& computation, Span<const Operand> operands,
                  Tensor& out) {
  const bool flat = are_flat(operands, out);
  if (!flat) {
    ET_CHECK_OK_OR_RETURN_ERROR(resize_to_broadcast(operands, out));
  }
  if (out.numel() == 0) {
    return Error::Ok;
  }
  ET_CHECK_OK_OR_RETURN_ERROR(check_overlap(operands, out));
  if (flat && run_in_place(computation, operands, out)) {
    return Error::Ok;
  }
  const Plan plan(computation, operands, out);
  const int64_t grain =
      std::max<int64_t>(1, kGrainBytes / (plan.bytes * computation.cost));
  parallel(plan.blocks, grain,
           [&](int64_t begin, int64_t end) { Worker(plan).run(begin, end); });
  return Error::Ok;
}

}  // namespace executorch::kernels
