// Writes the flatbuffer of an etdump, event by event, in memory of the user or
// in memory that grows.
//
// Before it writes anything it sees to it that the memory is there; when it is
// not, the event is left out and the dump is incomplete from then on. A new
// kind of event gets a function here and a table in src/format/etdump.fbs.
#pragma once

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/span.h>

#include <cstddef>
#include <cstdint>

#include "src/etdump/offset_stack.h"
#include "src/format/etdump_generated.h"

namespace executorch::etdump::internal {

namespace fb = ::etdump_flatbuffer;

// What an event belongs to. Names are offsets of strings in the dump; 0: none.
struct EventId {
  int32_t chain;
  int32_t instruction;
  uint32_t name = 0;
  int32_t delegate_number = -1;
  uint32_t delegate_name = 0;
};

// Memory for the builder below, which cannot deal with a lack of it: it gets
// what prepare() has reserved.
class DumpMemory final : public flatbuffers::Allocator {
 public:
  explicit DumpMemory(runtime::Span<uint8_t> fixed) : fixed_(fixed) {}
  ~DumpMemory() override;

  bool is_fixed() const { return fixed_.data() != nullptr; }
  // Sees to it that the next allocation of up to `size` bytes succeeds.
  bool prepare(size_t size);

  uint8_t* allocate(size_t size) override;
  void deallocate(uint8_t* memory, size_t size) override;

 private:
  runtime::Span<uint8_t> fixed_;
  uint8_t* prepared_ = nullptr;
};

class Builder final : public flatbuffers::FlatBufferBuilder {
 public:
  Builder(size_t initial_size, DumpMemory* memory)
      : flatbuffers::FlatBufferBuilder(initial_size, memory),
        memory_(*memory),
        initial_size_(initial_size) {}

  // Whether `size` bytes more can be written.
  bool reserve(size_t size);

 private:
  DumpMemory& memory_;
  size_t initial_size_;
};

class DumpWriter {
 public:
  // In the buffer, or on the heap if that is null; null if there is not enough
  // memory. To be ended by destroy().
  static DumpWriter* create(runtime::Span<uint8_t> buffer);
  static void destroy(DumpWriter* writer);

  // An event was left out because there was no memory.
  bool incomplete() const { return incomplete_; }
  bool in_run() const { return in_run_; }
  size_t num_runs() const { return num_runs_; }

  void begin_run(const char* name, int bundled_input_index);
  // The offset of a new string; 0 for null, or without memory.
  uint32_t add_string(const char* text);
  // The number of the allocator in this run, from 1; 0 if there are too many.
  uint32_t add_allocator(const char* name);
  void add_allocation(uint32_t allocator, uint64_t size);
  void add_profile(const EventId& id, uint64_t start, uint64_t end,
                   runtime::Span<const uint8_t> metadata);

  // A tensor for the next add_tensors(); its bytes are at `offset` of the sink.
  void push_tensor(const aten::Tensor& tensor, int64_t offset);
  void drop_tensors();
  // All that were pushed, as a list or as one tensor.
  void add_tensors(const EventId& id, bool list, bool output);
  void add_int(const EventId& id, int64_t value, bool output);
  void add_double(const EventId& id, double value, bool output);
  void add_bool(const EventId& id, bool value, bool output);

  // Ends the dump: the bytes of the file, empty if it is incomplete.
  runtime::Span<uint8_t> finish();
  void reset();

 private:
  DumpWriter(runtime::Span<uint8_t> offsets, runtime::Span<uint8_t> tables);

  // Whether there is memory for tables and `bytes` of strings and vectors.
  bool reserve(size_t bytes);
  void end_run();
  void add_event(flatbuffers::Offset<fb::ProfileEvent> profile,
                 flatbuffers::Offset<fb::AllocationEvent> allocation,
                 flatbuffers::Offset<fb::DebugEvent> debug);
  // A value with one of the fields set by `add`.
  template <class Add>
  void add_value(const EventId& id, fb::ValueType type, bool output, Add add);

  static constexpr size_t kMaxAllocators = 16;

  DumpMemory memory_;
  Builder builder_;
  // Of the runs that are over, of the events of this one, of tensors pushed.
  OffsetStack offsets_;
  size_t num_runs_ = 0;
  size_t num_tensors_ = 0;
  bool in_run_ = false;
  bool incomplete_ = false;
  uint32_t run_name_ = 0;
  int bundled_input_index_ = -1;
  flatbuffers::Offset<fb::Allocator> allocators_[kMaxAllocators];
  size_t num_allocators_ = 0;
};

}  // namespace executorch::etdump::internal
