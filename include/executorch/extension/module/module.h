// A program, its methods, and the memory they need, as one object.
//
//     Module module("model.pte");
//     auto result = module.forward(make_tensor_ptr({1, 3}, {1.f, 2.f, 3.f}));
//     if (result.ok()) use(result->at(0).toTensor());
#pragma once

#include <executorch/runtime/backend/backend_options_map.h>
#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace executorch {
namespace extension {

using runtime::Kernel;
using runtime::LoadBackendOptionsMap;
using runtime::Method;
using runtime::MethodMeta;
using runtime::NamedDataMap;
using runtime::Program;

namespace internal {

class LoadedMethod;

// Takes a std::unique_ptr<T>, or nothing. As the type of an argument it costs
// those who leave the argument out less than the std::unique_ptr would.
template <typename T>
class Owned final {
 public:
  Owned(std::nullptr_t = nullptr) {}
  template <typename Derived>
  Owned(std::unique_ptr<Derived> owner) : object_(owner.release()) {}
  Owned(Owned&& other) noexcept : object_(other.release()) {}
  ~Owned() { delete object_; }

  T* release() { return std::exchange(object_, nullptr); }

 private:
  T* object_ = nullptr;
};

}  // namespace internal

namespace module {

/// What a method needs before it is loaded, in bytes. What delegates allocate
/// for themselves is not known here.
struct MemoryReport {
  /// Per buffer that the program plans: activations, inputs and outputs, and
  /// mutable state.
  std::vector<size_t> planned_buffers;
  /// Outputs that the program does not plan; the Module gives them memory.
  size_t unplanned_outputs = 0;
  /// Constant tensors of this method; with a mapped file they take memory only
  /// as far as they are used.
  size_t constants = 0;
  /// Compiled forms of the delegates of this method.
  size_t delegates = 0;
  /// The backends of this method.
  std::vector<std::string> backends;
};

/// Loads a program when it is first needed, and each method when it is first
/// called.
///
/// Every function that takes the name of a method loads the program and the
/// method if that was not done; so it may also return the errors of load() and
/// load_method(). Functions without a name are about "forward".
///
/// Errors of loading: AccessFailed, a file cannot be opened or read;
/// InvalidArgument, a file is empty, or there is no such method;
/// InvalidProgram, a file is no program or is damaged; InvalidExternalData, the
/// same for a data file; InvalidState, a data file is missing; OperatorMissing
/// and NotFound, operators or backends are not registered;
/// MemoryAllocationFailed.
///
/// Inputs: set_input() copies a tensor if the program plans memory for it,
/// which is usual. execute() does not when it gets a TensorPtr and the method
/// neither writes to that input nor returns it: the run then reads the memory
/// of the tensor. The TensorPtr is kept for later calls without that input;
/// memory under one made by from_blob() must live as long.
///
/// Outputs: a tensor that execute() returns owns its data, and no later call
/// changes it. If the program plans the memory of an output the data is a copy;
/// else the output is computed right where it is returned, as it is in memory
/// given by set_output(). set_output_views() turns copies off.
///
/// Threads: a Module may be used by one thread at a time. For several threads
/// make a Module each and share the Program (`Module(other.program())`): they
/// may then load and run at the same time, with one copy of the constants.
class ET_EXPORT Module {
 public:
  /// How files are read.
  enum class LoadMode {
    /// Into memory.
    File,
    /// Mapped into memory: pages are read when they are used, and shared with
    /// other processes.
    Mmap,
    /// Mapped, and locked in memory; loading fails if that is not possible.
    MmapUseMlock,
    /// Mapped, and locked if possible.
    MmapUseMlockIgnoreErrors,
    /// Mapped, and the system is asked to read ahead.
    MmapUseMadvise,
  };

  /// @param file_path The program, a .pte file.
  /// @param event_tracer Receives profiling events of all methods.
  /// @param memory_allocator For the structures of loaded methods. By default
  ///     each method has memory of its own, which unload_method() gives back.
  /// @param temp_allocator For scratch memory of kernels.
  /// @param share_memory_arenas Lets all methods use the same planned buffers 0
  ///     and 1 (activations and shared mutable state), as large as the largest
  ///     method needs. For programs exported with shared mutable buffers.
  ///     Running one method then changes what another one left there.
  explicit Module(
      const std::string& file_path, LoadMode load_mode = LoadMode::File,
      internal::Owned<runtime::EventTracer> event_tracer = nullptr,
      internal::Owned<runtime::MemoryAllocator> memory_allocator = nullptr,
      internal::Owned<runtime::MemoryAllocator> temp_allocator = nullptr,
      bool share_memory_arenas = false);

  /// @param data_map_path A .ptd file with data that the program refers to.
  explicit Module(
      const std::string& file_path, const std::string& data_map_path,
      LoadMode load_mode = LoadMode::File,
      internal::Owned<runtime::EventTracer> event_tracer = nullptr,
      internal::Owned<runtime::MemoryAllocator> memory_allocator = nullptr,
      internal::Owned<runtime::MemoryAllocator> temp_allocator = nullptr,
      bool share_memory_arenas = false);

  /// @param data_files Any number of .ptd files; no two may have data of the
  ///     same name.
  explicit Module(
      const std::string& file_path, std::vector<std::string> data_files,
      LoadMode load_mode = LoadMode::File,
      internal::Owned<runtime::EventTracer> event_tracer = nullptr,
      internal::Owned<runtime::MemoryAllocator> memory_allocator = nullptr,
      internal::Owned<runtime::MemoryAllocator> temp_allocator = nullptr,
      bool share_memory_arenas = false);

  /// @param data_loader Gives the bytes of the program.
  /// @param data_map_loader Gives the bytes of a .ptd file; may be null.
  explicit Module(
      std::unique_ptr<runtime::DataLoader> data_loader,
      internal::Owned<runtime::MemoryAllocator> memory_allocator = nullptr,
      internal::Owned<runtime::MemoryAllocator> temp_allocator = nullptr,
      internal::Owned<runtime::EventTracer> event_tracer = nullptr,
      internal::Owned<runtime::DataLoader> data_map_loader = nullptr,
      bool share_memory_arenas = false);

  /// @param program Shared with other Modules. If it was not made by one, the
  ///     loader it reads from must outlive it.
  explicit Module(
      std::shared_ptr<Program> program,
      internal::Owned<runtime::MemoryAllocator> memory_allocator = nullptr,
      internal::Owned<runtime::MemoryAllocator> temp_allocator = nullptr,
      internal::Owned<runtime::EventTracer> event_tracer = nullptr,
      internal::Owned<runtime::DataLoader> data_map_loader = nullptr,
      bool share_memory_arenas = false);

  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  Module(Module&&) = delete;
  Module& operator=(Module&&) = delete;
  virtual ~Module();

  // ---- The program

  /// Loads the program and the data files, if that was not done. The files are
  /// always checked in full.
  ET_NODISCARD virtual runtime::Error load(
      Program::Verification verification = Program::Verification::Minimal);

  /// The same, and keeps a copy of the options for the backends of methods that
  /// are loaded from now on. After an error the options are as before.
  ET_NODISCARD virtual runtime::Error load(
      const LoadBackendOptionsMap& backend_options,
      Program::Verification verification = Program::Verification::Minimal);

  /// The options of the last successful load(options); refers to the Module.
  const LoadBackendOptionsMap& backend_options() const;

  virtual bool is_loaded() const;

  /// The program, or null before it is loaded. It keeps its loader alive.
  std::shared_ptr<Program> program() const;

  runtime::Result<size_t> num_methods();
  runtime::Result<std::unordered_set<std::string>> method_names();

  /// Inputs, outputs and needs of a method, without loading it. Refers to the
  /// program.
  runtime::Result<MethodMeta> method_meta(const std::string& method_name);

  /// What a method needs, without loading it.
  runtime::Result<MemoryReport> memory_report(const std::string& method_name);
  runtime::Result<MemoryReport> memory_report();

  // ---- Methods

  /// Loads a method, if that was not done.
  ///
  /// @param planned_memory The buffers that the program plans; must outlive the
  ///     method. By default the Module allocates them.
  /// @param event_tracer For this method instead of that of the Module; must
  ///     outlive the method.
  /// @param backend_options Instead of those given to load(); used only during
  ///     this call.
  /// @param kernel_registry If not empty, operators are taken from this list
  ///     and not from the registry.
  ET_NODISCARD runtime::Error load_method(
      const std::string& method_name,
      runtime::HierarchicalAllocator* planned_memory = nullptr,
      runtime::EventTracer* event_tracer = nullptr,
      const LoadBackendOptionsMap* backend_options = nullptr,
      std::vector<Kernel> kernel_registry = {});
  ET_DEPRECATED ET_NODISCARD runtime::Error load_method(
      const std::string& method_name, runtime::EventTracer* event_tracer);
  ET_NODISCARD runtime::Error load_forward(
      runtime::HierarchicalAllocator* planned_memory = nullptr,
      runtime::EventTracer* event_tracer = nullptr,
      const LoadBackendOptionsMap* backend_options = nullptr,
      std::vector<Kernel> kernel_registry = {});
  ET_DEPRECATED ET_NODISCARD runtime::Error load_forward(
      runtime::EventTracer* event_tracer);

  /// Destroys a method with its memory and delegates; false if it was not
  /// loaded. Returned outputs stay valid unless they are views.
  bool unload_method(const std::string& method_name);
  bool unload_forward();

  bool is_method_loaded(const std::string& method_name) const;

  /// Deprecated: the Module's own Method. Valid until it is unloaded.
  ET_DEPRECATED ET_NODISCARD runtime::Result<Method*> method(
      const std::string& method_name);

  // ---- Running

  /// Runs a method.
  ///
  /// @param input_values In order. If they are fewer than the method takes, the
  ///     last values set before are used for the rest.
  /// @returns All outputs; see the top of the class for who owns them.
  /// @retval InvalidArgument Too many inputs, one was never set, or one has
  ///     another kind or dtype than the method takes.
  /// @retval NotSupported An input has another rank or static size, or is
  ///     larger than its bounds.
  /// Or the error of the kernel or delegate that failed.
  ET_NODISCARD virtual runtime::Result<std::vector<runtime::EValue>> execute(
      const std::string& method_name,
      const std::vector<runtime::EValue>& input_values);
  ET_NODISCARD runtime::Result<std::vector<runtime::EValue>> execute(
      const std::string& method_name, const runtime::EValue& input_value);
  ET_NODISCARD runtime::Result<std::vector<runtime::EValue>> execute(
      const std::string& method_name);

  /// Runs a method and returns its first output.
  ///
  /// @retval InvalidArgument It has none, or as for execute().
  ET_NODISCARD runtime::Result<runtime::EValue> get(
      const std::string& method_name,
      const std::vector<runtime::EValue>& input_values);
  ET_NODISCARD runtime::Result<runtime::EValue> get(
      const std::string& method_name, const runtime::EValue& input_value);
  ET_NODISCARD runtime::Result<runtime::EValue> get(
      const std::string& method_name);

  ET_NODISCARD runtime::Result<std::vector<runtime::EValue>> forward(
      const std::vector<runtime::EValue>& input_values);
  ET_NODISCARD runtime::Result<std::vector<runtime::EValue>> forward(
      const runtime::EValue& input_value);
  ET_NODISCARD runtime::Result<std::vector<runtime::EValue>> forward();

  // ---- Inputs and outputs one by one

  /// Sets an input for the next runs. The errors are those of execute(); the
  /// data of a tensor must stay as it is until the run, unless `input_value`
  /// was made from a TensorPtr that owns it.
  ET_NODISCARD runtime::Error set_input(const std::string& method_name,
                                        const runtime::EValue& input_value,
                                        size_t input_index);
  ET_NODISCARD runtime::Error set_input(const runtime::EValue& input_value,
                                        size_t input_index);

  /// Sets all inputs.
  ///
  /// @retval InvalidArgument Their number is not that of the method.
  ET_NODISCARD runtime::Error set_inputs(
      const std::string& method_name,
      const std::vector<runtime::EValue>& input_values);
  ET_NODISCARD runtime::Error set_inputs(
      const std::vector<runtime::EValue>& input_values);

  /// Has an output computed in the memory of a tensor, which must be large
  /// enough and outlive the runs, unless it was made from a TensorPtr that owns
  /// it.
  ///
  /// @retval InvalidArgument There is no such output, or one of them is not a
  ///     tensor, or the dtypes differ.
  /// @retval InvalidState The program plans the memory of this output.
  ET_NODISCARD runtime::Error set_output(const std::string& method_name,
                                         runtime::EValue output_value,
                                         size_t output_index = 0);
  ET_NODISCARD runtime::Error set_output(runtime::EValue output_value,
                                         size_t output_index = 0);

  /// The same for all outputs.
  ///
  /// @retval InvalidArgument Their number is not that of the method.
  ET_NODISCARD runtime::Error set_outputs(
      const std::string& method_name,
      const std::vector<runtime::EValue>& output_values);
  ET_NODISCARD runtime::Error set_outputs(
      const std::vector<runtime::EValue>& output_values);

  /// Whether outputs of a method are returned as views of its memory instead of
  /// as copies (default: no). A view is valid until the method runs again or is
  /// unloaded.
  ET_NODISCARD runtime::Error set_output_views(const std::string& method_name,
                                               bool views);

  /// The outputs of the last run, owned as those of execute().
  ET_NODISCARD runtime::Result<std::vector<runtime::EValue>> get_outputs(
      const std::string& method_name);
  ET_NODISCARD runtime::Result<std::vector<runtime::EValue>> get_outputs();

  /// One of them.
  ///
  /// @retval InvalidArgument There is no such output.
  ET_NODISCARD runtime::Result<runtime::EValue> get_output(
      const std::string& method_name, size_t output_index = 0);
  ET_NODISCARD runtime::Result<runtime::EValue> get_output(
      size_t output_index = 0);

  /// The tracer given to the constructor, or null.
  runtime::EventTracer* event_tracer() const;

  /// Deprecated: always empty. Tracers have buffers of their own.
  ET_DEPRECATED ET_NODISCARD runtime::Span<uint8_t> debug_buffer();

 private:
  struct State;
  runtime::Result<internal::LoadedMethod*> loaded(const std::string& name);

  State* const state_;  // owned
};

}  // namespace module

using ::executorch::extension::module::MemoryReport;
using ::executorch::extension::module::Module;

}  // namespace extension
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::extension::module::Module;
}  // namespace executor
}  // namespace torch
