#include "kernels/common/reduce.h"

#include <algorithm>
#include <cstring>

#include "kernels/common/convert.h"
#include "kernels/common/parallel.h"
#include "kernels/common/scratch.h"

namespace executorch::kernels {

using aten::ArrayRef;
using aten::ScalarType;
using aten::Tensor;
using runtime::Error;
using runtime::Result;
using runtime::Span;

namespace {

constexpr int64_t kBlock = 256;          // elements converted at a time
constexpr int64_t kStates = 128;         // results made at a time
constexpr int64_t kSegment = 64 * 1024;  // of one long result, per thread
constexpr int64_t kGrain = 16 * 1024;    // elements below which none splits
constexpr int kMaxDims = runtime::kTensorDimensionLimit;

struct Dim {
  int64_t size;
  int64_t in;  // bytes from one element to the next
  int64_t out[kMaxReduceOuts];
};

// Dimensions, outermost first; neighbours that are one in memory are merged.
struct Dims {
  int count = 0;
  Dim dims[kMaxDims];

  const Dim& inner() const { return dims[count - 1]; }

  void sort_by_memory() {
    std::stable_sort(dims, dims + count,
                     [](const Dim& a, const Dim& b) { return a.in > b.in; });
  }
  void merge() {
    int kept = 0;
    for (int d = 1; d < count; ++d) {
      if (!try_merge(dims[kept], dims[d])) {
        dims[++kept] = dims[d];
      }
    }
    count = count == 0 ? 0 : kept + 1;
    if (count == 0) {
      dims[count++] = {1, 0, {}};
    }
  }

 private:
  static bool try_merge(Dim& outer, const Dim& inner) {
    bool same = outer.in == inner.in * inner.size;
    for (int k = 0; k < kMaxReduceOuts; ++k) {
      same = same && outer.out[k] == inner.out[k] * inner.size;
    }
    if (same) {
      outer = {outer.size * inner.size, inner.in, {inner.out[0], inner.out[1]}};
    }
    return same;
  }
};

// Calls f(offset in bytes, number) for every index of all dimensions but the
// last `skip`.
template <class F>
void for_each_index(const Dims& loops, int skip, F f) {
  int64_t index[kMaxDims] = {};
  const int dims = loops.count - skip;
  int64_t offset = 0;
  for (int64_t number = 0;; ++number) {
    f(offset, number);
    int d = dims - 1;
    for (; d >= 0; --d) {
      offset += loops.dims[d].in;
      if (++index[d] < loops.dims[d].size) {
        break;
      }
      offset -= loops.dims[d].in * index[d];
      index[d] = 0;
    }
    if (d < 0) {
      return;
    }
  }
}

template <class T>
void gather(const char* src, int64_t stride, void* dst, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    std::memcpy(static_cast<T*>(dst) + i, src + i * stride, sizeof(T));
  }
}
template <class T>
void scatter(const void* src, char* dst, int64_t stride, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    std::memcpy(dst + i * stride, static_cast<const T*>(src) + i, sizeof(T));
  }
}
struct Bytes16 {
  char bytes[16];
};
template <class F>
void with_item(int64_t item, F f) {
  switch (item) {
    case 1:
      return f(uint8_t{});
    case 2:
      return f(uint16_t{});
    case 4:
      return f(uint32_t{});
    case 8:
      return f(uint64_t{});
    default:
      return f(Bytes16{});
  }
}

// Gives elements of the input as the accumulator reads them.
class Reader {
 public:
  Reader(ScalarType from, const Reduction& r)
      : item_(item_size(from)),
        direct_(from == r.in && r.as == r.in),
        first_(from, r.as == r.in || from == r.as ? r.in : r.as) {
    if (r.as != r.in && from != r.as) {
      second_ = Converter(r.as, r.in);
    }
  }
  bool valid() const { return first_.valid(); }

  // Calls f(elements, their number, number of the first) until n are read.
  template <class F>
  void read(const char* src, int64_t stride, int64_t n, F f) const {
    if (direct_ && (stride == item_ || n == 1)) {
      f(src, n, int64_t{0});
      return;
    }
    alignas(64) char gathered[kBlock * 16], converted[kBlock * 16];
    for (int64_t i = 0; i < n; i += kBlock) {
      const int64_t m = std::min(kBlock, n - i);
      const char* x = src + i * stride;
      if (stride != item_) {
        with_item(item_, [&](auto tag) {
          gather<decltype(tag)>(x, stride, gathered, m);
        });
        x = gathered;
      }
      if (!direct_) {
        first_(x, converted, m);
        x = converted;
      }
      if (second_.valid()) {
        // Widening in place would overwrite what is still to be read.
        std::memcpy(gathered, converted, sizeof(gathered));
        second_(gathered, converted, m);
      }
      f(x, m, i);
    }
  }

 private:
  int64_t item_;
  bool direct_;
  Converter first_;
  Converter second_;
};

class Writer {
 public:
  Writer() = default;
  explicit Writer(const ReduceOut& out)
      : data_(static_cast<char*>(out.tensor.mutable_data_ptr())),
        item_(item_size(out.tensor.scalar_type())),
        convert_(out.writes, out.tensor.scalar_type()) {}
  bool valid() const { return convert_.valid(); }

  void write(const void* results, int64_t offset, int64_t stride,
             int64_t n) const {
    alignas(64) char converted[kStates * 16];
    if (stride == item_ || n == 1) {
      convert_(results, data_ + offset, n);
      return;
    }
    convert_(results, converted, n);
    with_item(item_, [&](auto tag) {
      scatter<decltype(tag)>(converted, data_ + offset, stride, n);
    });
  }

 private:
  char* data_ = nullptr;
  int64_t item_ = 0;
  Converter convert_;
};

// One reduction, planned.
struct Plan {
  const Reduction& r;
  const char* in;
  Reader reader;
  int outs;
  Writer writers[kMaxReduceOuts];
  Dims kept, reduced;
  int64_t count = 1;  // elements per result
  bool columns;       // results lie beside each other, their elements do not
  int64_t run_length = kStates;  // results made at a time

  // Takes all elements of the n results that begin at `x`.
  void take(void* states, const char* x, int64_t n) const {
    r.empty(states, n);
    if (count == 0) {
      return;
    }
    if (columns) {
      for_each_index(reduced, 0, [&](int64_t offset, int64_t number) {
        reader.read(x + offset, kept.inner().in, n,
                    [&](const void* row, int64_t m, int64_t at) {
                      r.column(state(states, at), row, m, number);
                    });
      });
      return;
    }
    for (int64_t i = 0; i < n; ++i) {
      const char* own = x + i * kept.inner().in;
      for_each_index(reduced, 1, [&](int64_t offset, int64_t number) {
        take_row(state(states, i), own + offset, reduced.inner().size,
                 number * reduced.inner().size);
      });
    }
  }
  void take_row(void* to, const char* x, int64_t n, int64_t first) const {
    reader.read(x, reduced.inner().in, n,
                [&](const void* row, int64_t m, int64_t at) {
                  r.row(to, row, m, first + at);
                });
  }

  void finish(const void* states, const int64_t* at, int64_t n) const {
    alignas(64) char results[kMaxReduceOuts][kStates * 16];
    void* const pointers[] = {results[0], results[1]};
    r.finish(states, n, count, r.params, pointers);
    for (int k = 0; k < outs; ++k) {
      writers[k].write(results[k], at[k], kept.inner().out[k], n);
    }
  }

  void* state(void* states, int64_t i) const {
    return static_cast<char*>(states) + i * r.state_size;
  }

  // Results `begin` to `end` of the runs that the innermost dimension is cut
  // to.
  void run(int64_t begin, int64_t end) const {
    alignas(64) char states[kStates * kMaxStateSize];
    const int64_t runs = runs_per_row();
    for (int64_t i = begin; i < end; ++i) {
      int64_t in_at = 0, out_at[kMaxReduceOuts] = {};
      int64_t rest = i / runs;
      for (int d = kept.count - 2; d >= 0; --d) {
        add(kept.dims[d], rest % kept.dims[d].size, &in_at, out_at);
        rest /= kept.dims[d].size;
      }
      const int64_t start = i % runs * run_length;
      add(kept.inner(), start, &in_at, out_at);
      const int64_t n = std::min(run_length, kept.inner().size - start);
      take(states, in + in_at, n);
      finish(states, out_at, n);
    }
  }
  int64_t runs_per_row() const {
    return (kept.inner().size + run_length - 1) / run_length;
  }
  static void add(const Dim& dim, int64_t index, int64_t* in_at,
                  int64_t* out_at) {
    *in_at += index * dim.in;
    for (int k = 0; k < kMaxReduceOuts; ++k) {
      out_at[k] += index * dim.out[k];
    }
  }

  // One result of many elements: segments of a fixed length are taken at the
  // same time and merged in order, so the threads do not change the result.
  Error run_segments() const {
    const int64_t n = reduced.inner().size;
    const int64_t segments = (n + kSegment - 1) / kSegment;
    Scratch scratch;
    char* states = scratch.array<char>(segments * r.state_size);
    ET_CHECK_OR_RETURN_ERROR(states != nullptr, MemoryAllocationFailed,
                             "no memory for %lld partial results",
                             static_cast<long long>(segments));
    r.empty(states, segments);
    parallel(segments, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t first = i * kSegment;
        take_row(state(states, i), in + first * reduced.inner().in,
                 std::min(kSegment, n - first), first);
      }
    });
    for (int64_t i = 1; i < segments; ++i) {
      r.merge(states, state(states, i));
    }
    const int64_t at[kMaxReduceOuts] = {};
    finish(states, at, 1);
    return Error::Ok;
  }
};

void plan_dims(Plan& plan, const Tensor& in, DimSet dims, bool keepdim,
               Span<const ReduceOut> outs) {
  const int64_t in_item = item_size(in.scalar_type());
  int out_dim = 0;
  for (int d = 0; d < in.dim(); ++d) {
    const bool is_reduced = (dims >> d & 1) != 0;
    Dim dim = {in.size(d), in.strides()[d] * in_item, {}};
    if (is_reduced) {
      plan.count *= dim.size;
    } else {
      for (size_t k = 0; k < outs.size(); ++k) {
        const Tensor& out = outs[k].tensor;
        dim.out[k] = out.strides()[out_dim] * item_size(out.scalar_type());
      }
    }
    out_dim += !is_reduced || keepdim ? 1 : 0;
    if (dim.size != 1) {
      Dims& to = is_reduced ? plan.reduced : plan.kept;
      to.dims[to.count++] = dim;
    }
  }
  plan.kept.sort_by_memory();
  if (!plan.r.ordered) {
    plan.reduced.sort_by_memory();
  }
  plan.kept.merge();
  plan.reduced.merge();
  plan.columns =
      plan.kept.inner().in == in_item && plan.reduced.inner().in != in_item;
}

}  // namespace

Result<DimSet> dim_set(std::optional<ArrayRef<int64_t>> dims,
                       const Tensor& in) {
  if (!dims.has_value() || dims->empty()) {
    return static_cast<DimSet>((uint64_t{1} << in.dim()) - 1);
  }
  DimSet set = 0;
  for (const int64_t dim : *dims) {
    const DimSet one = ET_UNWRAP(dim_set(dim, in));
    ET_CHECK_OR_RETURN_ERROR((set & one) == 0 || in.dim() == 0, InvalidArgument,
                             "dimension %lld is in the list more than once",
                             static_cast<long long>(dim));
    set |= one;
  }
  return set;
}

Result<DimSet> dim_set(int64_t dim, const Tensor& in) {
  const int64_t wrapped = ET_UNWRAP(wrap_dim(dim, in.dim()));
  return in.dim() == 0 ? DimSet{0} : DimSet{1} << wrapped;
}

Shape reduced_shape(const Tensor& in, DimSet dims, bool keepdim) {
  Shape shape;
  for (int d = 0; d < in.dim(); ++d) {
    const bool is_reduced = (dims >> d & 1) != 0;
    if (!is_reduced || keepdim) {
      shape.sizes[shape.dims++] =
          is_reduced ? 1 : static_cast<aten::SizesType>(in.size(d));
    }
  }
  return shape;
}

int64_t reduced_count(const Tensor& in, DimSet dims) {
  int64_t count = 1;
  for (int d = 0; d < in.dim(); ++d) {
    count *= (dims >> d & 1) != 0 ? in.size(d) : 1;
  }
  return count;
}

Error reduce(const Reduction& r, const Tensor& in, DimSet dims, bool keepdim,
             Span<const ReduceOut> outs) {
  Plan plan{r,
            static_cast<const char*>(in.const_data_ptr()),
            Reader(in.scalar_type(), r),
            static_cast<int>(outs.size()),
            {},
            {},
            {},
            1,
            false};
  bool valid = plan.reader.valid();
  for (size_t k = 0; k < outs.size(); ++k) {
    plan.writers[k] = Writer(outs[k]);
    valid = valid && plan.writers[k].valid();
  }
  ET_CHECK_OR_RETURN_ERROR(valid, InvalidArgument,
                           "dtype %s cannot be reduced here",
                           runtime::toString(in.scalar_type()));
  if (outs[0].tensor.numel() == 0) {
    return Error::Ok;
  }
  plan_dims(plan, in, dims, keepdim, outs);
  const bool one_long_row = plan.kept.count == 1 &&
                            plan.kept.inner().size == 1 &&
                            plan.reduced.count == 1 && plan.count > kSegment;
  if (one_long_row) {
    return plan.run_segments();
  }
  int64_t runs = plan.runs_per_row();
  for (int d = 0; d + 1 < plan.kept.count; ++d) {
    runs *= plan.kept.dims[d].size;
  }
  const int64_t run = std::min(plan.run_length, plan.kept.inner().size);
  const int64_t elements = std::max<int64_t>(1, plan.count * run);
  parallel(runs, std::max<int64_t>(1, kGrain / elements),
           [&](int64_t begin, int64_t end) { plan.run(begin, end); });
  return Error::Ok;
}

}  // namespace executorch::kernels
