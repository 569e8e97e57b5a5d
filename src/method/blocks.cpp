#include "src/method/blocks.h"

#include <algorithm>
#include <cstring>

#include "src/method/views.h"

namespace executorch::method {

Blocks::Blocks(const Plan& plan, const Flow& flow, const Constants& constants,
               const std::vector<const registry::Op*>& ops)
    : plan_(plan),
      flow_(flow),
      constants_(constants),
      ops_(ops),
      end_(plan.code.size() + 1),
      of_(plan.values.size(), kNone) {
  for (const Input& input : plan.inputs) {
    if (is_tensor(input.value) && of_[input.value] == kNone) {
      Block& block = add(input.value, 0);
      block.is_fixed = block.is_state = block.holds_input = true;
    }
  }
  for (size_t i = 0; i < of_.size(); ++i) {
    const fb::Tensor* tensor = plan.tables.values()->Get(i)->val_as_Tensor();
    if (tensor != nullptr && is_tensor(i) && of_[i] == kNone &&
        (tensor->extra_tensor_info() != nullptr ||
         tensor->data_buffer_idx() != 0)) {
      Block& block = add(i, 0);
      block.is_fixed = block.is_state = true;
      block.last = end_;
    }
  }
  for (size_t pc = 0; pc < plan.code.size() && are_known_; ++pc) {
    note(plan.code[pc], pc);
  }
  for (const Output& output : plan.outputs) {
    for_each_element(plan.tables, output.value, [this](size_t value) {
      if (is_tensor(value)) {
        read(value, end_);
        of(value).is_output = true;
      }
    });
  }
}

Block& Blocks::add(size_t value, size_t time) {
  of_[value] = static_cast<uint32_t>(blocks_.size());
  blocks_.push_back({place(value), time, time});
  return blocks_.back();
}

void Blocks::note(const Instruction& instruction, size_t pc) {
  using Kind = Instruction::Kind;
  const size_t time = pc + 1;
  if (instruction.kind == Kind::kNothing) {
    return;
  }
  if (instruction.kind == Kind::kMove || instruction.kind == Kind::kJumpFalse) {
    are_known_ = false;
    return;
  }
  if (instruction.makes_view) {
    return note_view(plan_.index_of(instruction.args[0]),
                     plan_.index_of(instruction.args[instruction.num_args - 1]),
                     time);
  }
  // Of other code it is not known which arguments it writes to.
  const bool is_known =
      instruction.kind == Kind::kKernel &&
      (instruction.kernel == copy_tensor ||
       (ops_[pc] != nullptr &&
        std::strcmp(ops_[pc]->name, kCopyIndexOperator) != 0));
  const size_t num_inputs =
      is_known ? num_input_args(plan_, instruction) : instruction.num_args;
  for (size_t i = 0; i < instruction.num_args; ++i) {
    for_each_element(plan_.tables, plan_.index_of(instruction.args[i]),
                     [&](size_t value) {
                       if (!is_tensor(value)) {
                         return;
                       }
                       i < num_inputs ? read(value, time) : write(value, time);
                       if (!is_known) {
                         note_write(value, time);
                       }
                     });
  }
}

// The memory of the view is that of its source in all later instructions.
void Blocks::note_view(size_t from, size_t to, size_t time) {
  if (is_tensor(from)) {
    read(from, time);
    are_known_ = are_known_ && (of_[to] == kNone || of_[to] == of_[from]);
    of_[to] = of_[from];
  } else if (of_[to] == kNone) {
    add(to, time).is_fixed = true;
  } else {
    are_known_ = false;
  }
}

void Blocks::write(size_t value, size_t time) {
  if (of_[value] == kNone) {
    add(value, time);
  }
  of(value).last = time;
  note_write(value, time);
}

void Blocks::note_write(size_t value, size_t time) {
  of(value).last_write = time;
  writes_.push_back({time, value});
}

void Blocks::read(size_t value, size_t time) {
  if (of_[value] == kNone) {
    find_block(value, time);
  }
  of(value).last = std::max(of(value).last, time);
}

// For a tensor that is read and was not written by itself: a view of the block
// that was written last where it is, or the result of code that is not known.
void Blocks::find_block(size_t value, size_t time) {
  const Place here = place(value);
  size_t found = kNone;
  bool is_view = true;
  for (size_t i = 0; i < blocks_.size(); ++i) {
    if (!blocks_[i].place.overlaps(here)) {
      continue;
    }
    if (found == kNone) {
      found = i;
      continue;
    }
    const size_t written = blocks_[i].last_write;
    is_view = is_view && written != blocks_[found].last_write;
    found = written > blocks_[found].last_write ? i : found;
  }
  if (found == kNone) {
    // Bytes that were there before the run, for all that is known.
    Block& block = add(value, 0);
    block.is_fixed = block.is_state = true;
    block.last = end_;
    return;
  }
  if (is_view && blocks_[found].place == here) {
    of_[value] = static_cast<uint32_t>(found);
    return;
  }
  // Whatever is there may be the other one.
  add(value, time).is_fixed = true;
  Place& all = blocks_.back().place;
  for (size_t i = 0; i + 1 < blocks_.size(); ++i) {
    const Place other = blocks_[i].place;
    if (other.overlaps(here)) {
      all.start = std::min(all.start, other.start);
      all.end = std::max(all.end, other.end);
      take(blocks_.size() - 1, i);
    }
  }
}

void Blocks::take(size_t to, size_t from) {
  Block& a = blocks_[to];
  Block& b = blocks_[from];
  a.first = std::min(a.first, b.first);
  a.last = std::max(a.last, b.last);
  a.is_state = a.is_state || b.is_state;
  a.holds_input = a.holds_input || b.holds_input;
  a.is_output = a.is_output || b.is_output;
  a.last_write = std::max(a.last_write, b.last_write);
  std::replace(of_.begin(), of_.end(), static_cast<uint32_t>(from),
               static_cast<uint32_t>(to));
  b = {};
}

// What has been taken out of the runs does not write.
size_t Blocks::last_write(const Block& block, size_t until) const {
  for (size_t i = writes_.size(); i-- > 0;) {
    const Write& write = writes_[i];
    if (write.time <= until && &blocks_[of_[write.value]] == &block &&
        plan_.code[write.time - 1].kind != Instruction::Kind::kNothing) {
      return write.time;
    }
  }
  return 0;
}

bool Blocks::is_free(const Place& place, const Block& a, const Block& b,
                     bool brings_output) const {
  const size_t first = std::min(a.first, b.first);
  const size_t last = std::max(a.last, b.last);
  return std::none_of(blocks_.begin(), blocks_.end(), [&](const Block& other) {
    return &other != &a && &other != &b && other.place.overlaps(place) &&
           ((other.first <= last && first <= other.last) ||
            // The next input may be set while an output is still read.
            (brings_output && other.holds_input));
  });
}

size_t Blocks::last_use_of_inputs() const {
  size_t last = 0;
  for (const Block& block : blocks_) {
    last = block.holds_input ? std::max(last, block.last) : last;
  }
  return last;
}

}  // namespace executorch::method
