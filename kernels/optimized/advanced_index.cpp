#include "kernels/optimized/advanced_index.h"

#include <cinttypes>
#include <limits>

#include "kernels/common/strided_loops.h"
#include "kernels/optimized/item.h"

namespace executorch::kernels {
Error AdvancedIndex::init(const ConstView& table,
                          ArrayRef<std::optional<Tensor>> indices,
                          Negative negative) {
  int dim = 0;
  uint32_t indexed = 0;
  for (const std::optional<Tensor>& index : indices) {
    if (!index.has_value()) {
      ++dim;
      continue;
    }
    const ScalarType dtype = index->scalar_type();
    const bool is_mask = dtype == ScalarType::Bool || dtype == ScalarType::Byte;
    const int covers = is_mask ? static_cast<int>(index->dim()) : 1;
    ET_CHECK_OR_RETURN_ERROR(dim + covers <= table.dims, InvalidArgument,
                             "more indices than the %d dimensions of the table",
                             table.dims);
    ET_CHECK_OK_OR_RETURN_ERROR(is_mask ? add_mask(*index, dim, table)
                                        : add_index(*index, dim, table));
    indexed |= ((1u << covers) - 1) << dim;
    dim += covers;
  }
  ET_CHECK_OR_RETURN_ERROR(dim <= table.dims && indexed != 0, InvalidArgument,
                           "%zu indices, at least one of them not null, are "
                           "expected to fit %d dimensions",
                           indices.size(), table.dims);
  ET_CHECK_OK_OR_RETURN_ERROR(make_picked(table, indexed));
  return picked_.numel() == 0 ? Error::Ok : make_offsets(negative);
}

Error AdvancedIndex::add_index(const Tensor& index, int dim,
                               const ConstView& table) {
  const ScalarType dtype = index.scalar_type();
  ET_CHECK_OR_RETURN_ERROR(
      dtype == ScalarType::Long || dtype == ScalarType::Int, InvalidArgument,
      "an index has dtype %s, expected Long, Int or a mask",
      runtime::toString(dtype));
  Source& source = sources_[num_sources_++];
  source.values = view(index);
  source.dtype = dtype;
  source.dim = dim;
  source.size = table.sizes[dim];
  source.stride = table.strides[dim];
  return index_shape_.broadcast(index.sizes());
}

Error AdvancedIndex::add_mask(const Tensor& mask, int dim,
                              const ConstView& table) {
  const ConstView v = view(mask);
  if (v.dims == 0) {
    return Error::Ok;
  }
  for (int d = 0; d < v.dims; ++d) {
    ET_CHECK_OR_RETURN_ERROR(v.sizes[d] == table.sizes[dim + d],
                             InvalidArgument,
                             "a mask has size %" PRId64
                             " where the table has %" PRId64 " (dimension %d)",
                             v.sizes[d], table.sizes[dim + d], dim + d);
  }
  int64_t count = 0;
  for_each_item(v, [&](const char* item) { count += *item != 0; });
  Scratch& memory = masks_[num_sources_];
  int64_t* offsets = memory.array<int64_t>(count);
  ET_CHECK_OR_RETURN_ERROR(
      offsets != nullptr && count <= std::numeric_limits<int32_t>::max(),
      MemoryAllocationFailed, "no memory for the %" PRId64 " places of a mask",
      count);
  int64_t* end = offsets;
  int64_t at[kMaxDims] = {};
  int64_t offset = 0;
  for_each_item(v, [&](const char* item) {
    if (*item != 0) {
      *end++ = offset;
    }
    for (int d = v.dims - 1; d >= 0; --d) {
      offset += table.strides[dim + d];
      if (++at[d] < v.sizes[d]) {
        break;
      }
      offset -= at[d] * table.strides[dim + d];
      at[d] = 0;
    }
  });
  Source& source = sources_[num_sources_++];
  source.values =
      ConstView(reinterpret_cast<const char*>(offsets), sizeof(int64_t));
  source.values.reshape(&count, 1);
  source.dtype = ScalarType::Long;
  source.size = -1;
  source.stride = 1;
  const auto size = static_cast<aten::SizesType>(count);
  return index_shape_.broadcast({&size, 1});
}

Error AdvancedIndex::make_picked(const ConstView& table, uint32_t indexed) {
  const int first = __builtin_ctz(indexed);
  const uint32_t run = indexed >> first;
  const bool side_by_side = (run & (run + 1)) == 0;
  picked_ = table;
  for (int d = table.dims - 1; d >= 0; --d) {
    if ((indexed >> d & 1) != 0) {
      picked_.remove(d);
    }
  }
  index_dim_ = side_by_side ? first : 0;
  ET_CHECK_OR_RETURN_ERROR(
      picked_.dims + index_shape_.dims <= kMaxDims, InvalidArgument,
      "the result has %d dimensions, at most %d are supported",
      picked_.dims + index_shape_.dims, kMaxDims);
  count_ = 1;
  bool fits = true;
  for (int d = 0; d < index_shape_.dims; ++d) {
    picked_.insert(index_dim_ + d, index_shape_.sizes[d], 0);
    fits =
        fits && !__builtin_mul_overflow(count_, index_shape_.sizes[d], &count_);
  }
  ET_CHECK_OR_RETURN_ERROR(fits, InvalidArgument,
                           "the indices broadcast to too many places");
  return Error::Ok;
}

Error AdvancedIndex::make_offsets(Negative negative) {
  int64_t* offsets = offsets_.array<int64_t>(count_);
  ET_CHECK_OR_RETURN_ERROR(offsets != nullptr, MemoryAllocationFailed,
                           "no memory for %" PRId64 " indices", count_);
  std::fill_n(offsets, count_, 0);
  for (int i = 0; i < num_sources_; ++i) {
    ET_CHECK_OK_OR_RETURN_ERROR(add_offsets(sources_[i], negative, offsets));
  }
  return Error::Ok;
}

Error AdvancedIndex::add_offsets(Source& source, Negative negative,
                                 int64_t* offsets) const {
  ET_CHECK_OK_OR_RETURN_ERROR(expand(
      source.values, picked_.shape().slice(index_dim_, index_shape_.dims)));
  const int64_t size = source.size;
  const int64_t lowest = negative == Negative::kFromEnd ? -size : 0;
  int64_t wrong = 0;
  bool ok = true;
  for_each_item(source.values, [&](const char* item) {
    int64_t value = read_index(item, source.dtype);
    if (size >= 0) {
      if (value < lowest || value >= size) {
        wrong = ok ? value : wrong;
        ok = false;
        value = 0;
      }
      value += value < 0 ? size : 0;
    }
    *offsets++ += value * source.stride;
  });
  ET_CHECK_OR_RETURN_ERROR(ok, InvalidArgument,
                           "index %" PRId64 " is not in [%" PRId64 ", %" PRId64
                           ") (dimension %d)",
                           wrong, lowest, size, source.dim);
  return Error::Ok;
}

template <class Move>
void AdvancedIndex::for_each_piece(char* table, const View& picked,
                                   bool ordered, Move move) const {
  if (picked_.numel() == 0) {
    return;
  }
  // The dimensions of the indices on the picked side, and the others of both.
  View index_dims = picked, rest = picked;
  ConstView table_rest = picked_;
  index_dims.dims = 0;
  for (int d = 0; d < index_shape_.dims; ++d) {
    index_dims.append(rest.sizes[index_dim_], rest.strides[index_dim_]);
    rest.remove(index_dim_);
    table_rest.remove(index_dim_);
  }
  const Plan plan(rest, table_rest);
  const Dim* inner = plan.dims > 0 ? &plan.loops[plan.dims - 1] : nullptr;
  const bool side_by_side = inner != nullptr && inner->dst == picked.item &&
                            inner->src == picked.item;
  const int64_t items = side_by_side ? inner->size : 1;
  const int outer_loops = plan.dims - (side_by_side ? 1 : 0);
  const auto* offsets = static_cast<const int64_t*>(offsets_.data());

  // Equal table items only come from equal places in the other dimensions.
  const int64_t rounds = plan.numel / items;
  const int64_t unit = ordered ? count_ : 1;
  const int64_t grain =
      std::max<int64_t>(kGrainBytes / (items * picked.item * unit), 1);
  parallel(rounds * count_ / unit, grain, [&](int64_t begin, int64_t end) {
    begin *= unit;
    end *= unit;
    while (begin < end) {
      int64_t round = begin / count_, i = begin % count_;
      const int64_t last = std::min(count_, i + end - begin);
      begin += last - i;
      int64_t table_at = 0, picked_at = 0;
      for (int d = outer_loops - 1; d >= 0; --d) {
        const Dim& x = plan.loops[d];
        table_at += round % x.size * x.src;
        picked_at += round % x.size * x.dst;
        round /= x.size;
      }
      Walker<View> at(index_dims, i);
      while (i < last) {
        const int64_t n = std::min(at.left_in_row(), last - i);
        for (int64_t k = 0; k < n; ++k) {
          move(table + table_at + offsets[i + k],
               at.data() + picked_at + k * at.stride(), items);
        }
        at.advance(n);
        i += n;
      }
    }
  });
}

void AdvancedIndex::read(const View& picked, const char* table) const {
  for_each_piece(const_cast<char*>(table), picked, false,
                 [item = picked.item](const char* from, char* to, int64_t n) {
                   copy_bytes(to, from, n * item);
                 });
}

void AdvancedIndex::write(char* table, const ConstView& picked) const {
  for_each_piece(table, without_const(picked), true,
                 [item = picked.item](char* to, const char* from, int64_t n) {
                   copy_bytes(to, from, n * item);
                 });
}

void AdvancedIndex::add(char* table, const ConstView& picked,
                        ScalarType dtype) const {
  visit(RealBoolTypes{}, dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_each_piece(table, without_const(picked), true,
                   [](char* to, const char* from, int64_t n) {
                     for (int64_t i = 0; i < n; ++i) {
                       add_item<T>(to + i * sizeof(T), from + i * sizeof(T));
                     }
                   });
  });
}

}  // namespace executorch::kernels
