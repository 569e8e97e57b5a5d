// The event tracer: which event belongs to what, filters, bytes of tensors. How
// events are stored: dump_writer.h.
#include <executorch/devtools/etdump/etdump_flatcc.h>
#include <executorch/runtime/platform/log.h>

#include <cstdlib>
#include <cstring>

#include "src/etdump/dump_writer.h"

namespace executorch::etdump {

using internal::DumpWriter;
using internal::EventId;
using runtime::ArrayRef;
using runtime::ChainID;
using runtime::DebugHandle;
using runtime::DelegateDebugIdType;
using runtime::Error;
using runtime::EValue;
using runtime::EventTracerEntry;
using runtime::kUnsetChainId;
using runtime::kUnsetDelegateDebugIntId;
using runtime::LoggedEValueType;
using runtime::Span;

namespace {

Span<const uint8_t> bytes(const void* data, size_t size) {
  return {static_cast<const uint8_t*>(data), data == nullptr ? 0 : size};
}

EventId instruction(ChainID chain, DebugHandle handle, uint32_t name = 0) {
  return {chain, static_cast<int32_t>(handle), name};
}

}  // namespace

ETDumpGen::ETDumpGen(Span<uint8_t> buffer)
    : writer_(DumpWriter::create(buffer)), static_(buffer.data() != nullptr) {}

ETDumpGen::~ETDumpGen() = default;

Error ETDumpGen::fail(Error error) {
  const bool incomplete = error == Error::MemoryAllocationFailed;
  if (status_ == Error::Ok || (incomplete && status_ != error)) {
    status_ = error;
    if (incomplete) {
      ET_LOG(Error, "the etdump is incomplete: %s",
             static_ ? "the buffer of the ETDumpGen is too small; give it a "
                       "larger one, or none to use the heap"
                     : "there is no memory for more events");
    } else {
      ET_LOG(Error,
             "a value is not in the etdump: the data sink failed with %s; "
             "further ones may be missing too",
             to_string(error));
    }
  }
  return error;
}

// Ready for an event; null without any memory.
DumpWriter* ETDumpGen::writer() {
  if (done_) {
    reset();
  }
  if (writer_ == nullptr || writer_->incomplete()) {
    fail(Error::MemoryAllocationFailed);
  } else if (!writer_->in_run()) {
    writer_->begin_run("Default", bundled_input_index());
  }
  return writer_.get();
}

void ETDumpGen::create_event_block(const char* name) {
  if (done_) {
    reset();
  }
  if (writer_ != nullptr) {
    writer_->begin_run(name == nullptr ? "" : name, bundled_input_index());
  }
}

EventTracerEntry ETDumpGen::start_profiling(const char* name, ChainID chain_id,
                                            DebugHandle debug_handle) {
  DumpWriter* out = writer();
  EventTracerEntry entry{};
  entry.event_id = out == nullptr ? 0 : out->add_string(name);
  entry.delegate_event_id_type = DelegateDebugIdType::kNone;
  entry.chain_id = chain_id == kUnsetChainId ? chain_id_ : chain_id;
  entry.debug_handle = chain_id == kUnsetChainId ? debug_handle_ : debug_handle;
  entry.start_time = runtime::pal_current_ticks();
  return entry;
}

void ETDumpGen::end_profiling(EventTracerEntry prof_entry) {
  const et_timestamp_t end = runtime::pal_current_ticks();
  if (DumpWriter* out = writer()) {
    out->add_profile(instruction(prof_entry.chain_id, prof_entry.debug_handle,
                                 static_cast<uint32_t>(prof_entry.event_id)),
                     prof_entry.start_time, end, {});
  }
}

bool ETDumpGen::valid_delegate_id(const char* name, DelegateDebugIntId id) {
  const bool valid = (name == nullptr) != (id == kUnsetDelegateDebugIntId);
  if (!valid) {
    ET_LOG(Error,
           "an event of a delegate has the name %s and the number %d, expected "
           "one of them: pass null or kUnsetDelegateDebugIntId for the other",
           name == nullptr ? "null" : name, static_cast<int>(id));
  }
  return valid;
}

EventId ETDumpGen::delegate_event(const char* name, DelegateDebugIntId id) {
  EventId event = instruction(chain_id_, debug_handle_);
  event.delegate_number = id;
  event.delegate_name = writer_->add_string(name);
  return event;
}

EventTracerEntry ETDumpGen::start_profiling_delegate(
    const char* name, DelegateDebugIntId delegate_debug_index) {
  EventTracerEntry entry{};
  entry.chain_id = chain_id_;
  entry.debug_handle = debug_handle_;
  DumpWriter* out = writer();
  if (out != nullptr && valid_delegate_id(name, delegate_debug_index)) {
    const bool by_name = name != nullptr;
    entry.delegate_event_id_type =
        by_name ? DelegateDebugIdType::kStr : DelegateDebugIdType::kInt;
    entry.event_id = by_name ? static_cast<int64_t>(out->add_string(name))
                             : delegate_debug_index;
  }
  entry.start_time = runtime::pal_current_ticks();
  return entry;
}

void ETDumpGen::end_profiling_delegate(EventTracerEntry prof_entry,
                                       const void* metadata,
                                       size_t metadata_len) {
  const et_timestamp_t end = runtime::pal_current_ticks();
  DumpWriter* out = writer();
  if (out == nullptr ||
      prof_entry.delegate_event_id_type == DelegateDebugIdType::kNone) {
    return;
  }
  EventId event = instruction(prof_entry.chain_id, prof_entry.debug_handle);
  if (prof_entry.delegate_event_id_type == DelegateDebugIdType::kStr) {
    event.delegate_name = static_cast<uint32_t>(prof_entry.event_id);
  } else {
    event.delegate_number = static_cast<int32_t>(prof_entry.event_id);
  }
  out->add_profile(event, prof_entry.start_time, end,
                   bytes(metadata, metadata_len));
}

void ETDumpGen::log_profiling_delegate(const char* name,
                                       DelegateDebugIntId delegate_debug_index,
                                       et_timestamp_t start_time,
                                       et_timestamp_t end_time,
                                       const void* metadata,
                                       size_t metadata_len) {
  DumpWriter* out = writer();
  if (out != nullptr && valid_delegate_id(name, delegate_debug_index)) {
    out->add_profile(delegate_event(name, delegate_debug_index), start_time,
                     end_time, bytes(metadata, metadata_len));
  }
}

runtime::AllocatorID ETDumpGen::track_allocator(const char* name) {
  DumpWriter* out = writer();
  return out == nullptr ? 0 : out->add_allocator(name);
}

void ETDumpGen::track_allocation(runtime::AllocatorID id, size_t size) {
  if (DumpWriter* out = writer()) {
    out->add_allocation(id, size);
  }
}

Error ETDumpGen::push_tensor(const aten::Tensor& tensor) {
  if (sink_ == nullptr) {
    if (status_ == Error::Ok) {
      status_ = Error::InvalidState;
      ET_LOG(Error,
             "a tensor cannot be logged without a place for its bytes: call "
             "set_debug_buffer() or set_data_sink() before the run");
    }
    return Error::InvalidState;
  }
  size_t offset = 0;
  if (tensor.nbytes() != 0 && tensor.const_data_ptr() != nullptr) {
    const auto written = sink_->write(tensor.const_data_ptr(), tensor.nbytes());
    if (!written.ok()) {
      return fail(written.error());
    }
    offset = *written;
  }
  writer_->push_tensor(tensor, static_cast<int64_t>(offset));
  return Error::Ok;
}

Result<bool> ETDumpGen::log_tensors(const EventId& id,
                                    ArrayRef<aten::Tensor> tensors, bool list,
                                    bool output) {
  for (const aten::Tensor& tensor : tensors) {
    const Error error = push_tensor(tensor);
    if (error != Error::Ok) {
      writer_->drop_tensors();
      return error;
    }
  }
  writer_->add_tensors(id, list, output);
  return true;
}

Result<bool> ETDumpGen::log_evalue(const EValue& evalue,
                                   LoggedEValueType evalue_type) {
  DumpWriter* out = writer();
  if (out == nullptr || out->incomplete()) {
    return Error::MemoryAllocationFailed;
  }
  const EventId id = instruction(chain_id_, debug_handle_);
  const bool output = evalue_type == LoggedEValueType::kProgramOutput;
  if (evalue.isTensor()) {
    const aten::Tensor tensor = evalue.toTensor();
    return log_tensors(id, {tensor}, false, output);
  }
  if (evalue.isTensorList()) {
    return log_tensors(id, evalue.toTensorList(), true, output);
  }
  if (evalue.isInt()) {
    out->add_int(id, evalue.toInt(), output);
  } else if (evalue.isDouble()) {
    out->add_double(id, evalue.toDouble(), output);
  } else if (evalue.isBool()) {
    out->add_bool(id, evalue.toBool(), output);
  } else {
    return false;
  }
  return true;
}

template <class Log>
Result<bool> ETDumpGen::log_delegate_output(const char* name,
                                            DelegateDebugIntId id, Log log) {
  if (!valid_delegate_id(name, id)) {
    return Error::InvalidArgument;
  }
  if (filter_ != nullptr) {
    Result<bool> passes = filter_->filter(name, id);
    if (!passes.ok() || !*passes) {
      return passes;
    }
  }
  DumpWriter* out = writer();
  if (out == nullptr || out->incomplete()) {
    return Error::MemoryAllocationFailed;
  }
  return log(*out, delegate_event(name, id));
}

Result<bool> ETDumpGen::log_intermediate_output_delegate(
    const char* name, DelegateDebugIntId delegate_debug_index,
    const aten::Tensor& output) {
  return log_delegate_output(name, delegate_debug_index,
                             [&](DumpWriter&, const EventId& id) {
                               return log_tensors(id, {output}, false, false);
                             });
}

Result<bool> ETDumpGen::log_intermediate_output_delegate(
    const char* name, DelegateDebugIntId delegate_debug_index,
    const ArrayRef<aten::Tensor> output) {
  return log_delegate_output(name, delegate_debug_index,
                             [&](DumpWriter&, const EventId& id) {
                               return log_tensors(id, output, true, false);
                             });
}

Result<bool> ETDumpGen::log_intermediate_output_delegate(
    const char* name, DelegateDebugIntId delegate_debug_index,
    const int& output) {
  return log_delegate_output(name, delegate_debug_index,
                             [&](DumpWriter& out, const EventId& id) {
                               out.add_int(id, output, false);
                               return Result<bool>(true);
                             });
}

Result<bool> ETDumpGen::log_intermediate_output_delegate(
    const char* name, DelegateDebugIntId delegate_debug_index,
    const bool& output) {
  return log_delegate_output(name, delegate_debug_index,
                             [&](DumpWriter& out, const EventId& id) {
                               out.add_bool(id, output, false);
                               return Result<bool>(true);
                             });
}

Result<bool> ETDumpGen::log_intermediate_output_delegate(
    const char* name, DelegateDebugIntId delegate_debug_index,
    const double& output) {
  return log_delegate_output(name, delegate_debug_index,
                             [&](DumpWriter& out, const EventId& id) {
                               out.add_double(id, output, false);
                               return Result<bool>(true);
                             });
}

void ETDumpGen::set_delegation_intermediate_output_filter(
    EventTracerFilterBase* event_tracer_filter) {
  filter_ = event_tracer_filter;
}

Result<bool> ETDumpGen::set_debug_buffer(Span<uint8_t> buffer) {
  auto sink = BufferDataSink::create(buffer);
  ET_CHECK_OK_OR_RETURN_ERROR(sink.error());
  buffer_sink_ = std::move(*sink);
  sink_ = &buffer_sink_;
  return true;
}

void ETDumpGen::set_data_sink(DataSinkBase* data_sink) { sink_ = data_sink; }

DataSinkBase* ETDumpGen::get_data_sink() { return sink_; }

ETDumpResult ETDumpGen::get_etdump_data() {
  if (done_ || (writer_ != nullptr && get_num_blocks() == 0)) {
    return {nullptr, 0};
  }
  Span<uint8_t> dump{};
  if (writer_ != nullptr) {
    dump = writer_->finish();
  }
  done_ = true;
  if (dump.empty()) {
    fail(Error::MemoryAllocationFailed);
    return {nullptr, 0};
  }
  if (static_) {
    return {dump.data(), dump.size()};
  }
  void* copy = std::malloc(dump.size());
  if (copy == nullptr) {
    fail(Error::MemoryAllocationFailed);
    return {nullptr, 0};
  }
  std::memcpy(copy, dump.data(), dump.size());
  return {copy, dump.size()};
}

size_t ETDumpGen::get_num_blocks() {
  return writer_ == nullptr ? 0
                            : writer_->num_runs() + (writer_->in_run() ? 1 : 0);
}

bool ETDumpGen::is_static_etdump() { return static_; }

void ETDumpGen::reset() {
  if (writer_ != nullptr) {
    writer_->reset();
  }
  status_ = Error::Ok;
  done_ = false;
}

void ETDumpGen::clear_builder() { reset(); }

Error ETDumpGen::status() const {
  const bool lost = writer_ == nullptr || writer_->incomplete();
  return lost ? Error::MemoryAllocationFailed : status_;
}

}  // namespace executorch::etdump
