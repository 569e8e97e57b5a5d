#include "kernels/common/strided.h"

#include <algorithm>
#include <cstring>

#include "kernels/common/convert.h"
#include "kernels/common/strided_loops.h"
#include "kernels/common/transpose.h"

namespace executorch::kernels {

using aten::ScalarType;

namespace {

template <int64_t kItem>
void copy_items(char* dst, const char* src, Dim outer, Dim inner) {
  if (inner.size < outer.size) {
    std::swap(outer, inner);
  }
  for (int64_t i = 0; i < outer.size; ++i) {
    char* to = dst + i * outer.dst;
    const char* from = src + i * outer.src;
    for (int64_t k = 0; k < inner.size; ++k) {
      std::memcpy(to + k * inner.dst, from + k * inner.src, kItem);
    }
  }
}

void copy_rows(char* dst, const char* src, const Dim& outer, int64_t bytes) {
  for (int64_t i = 0; i < outer.size; ++i) {
    copy_bytes(dst + i * outer.dst, src + i * outer.src, bytes);
  }
}

// One item over and over: written once, then copied from itself in pieces that
// stay in the first-level cache.
void repeat_item(char* dst, const char* value, int64_t item, int64_t bytes) {
  const bool one_byte =
      std::all_of(value, value + item, [&](char c) { return c == *value; });
  if (one_byte) {
    std::memset(dst, *value, static_cast<size_t>(bytes));
    return;
  }
  constexpr int64_t kPiece = 4096;
  std::memcpy(dst, value, static_cast<size_t>(item));
  for (int64_t done = item; done < bytes;) {
    const int64_t n = std::min({done, kPiece, bytes - done});
    std::memcpy(dst + done, dst, static_cast<size_t>(n));
    done += n;
  }
}

using ItemLoops = void (*)(char*, const char*, Dim, Dim);
ItemLoops item_loops(int64_t item) {
  switch (item) {
    case 1:
      return copy_items<1>;
    case 2:
      return copy_items<2>;
    case 4:
      return copy_items<4>;
    case 8:
      return copy_items<8>;
    default:
      return copy_items<16>;
  }
}

// Where rows come in another order than they go, the shorter of two loops is
// the inner one, so that memory is walked in few streams.
void order_rows(Plan& plan) {
  if (plan.dims < 3) {
    return;
  }
  Dim& outer = plan.loops[plan.dims - 3];
  Dim& inner = plan.loops[plan.dims - 2];
  if (std::abs(outer.src) < std::abs(inner.src) && outer.size < inner.size) {
    std::swap(outer, inner);
  }
}

// Moves the loop that walks the source item by item next to the innermost one,
// which does so in the destination. False if there is none.
bool make_transpose(Plan& plan) {
  const Dim& inner = plan.loops[plan.dims - 1];
  if (inner.dst != plan.item) {
    return false;
  }
  for (int d = plan.dims - 2; d >= 0; --d) {
    if (plan.loops[d].src == plan.item) {
      std::rotate(plan.loops + d, plan.loops + d + 1,
                  plan.loops + plan.dims - 1);
      return true;
    }
  }
  return false;
}

// Converts rows of items, in blocks when one side is not a plain array.
struct ConvertRows {
  static constexpr int64_t kBlock = 256;
  Converter convert;
  int64_t to, from;  // item sizes

  void operator()(char* dst, const char* src, Dim outer, Dim inner) const {
    for (int64_t i = 0; i < outer.size; ++i) {
      char* to_row = dst + i * outer.dst;
      const char* from_row = src + i * outer.src;
      if (inner.dst == to && inner.src == from) {
        convert(from_row, to_row, inner.size);
        continue;
      }
      for (int64_t k = 0; k < inner.size; k += kBlock) {
        block(to_row + k * inner.dst, from_row + k * inner.src,
              {std::min(kBlock, inner.size - k), inner.dst, inner.src});
      }
    }
  }

 private:
  void block(char* dst, const char* src, Dim row) const {
    alignas(16) char gathered[kBlock * 16], converted[kBlock * 16];
    const Dim one = {1, 0, 0};
    item_loops(from)(gathered, src, one, {row.size, from, row.src});
    convert(gathered, converted, row.size);
    item_loops(to)(dst, converted, one, {row.size, row.dst, to});
  }
};

}  // namespace

void copy(const View& dst, const ConstView& src) {
  Plan plan(dst, src);
  if (plan.numel == 0) {
    return;
  }
  plan.pad();
  plan.widen();
  plan.pad();
  const int64_t item = plan.item;
  const Dim& last = plan.loops[plan.dims - 1];
  if (last.dst == item && last.src == item) {
    order_rows(plan);
    run_loops(plan, kMoveGrain,
              [=](char* to, const char* from, Dim outer, Dim inner) {
                copy_rows(to, from, outer, inner.size * item);
              });
  } else if (last.dst == item && last.src == 0) {
    run_loops(plan, kMoveGrain,
              [=](char* to, const char* from, Dim outer, Dim inner) {
                for (int64_t i = 0; i < outer.size; ++i) {
                  repeat_item(to + i * outer.dst, from + i * outer.src, item,
                              inner.size * item);
                }
              });
  } else if (make_transpose(plan)) {
    const auto transpose = transpose_of(item);
    run_loops(plan, kGrainBytes,
              [=](char* to, const char* from, Dim outer, Dim inner) {
                transpose(to, outer.dst, from, inner.src, inner.size,
                          outer.size);
              });
  } else {
    run_loops(plan, kGrainBytes, item_loops(item));
  }
}

void copy(const View& dst, ScalarType to, const ConstView& src,
          ScalarType from) {
  if (to == from) {
    copy(dst, src);
    return;
  }
  Plan plan(dst, src);
  if (plan.numel == 0) {
    return;
  }
  plan.pad();
  run_loops(plan, kGrainBytes,
            ConvertRows{Converter(from, to), dst.item, src.item});
}

void copy_flat(const View& dst, int64_t dst_first, const ConstView& src,
               int64_t src_first, int64_t count) {
  if (count == 0) {
    return;
  }
  if (dst.is_contiguous() && src.is_contiguous()) {
    View to = dst;
    ConstView from = src;
    to.reshape(&count, 1);
    from.reshape(&count, 1);
    to.data += dst_first * dst.item;
    from.data += src_first * src.item;
    copy(to, from);
    return;
  }
  Walker<View> to(dst, dst_first);
  Walker<ConstView> from(src, src_first);
  const auto copy_row = item_loops(dst.item);
  while (count > 0) {
    const int64_t n = std::min({count, to.left_in_row(), from.left_in_row()});
    copy_row(to.data(), from.data(), {1, 0, 0},
             {n, to.stride(), from.stride()});
    to.advance(n);
    from.advance(n);
    count -= n;
  }
}

void fill(const View& dst, const void* value) {
  ConstView src = dst;
  src.data = static_cast<const char*>(value);
  std::fill_n(src.strides, src.dims, 0);
  copy(dst, src);
}

}  // namespace executorch::kernels
