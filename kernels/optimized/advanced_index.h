// Indexing by tensors, table[i, :, j], as several operators need it.
//
// The dimensions of the table that have an index are replaced by those of the
// indices, broadcast together: in the place of the first one if they stand side
// by side, else in front. That is the shape of the "picked" region, what is
// read from the table or written to it.
#pragma once

#include <optional>

#include "kernels/common/checks.h"
#include "kernels/common/op.h"
#include "kernels/common/scratch.h"
#include "kernels/common/strided.h"

namespace executorch::kernels {

class AdvancedIndex {
 public:
  enum class Negative { kFromEnd, kRefused };

  // Reads and checks the indices: integers, or masks that stand for the places
  // where they are true. Null leaves a dimension as it is.
  Error init(const ConstView& table, ArrayRef<std::optional<Tensor>> indices,
             Negative negative);

  const ConstView& picked() const { return picked_; }

  // picked = table[indices]
  void read(const View& picked, const char* table) const;

  // table[indices] = picked. Of equal indices the last one counts.
  void write(char* table, const ConstView& picked) const;

  // table[indices] += picked, one after the other.
  void add(char* table, const ConstView& picked, ScalarType dtype) const;

 private:
  static constexpr int kMaxDims = runtime::kTensorDimensionLimit;

  // An index of one or, if it is a mask, more dimensions. Its values times
  // `stride` are byte offsets into the table.
  struct Source {
    ConstView values{nullptr, 1};
    ScalarType dtype;
    int dim;
    int64_t size;  // of that dimension; -1 for offsets that need no check
    int64_t stride;
  };

  Error add_index(const Tensor& index, int dim, const ConstView& table);
  Error add_mask(const Tensor& mask, int dim, const ConstView& table);
  Error make_picked(const ConstView& table, uint32_t indexed);
  Error make_offsets(Negative negative);
  Error add_offsets(Source& source, Negative negative, int64_t* offsets) const;

  // Calls move(table item, picked item, n) for all pieces of n items that lie
  // side by side in both; those of equal table items in order if `ordered`.
  template <class Move>
  void for_each_piece(char* table, const View& picked, bool ordered,
                      Move move) const;

  int num_sources_ = 0;
  Source sources_[kMaxDims];
  Scratch masks_[kMaxDims];
  Shape index_shape_;
  int index_dim_ = 0;  // of the picked region, where those of the indices start
  ConstView picked_{nullptr, 1};  // strides of the table, 0 for the indices
  Scratch offsets_;
  int64_t count_ = 0;
};

}  // namespace executorch::kernels
