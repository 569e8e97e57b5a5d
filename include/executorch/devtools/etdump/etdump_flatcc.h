// Records runs of methods in a file for the Inspector of the Python package.
#pragma once

#include <executorch/devtools/etdump/data_sinks/buffer_data_sink.h>
#include <executorch/devtools/etdump/data_sinks/data_sink_base.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/compiler.h>
#include <executorch/runtime/platform/platform.h>

#include <cstddef>
#include <cstdint>
#include <memory>

/// Version of the file format.
#define ETDUMP_VERSION 0

namespace executorch {
namespace etdump {

using ::executorch::runtime::DelegateDebugIntId;
using ::executorch::runtime::EventTracerFilterBase;
using ::executorch::runtime::Result;

namespace internal {
class DumpWriter;
struct ET_EXPORT DumpWriterDeleter {
  void operator()(DumpWriter* writer) const noexcept;
};
struct EventId;
}  // namespace internal

/// The bytes of a file, or null.
struct ETDumpResult {
  void* buf;
  size_t size;
};

/// An event tracer that keeps what it is told in the form of an .etdp file, and
/// the bytes of logged tensors in a data sink.
///
/// Give it to a Module or to Program::load_method(), run, then call
/// get_etdump_data() and write the result to a file.
///
/// Memory that runs out ends no run: events or values are left out, one error
/// line says so, and status() returns the error. Functions that tell of events
/// may be called by one thread at a time.
class ET_EXPORT ETDumpGen : public ::executorch::runtime::EventTracer {
 public:
  /// @param buffer Memory for the dump, which must outlive the generator. It
  ///     then allocates nothing. Empty: the heap.
  ETDumpGen(::executorch::runtime::Span<uint8_t> buffer = {nullptr, (size_t)0});
  ~ETDumpGen() override;

  /// As reset().
  void clear_builder();

  /// Begins a run. Events before the first one go to a run named "Default".
  void create_event_block(const char* name) override;

  ::executorch::runtime::EventTracerEntry start_profiling(
      const char* name,
      ::executorch::runtime::ChainID chain_id =
          ::executorch::runtime::kUnsetChainId,
      ::executorch::runtime::DebugHandle debug_handle =
          ::executorch::runtime::kUnsetDebugHandle) override;
  void end_profiling(
      ::executorch::runtime::EventTracerEntry prof_entry) override;
  ::executorch::runtime::EventTracerEntry start_profiling_delegate(
      const char* name, DelegateDebugIntId delegate_debug_index) override;
  void end_profiling_delegate(
      ::executorch::runtime::EventTracerEntry prof_entry, const void* metadata,
      size_t metadata_len) override;
  void log_profiling_delegate(const char* name,
                              DelegateDebugIntId delegate_debug_index,
                              et_timestamp_t start_time,
                              et_timestamp_t end_time, const void* metadata,
                              size_t metadata_len) override;

  /// @returns The number of the allocator in this run, from 1; 0 if there is no
  ///     place for more.
  ::executorch::runtime::AllocatorID track_allocator(const char* name) override;
  void track_allocation(::executorch::runtime::AllocatorID id,
                        size_t size) override;

  /// Tensors, lists of tensors, ints, doubles and bools are logged; false for
  /// others.
  ///
  /// @retval InvalidState It is a tensor and there is no data sink.
  /// Or the error of the sink.
  Result<bool> log_evalue(
      const ::executorch::runtime::EValue& evalue,
      ::executorch::runtime::LoggedEValueType evalue_type =
          ::executorch::runtime::LoggedEValueType::kIntermediateOutput)
      override;

  /// @returns Whether the filter let the value pass.
  /// @retval InvalidArgument There is neither a name nor a number, or both.
  /// Or as for log_evalue(), or the error of the filter.
  Result<bool> log_intermediate_output_delegate(
      const char* name, DelegateDebugIntId delegate_debug_index,
      const executorch::aten::Tensor& output) override;
  Result<bool> log_intermediate_output_delegate(
      const char* name, DelegateDebugIntId delegate_debug_index,
      const ::executorch::runtime::ArrayRef<executorch::aten::Tensor> output)
      override;
  Result<bool> log_intermediate_output_delegate(
      const char* name, DelegateDebugIntId delegate_debug_index,
      const int& output) override;
  Result<bool> log_intermediate_output_delegate(
      const char* name, DelegateDebugIntId delegate_debug_index,
      const bool& output) override;
  Result<bool> log_intermediate_output_delegate(
      const char* name, DelegateDebugIntId delegate_debug_index,
      const double& output) override;

  /// The filter must outlive its use. Null: everything passes.
  void set_delegation_intermediate_output_filter(
      EventTracerFilterBase* event_tracer_filter) override;

  /// Keeps the bytes of logged tensors in this memory, which must outlive the
  /// generator. What is logged: set_event_tracer_debug_level().
  Result<bool> set_debug_buffer(::executorch::runtime::Span<uint8_t> buffer);

  /// The same with any sink, which must outlive the generator.
  void set_data_sink(DataSinkBase* data_sink);
  DataSinkBase* get_data_sink();

  /// The dump of all runs so far: a size-prefixed flatbuffer. The next event
  /// begins another dump.
  ///
  /// @returns Memory for the caller to free(), or a part of the buffer of the
  ///     constructor. Null if nothing was recorded, or if events were lost for
  ///     want of memory.
  ETDumpResult get_etdump_data();

  /// Runs in the dump.
  size_t get_num_blocks();

  /// Whether the constructor got a buffer.
  bool is_static_etdump();

  /// Begins another dump.
  void reset();

  /// Whether this dump is complete. MemoryAllocationFailed: there was no memory
  /// for an event. Other errors are those of the data sink: values are missing.
  ::executorch::runtime::Error status() const;

 private:
  internal::DumpWriter* writer();
  bool valid_delegate_id(const char* name, DelegateDebugIntId id);
  internal::EventId delegate_event(const char* name, DelegateDebugIntId id);
  ::executorch::runtime::Error push_tensor(
      const executorch::aten::Tensor& tensor);
  Result<bool> log_tensors(
      const internal::EventId& id,
      ::executorch::runtime::ArrayRef<executorch::aten::Tensor> tensors,
      bool list, bool output);
  template <class Log>
  Result<bool> log_delegate_output(const char* name, DelegateDebugIntId id,
                                   Log log);
  ::executorch::runtime::Error fail(::executorch::runtime::Error error);

  std::unique_ptr<internal::DumpWriter, internal::DumpWriterDeleter> writer_;
  BufferDataSink buffer_sink_;
  DataSinkBase* sink_ = nullptr;
  EventTracerFilterBase* filter_ = nullptr;
  ::executorch::runtime::Error status_ = ::executorch::runtime::Error::Ok;
  bool static_ = false;
  bool done_ = false;
};

}  // namespace etdump
}  // namespace executorch

namespace torch {
namespace executor {
using etdump_result = ::executorch::etdump::ETDumpResult;
using ::executorch::etdump::ETDumpGen;
}  // namespace executor
}  // namespace torch
