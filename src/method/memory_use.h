// Which tensors stand for the same bytes of planned memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/method/flow.h"
#include "src/method/plan.h"

namespace executorch::method {

// Where a tensor is in planned memory.
struct Place {
  uint32_t buffer = 0;  // 0: it is not planned
  uint64_t start = 0;
  uint64_t end = 0;

  bool overlaps(const Place& other) const {
    return buffer != 0 && buffer == other.buffer && start < other.end &&
           other.start < end;
  }
  bool operator==(const Place& other) const {
    return buffer == other.buffer && start == other.start && end == other.end;
  }
};
Place place_of(const fb::EValue& value);

class MemoryUse {
 public:
  explicit MemoryUse(const Plan& plan);

  // Whether the run may jump; then nothing is known about the order of uses.
  bool jumps() const { return jumps_; }

  bool is_output(size_t value) const { return is_output_[value]; }

  // How many arguments of instructions read the value, or a list that has it.
  size_t num_readers(size_t value) const { return num_readers_[value]; }

  // Whether another tensor is in the planned memory of this one.
  bool is_shared(size_t value) const;

  // Whether another tensor in the planned memory of this one may be a view of
  // it, as the exporter makes them: it is read, or is an output, before an
  // instruction writes to it, and what it finds there was written to this one.
  // `ignore_inputs` leaves out inputs, which had the memory before.
  bool has_views(size_t value, bool ignore_inputs) const;

 private:
  // How the first instruction that has a tensor among its arguments uses it.
  enum class FirstUse : uint8_t { kNone, kResult, kOther };
  struct Write {
    size_t pc;
    size_t value;
  };

  void note(size_t value, FirstUse use, size_t pc);
  bool may_be_view(size_t view, size_t value) const;
  bool overlap(size_t a, size_t b) const {
    return a != b && places_[a].overlaps(places_[b]);
  }

  const Plan& plan_;
  bool jumps_ = false;
  std::vector<bool> is_output_;  // by value, as the following
  std::vector<bool> is_input_;
  std::vector<FirstUse> first_use_;
  std::vector<size_t> first_pc_;
  std::vector<uint32_t> num_readers_;
  std::vector<Place> places_;
  std::vector<Write> writes_;  // of all results, in the order of the program
};

// How many arguments of a call stand before its out arguments.
size_t num_input_args(const Plan& plan, const Instruction& call);

}  // namespace executorch::method
