// Which tensors are the same block of memory, and from when to when its bytes
// are needed. Only where a run goes straight through the instructions.
//
// A view that the exporter has made at the place of another tensor is of its
// block, as is what an instruction makes a view of it. Where that is not
// certain, whatever overlaps counts as one block that stays where it is.
#pragma once

#include <cstddef>
#include <vector>

#include "src/method/constants.h"
#include "src/method/flow.h"
#include "src/method/memory_use.h"
#include "src/method/plan.h"

namespace executorch::method {

// Times are places in the code, counted from 1; 0 is before the run.
struct Block {
  Place place;
  size_t first = 0;
  size_t last = 0;
  bool is_fixed = false;     // must stay at its place
  bool is_state = false;     // has a value before the run
  bool holds_input = false;  // may be in memory of the caller
  bool is_output = false;
  size_t last_write = 0;
};

class Blocks {
 public:
  Blocks(const Plan& plan, const Flow& flow, const Constants& constants,
         const std::vector<const registry::Op*>& ops);

  // Whether anything is known.
  bool are_known() const { return are_known_; }

  // Of a tensor that is not constant, among the arguments of an instruction.
  Block& of(size_t value) { return blocks_[of_[value]]; }

  // Whether nothing is at the place during the life of `a` and `b` together,
  // but for these two. `brings_output`: an output is brought there.
  bool is_free(const Place& place, const Block& a, const Block& b,
               bool brings_output) const;

  // Whether something writes to the block after `first` until `last`.
  bool is_written(const Block& block, size_t first, size_t last) const {
    return last_write(block, last) > first;
  }
  // When that happens for the last time; 0 if it does not.
  size_t last_write(const Block& block, size_t until) const;

  // Makes the tensors of `b` part of `a`.
  void join(const Block& a, const Block& b) { take(index_of(a), index_of(b)); }

  // Calls f(tensor) for those tensors of the block whose data never change.
  template <class F>
  void for_each_tensor(const Block& block, F&& f) const {
    for (size_t i = 0; i < of_.size(); ++i) {
      if (of_[i] == index_of(block) && !flow_.is_rebound(i)) {
        f(*plan_.tensors[i]);
      }
    }
  }

  // When an input is read for the last time.
  size_t last_use_of_inputs() const;

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Write {
    size_t time;
    size_t value;
  };

  bool is_tensor(size_t value) const {
    return plan_.tensors[value] != nullptr && !constants_.has(value);
  }
  Place place(size_t value) const {
    return flow_.is_rebound(value)
               ? Place{}
               : place_of(*plan_.tables.values()->Get(value));
  }
  Block& add(size_t value, size_t time);
  void note(const Instruction& instruction, size_t pc);
  void note_view(size_t from, size_t to, size_t time);
  void read(size_t value, size_t time);
  void write(size_t value, size_t time);
  void note_write(size_t value, size_t time);
  void find_block(size_t value, size_t time);
  void take(size_t to, size_t from);
  size_t index_of(const Block& block) const {
    return static_cast<size_t>(&block - blocks_.data());
  }

  const Plan& plan_;
  const Flow& flow_;
  const Constants& constants_;
  const std::vector<const registry::Op*>& ops_;
  const size_t end_;  // behind the run
  bool are_known_ = true;
  std::vector<uint32_t> of_;  // by value
  std::vector<Block> blocks_;
  std::vector<Write> writes_;  // in the order of the program
};

}  // namespace executorch::method
