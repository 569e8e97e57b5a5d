#include "src/etdump/dump_writer.h"

#include <executorch/devtools/etdump/etdump_flatcc.h>
#include <executorch/devtools/etdump/utils.h>

#include <algorithm>
#include <cstring>

namespace executorch::etdump::internal {

using flatbuffers::Offset;
using runtime::Span;

namespace {

constexpr size_t kAlignment = 16;
constexpr size_t kInitialSize = 16 * 1024;
constexpr size_t kMaxSize = size_t{1} << 30;  // flatbuffers end at 2 GiB

// More than the tables of one event take, with their padding.
constexpr size_t kEventSize = 256;
// An event takes 64 bytes of tables at least and 4 of offsets.
constexpr size_t kOffsetsShare = 17;

// The offset of a vector, which does not care for the type of its items.
template <class T>
Offset<flatbuffers::Vector<Offset<T>>> vector_of(
    Offset<flatbuffers::Vector<OffsetStack::Offset>> vector) {
  return {vector.o};
}

size_t rounded(size_t size) { return (size + kAlignment - 1) & -kAlignment; }

}  // namespace

DumpMemory::~DumpMemory() { std::free(prepared_); }

bool DumpMemory::prepare(size_t size) {
  if (is_fixed()) {
    return size <= fixed_.size();
  }
  std::free(prepared_);
  prepared_ = static_cast<uint8_t*>(std::malloc(size));
  return prepared_ != nullptr;
}

uint8_t* DumpMemory::allocate(size_t) {
  uint8_t* memory = is_fixed() ? fixed_.data() : prepared_;
  prepared_ = nullptr;
  return memory;
}

void DumpMemory::deallocate(uint8_t* memory, size_t) {
  if (!is_fixed()) {
    std::free(memory);
  }
}

bool Builder::reserve(size_t size) {
  const size_t capacity = buf_.capacity();
  const size_t used = buf_.size() + (capacity == 0 ? 0 : buf_.scratch_size());
  if (size <= capacity - used) {
    return true;
  }
  if (size > kMaxSize) {
    return false;
  }
  // The builder grows by half, or by what it needs if that is more.
  const size_t growth = capacity == 0 ? initial_size_ : capacity / 2;
  const size_t grown = rounded(capacity + std::max(growth, size));
  if (grown > kMaxSize || (memory_.is_fixed() && capacity != 0) ||
      !memory_.prepare(grown)) {
    return false;
  }
  buf_.ensure_space(size);
  return true;
}

void DumpWriterDeleter::operator()(DumpWriter* writer) const noexcept {
  DumpWriter::destroy(writer);
}

DumpWriter* DumpWriter::create(Span<uint8_t> buffer) {
  if (buffer.data() == nullptr) {
    return new (std::nothrow) DumpWriter({}, {});
  }
  // The writer, the offsets, the tables.
  uint8_t* begin = align_pointer(buffer.data(), kAlignment);
  const size_t skipped = static_cast<size_t>(begin - buffer.data());
  const size_t size = std::min(buffer.size(), skipped + kMaxSize);
  const size_t head = rounded(sizeof(DumpWriter));
  if (size < skipped + head + kInitialSize / 16) {
    return nullptr;
  }
  const size_t rest = (size - skipped - head) & -kAlignment;
  const size_t offsets = rounded(rest / kOffsetsShare);
  return new (begin) DumpWriter({begin + head, offsets},
                                {begin + head + offsets, rest - offsets});
}

void DumpWriter::destroy(DumpWriter* writer) {
  if (writer->memory_.is_fixed()) {
    writer->~DumpWriter();
  } else {
    delete writer;
  }
}

DumpWriter::DumpWriter(Span<uint8_t> offsets, Span<uint8_t> tables)
    : memory_(tables),
      builder_(memory_.is_fixed() ? tables.size() : kInitialSize, &memory_),
      offsets_(offsets) {}

bool DumpWriter::reserve(size_t bytes) {
  incomplete_ = incomplete_ || bytes > kMaxSize - kEventSize ||
                !builder_.reserve(bytes + kEventSize);
  return !incomplete_;
}

void DumpWriter::begin_run(const char* name, int bundled_input_index) {
  end_run();
  run_name_ = add_string(name);
  bundled_input_index_ = bundled_input_index;
  num_allocators_ = 0;
  in_run_ = true;
}

void DumpWriter::end_run() {
  const size_t num_events = offsets_.size() - num_runs_;
  if (!in_run_ || !reserve(num_events * sizeof(uint32_t))) {
    return;
  }
  const auto events = vector_of<fb::Event>(
      builder_.CreateVector(offsets_.from(num_runs_), num_events));
  Offset<flatbuffers::Vector<Offset<fb::Allocator>>> allocators;
  if (num_allocators_ != 0) {
    allocators = builder_.CreateVector(allocators_, num_allocators_);
  }
  const auto run = fb::CreateRunData(builder_, run_name_, bundled_input_index_,
                                     allocators, events);
  offsets_.shrink(num_runs_);
  incomplete_ = !offsets_.push(run.o);
  ++num_runs_;
  in_run_ = false;
}

uint32_t DumpWriter::add_string(const char* text) {
  const size_t length = text == nullptr ? 0 : std::strlen(text);
  if (text == nullptr || !reserve(length)) {
    return 0;
  }
  return builder_.CreateString(text, length).o;
}

uint32_t DumpWriter::add_allocator(const char* name) {
  const uint32_t name_offset = add_string(name);
  if (num_allocators_ == kMaxAllocators || !reserve(0)) {
    return 0;
  }
  allocators_[num_allocators_] = fb::CreateAllocator(builder_, name_offset);
  return static_cast<uint32_t>(++num_allocators_);
}

void DumpWriter::add_event(Offset<fb::ProfileEvent> profile,
                           Offset<fb::AllocationEvent> allocation,
                           Offset<fb::DebugEvent> debug) {
  const auto event = fb::CreateEvent(builder_, profile, allocation, debug);
  incomplete_ = !offsets_.push(event.o);
}

void DumpWriter::add_allocation(uint32_t allocator, uint64_t size) {
  if (reserve(0)) {
    add_event(0,
              fb::CreateAllocationEvent(builder_,
                                        static_cast<int32_t>(allocator), size),
              0);
  }
}

void DumpWriter::add_profile(const EventId& id, uint64_t start, uint64_t end,
                             Span<const uint8_t> metadata) {
  if (!reserve(metadata.size())) {
    return;
  }
  Offset<flatbuffers::Vector<uint8_t>> bytes;
  if (!metadata.empty()) {
    bytes = builder_.CreateVector(metadata.data(), metadata.size());
  }
  add_event(fb::CreateProfileEvent(builder_, id.name, id.chain, id.instruction,
                                   id.delegate_number, id.delegate_name, bytes,
                                   start, end),
            0, 0);
}

void DumpWriter::push_tensor(const aten::Tensor& tensor, int64_t offset) {
  const size_t rank = static_cast<size_t>(tensor.dim());
  if (!reserve(2 * rank * sizeof(int64_t))) {
    return;
  }
  int64_t* items = nullptr;
  const auto sizes = builder_.CreateUninitializedVector(rank, &items);
  std::copy_n(tensor.sizes().data(), rank, items);
  const auto strides = builder_.CreateUninitializedVector(rank, &items);
  std::copy_n(tensor.strides().data(), rank, items);
  const auto table =
      fb::CreateTensor(builder_, static_cast<int8_t>(tensor.scalar_type()),
                       sizes, strides, offset);
  incomplete_ = !offsets_.push(table.o);
  num_tensors_ += incomplete_ ? 0 : 1;
}

void DumpWriter::drop_tensors() {
  offsets_.shrink(offsets_.size() - num_tensors_);
  num_tensors_ = 0;
}

template <class Add>
void DumpWriter::add_value(const EventId& id, fb::ValueType type, bool output,
                           Add add) {
  const auto is_output = output ? fb::CreateBool(builder_, true) : 0;
  fb::ValueBuilder value(builder_);
  value.add_val(type);
  add(value);
  value.add_output(is_output);
  const auto entry = value.Finish();
  add_event(0, 0,
            fb::CreateDebugEvent(builder_, static_cast<uint64_t>(id.chain),
                                 id.instruction, entry, id.delegate_number,
                                 id.delegate_name, id.name));
}

void DumpWriter::add_tensors(const EventId& id, bool list, bool output) {
  const size_t count = num_tensors_;
  const auto* tensors = offsets_.from(offsets_.size() - count);
  const uint32_t first = count == 0 ? 0 : tensors->o;
  if (!reserve(count * sizeof(uint32_t))) {
    drop_tensors();
    return;
  }
  Offset<fb::TensorList> tensor_list;
  if (list) {
    tensor_list = fb::CreateTensorList(
        builder_, vector_of<fb::Tensor>(builder_.CreateVector(tensors, count)));
  }
  drop_tensors();
  add_value(id, list ? fb::ValueType::TensorList : fb::ValueType::Tensor,
            output, [&](fb::ValueBuilder& value) {
              list ? value.add_tensor_list(tensor_list)
                   : value.add_tensor(first);
            });
}

void DumpWriter::add_int(const EventId& id, int64_t number, bool output) {
  if (reserve(0)) {
    const auto table = fb::CreateInt(builder_, number);
    add_value(id, fb::ValueType::Int, output,
              [&](fb::ValueBuilder& value) { value.add_int_value(table); });
  }
}

void DumpWriter::add_double(const EventId& id, double number, bool output) {
  if (reserve(0)) {
    const auto table = fb::CreateDouble(builder_, number);
    add_value(id, fb::ValueType::Double, output,
              [&](fb::ValueBuilder& value) { value.add_double_value(table); });
  }
}

void DumpWriter::add_bool(const EventId& id, bool truth, bool output) {
  if (reserve(0)) {
    const auto table = fb::CreateBool(builder_, truth);
    add_value(id, fb::ValueType::Bool, output,
              [&](fb::ValueBuilder& value) { value.add_bool_value(table); });
  }
}

Span<uint8_t> DumpWriter::finish() {
  end_run();
  if (!reserve(num_runs_ * sizeof(uint32_t))) {
    return {};
  }
  const auto runs = vector_of<fb::RunData>(
      builder_.CreateVector(offsets_.from(0), num_runs_));
  builder_.FinishSizePrefixed(fb::CreateETDump(builder_, ETDUMP_VERSION, runs),
                              fb::ETDumpIdentifier());
  return {builder_.GetBufferPointer(), builder_.GetSize()};
}

void DumpWriter::reset() {
  builder_.Clear();
  offsets_.shrink(0);
  num_runs_ = 0;
  num_tensors_ = 0;
  in_run_ = false;
  incomplete_ = false;
}

}  // namespace executorch::etdump::internal
