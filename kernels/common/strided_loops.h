// The loops behind strided.h, for operators that do more in them than copy.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "kernels/common/parallel.h"
#include "kernels/common/strided.h"

namespace executorch::kernels {

// One loop of a copy; strides in bytes.
struct Dim {
  int64_t size, dst, src;
};

// The loops of a copy, outermost first, in the order of the destination's
// memory: without those of size 1, neighbours merged where both sides allow it.
struct Plan {
  Plan(const View& to, const ConstView& from)
      : dst(to.data), src(from.data), item(to.item) {
    for (int d = 0; d < to.dims; ++d) {
      numel *= to.sizes[d];
      if (to.sizes[d] != 1) {
        insert({to.sizes[d], to.strides[d], from.strides[d]});
      }
    }
    merge();
  }

  // Neighbours in both memories that make up an item of a power of two bytes
  // are moved as one.
  void widen() {
    const Dim& inner = loops[dims - 1];
    if (dims < 3 || inner.dst != item || inner.src != item) {
      return;
    }
    const int64_t bytes = inner.size * item;
    if (bytes <= 16 && (bytes & (bytes - 1)) == 0) {
      item = bytes;
      --dims;
    }
  }

  // Every copy is made of at least two loops.
  void pad() {
    for (; dims < 2; ++dims) {
      std::copy_backward(loops, loops + dims, loops + dims + 1);
      loops[0] = {1, 0, 0};
    }
  }

  char* dst;
  const char* src;
  int64_t item;
  int64_t numel = 1;
  int dims = 0;
  Dim loops[kMaxViewDims];

 private:
  void insert(Dim x) {
    int at = dims++;
    for (; at > 0 && std::abs(loops[at - 1].dst) < std::abs(x.dst); --at) {
      loops[at] = loops[at - 1];
    }
    loops[at] = x;
  }

  void merge() {
    int last = 0;
    for (int d = 1; d < dims; ++d) {
      Dim& outer = loops[last];
      const Dim& inner = loops[d];
      if (outer.dst == inner.dst * inner.size &&
          outer.src == inner.src * inner.size) {
        outer = {outer.size * inner.size, inner.dst, inner.src};
      } else {
        loops[++last] = inner;
      }
    }
    dims = std::min(dims, last + 1);
  }
};

// Calls f(dst, src, outer, inner) so that the two innermost loops of these
// calls cover the plan, in pieces of at least `grain` bytes for the threads.
template <class F>
void run_loops(const Plan& plan, int64_t grain, F f) {
  const int counted = plan.dims - 2;
  const Dim outer = plan.loops[counted];
  const Dim inner = plan.loops[counted + 1];
  if (plan.numel == inner.size) {
    parallel(inner.size, std::max<int64_t>(grain / plan.item, 1),
             [&](int64_t begin, int64_t end) {
               f(plan.dst + begin * inner.dst, plan.src + begin * inner.src,
                 outer, Dim{end - begin, inner.dst, inner.src});
             });
    return;
  }
  const int64_t row_bytes = inner.size * plan.item;
  grain = std::max<int64_t>(grain / row_bytes, 1);
  parallel(plan.numel / inner.size, grain, [&](int64_t begin, int64_t end) {
    int64_t at[kMaxViewDims];
    char* dst = plan.dst;
    const char* src = plan.src;
    int64_t row = begin % outer.size;
    int64_t rest = begin / outer.size;
    for (int d = counted - 1; d >= 0; --d) {
      const Dim& x = plan.loops[d];
      at[d] = rest % x.size;
      rest /= x.size;
      dst += at[d] * x.dst;
      src += at[d] * x.src;
    }
    while (begin < end) {
      const int64_t rows = std::min(outer.size - row, end - begin);
      f(dst + row * outer.dst, src + row * outer.src,
        Dim{rows, outer.dst, outer.src}, inner);
      begin += rows;
      row = 0;
      for (int d = counted - 1; d >= 0; --d) {
        const Dim& x = plan.loops[d];
        dst += x.dst;
        src += x.src;
        if (++at[d] < x.size) {
          break;
        }
        dst -= x.dst * x.size;
        src -= x.src * x.size;
        at[d] = 0;
      }
    }
  });
}

// Rows of a few bytes are not worth a call: two overlapping moves do.
inline void copy_bytes(char* dst, const char* src, int64_t n) {
  const auto move = [&](auto word) {
    auto last = word;
    std::memcpy(&word, src, sizeof(word));
    std::memcpy(&last, src + n - sizeof(word), sizeof(word));
    std::memcpy(dst, &word, sizeof(word));
    std::memcpy(dst + n - sizeof(word), &last, sizeof(word));
  };
  if (n > 16 || n < 4) {
    std::memcpy(dst, src, static_cast<size_t>(n));
  } else if (n >= 8) {
    move(uint64_t{});
  } else {
    move(uint32_t{});
  }
}

// Steps through a region in logical order, a row of the last dimension at a
// time.
template <class V>
class Walker {
 public:
  Walker(const V& view, int64_t first) : view_(view), data_(view.data) {
    if (view_.dims == 0) {
      view_.append(1, view_.item);
    }
    for (int d = view_.dims - 1; d >= 0; --d) {
      at_[d] = first % view_.sizes[d];
      first /= view_.sizes[d];
      data_ += at_[d] * view_.strides[d];
    }
  }
  auto* data() const { return data_; }
  int64_t stride() const { return view_.strides[view_.dims - 1]; }
  int64_t left_in_row() const {
    return view_.sizes[view_.dims - 1] - at_[view_.dims - 1];
  }
  // By at most left_in_row().
  void advance(int64_t n) {
    int d = view_.dims - 1;
    data_ += n * view_.strides[d];
    at_[d] += n;
    for (; at_[d] == view_.sizes[d] && d > 0; --d) {
      data_ += view_.strides[d - 1] - at_[d] * view_.strides[d];
      at_[d] = 0;
      ++at_[d - 1];
    }
  }

 private:
  V view_;
  decltype(V::data) data_;
  int64_t at_[kMaxViewDims];
};

// Calls f(first item, stride, count) for the rows of a view in logical order.
template <class F>
void for_each_row(const ConstView& v, F f) {
  int64_t left = v.numel();
  if (left == 0) {
    return;
  }
  for (Walker<ConstView> at(v, 0); left > 0;) {
    const int64_t n = at.left_in_row();
    f(at.data(), at.stride(), n);
    at.advance(n);
    left -= n;
  }
}

// Calls f(item) for the items of a view in logical order.
template <class F>
void for_each_item(const ConstView& v, F f) {
  for_each_row(v, [&](const char* row, int64_t stride, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      f(row + i * stride);
    }
  });
}

// A view of what is only read from, in the type of what is written to.
inline View without_const(const ConstView& v) {
  View result(const_cast<char*>(v.data), v.item);
  for (int d = 0; d < v.dims; ++d) {
    result.append(v.sizes[d], v.strides[d]);
  }
  return result;
}

}  // namespace executorch::kernels
