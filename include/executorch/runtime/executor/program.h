// A program: the methods and constants of a .pte file.
#pragma once

#include <executorch/runtime/backend/backend_options_map.h>
#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/executor/memory_manager.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/method_meta.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace executorch {
namespace program {
class ProgramData;
}  // namespace program
namespace extension::inspect {
class ProgramReader;
}  // namespace extension::inspect

namespace runtime {

class NamedDataMap;

/// A loaded .pte file. Its functions may be called from any thread; methods
/// that are loaded from it share its constants.
class ET_EXPORT Program final {
 public:
  /// How much of a file to check. All of it is checked, whatever is asked for:
  /// a file that loads is safe to use.
  enum class Verification : uint8_t {
    Minimal,
    InternalConsistency,
  };

  /// Newest schema version that can be read.
  static constexpr uint32_t kMaxSupportedSchemaVersion = 0;

  /// The name under which the options map of load_method() holds options of the
  /// operators instead of a backend:
  /// - "prepare" (bool, true): pack weights and compute what depends on
  ///   constants alone when a method is loaded. Runs are faster, loading takes
  ///   longer.
  /// - "fold_limit_mib" (int, 512): memory for what is computed so. Methods of
  ///   one program share it.
  static constexpr char kKernelOptions[] = "kernels";

  /// Reads and checks a program.
  ///
  /// @param loader Of the .pte file; must outlive the program.
  /// @retval InvalidArgument `loader` is null, the file is too short, or the
  ///     loader gives an address that is not a multiple of 8.
  /// @retval InvalidProgram The file is not a program, is of another version,
  ///     or is damaged.
  /// Or an error of the loader.
  ET_NODISCARD static Result<Program> load(
      DataLoader* loader, Verification verification = Verification::Minimal);

  /// Deprecated: use load().
  ET_DEPRECATED ET_NODISCARD static Result<Program> Load(
      DataLoader* loader, Verification verification = Verification::Minimal) {
    return load(loader, verification);
  }

  Program(Program&& other) noexcept;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  Program& operator=(Program&&) = delete;
  ~Program();

  /// The first `nbytes` bytes of a constant; valid as long as the program.
  ///
  /// @param buffer_idx Number of the constant, from 1 on.
  /// @retval InvalidArgument There is no such constant, or it is shorter.
  Result<const void*> get_constant_buffer_data(size_t buffer_idx,
                                               size_t nbytes) const;

  /// Data that the file stores by name; valid as long as the program.
  ///
  /// @retval NotFound There is none.
  Result<const NamedDataMap*> get_named_data_map() const;

  size_t num_methods() const;

  /// Valid as long as the program.
  ///
  /// @retval InvalidArgument `method_index` is not less than num_methods().
  Result<const char*> get_method_name(size_t method_index) const;

  /// Makes a method ready to run: resolves its operators, starts its delegates
  /// and prepares kernels.
  ///
  /// @param memory_manager Memory for the method; must outlive it.
  /// @param event_tracer Is told what the method does; may be null.
  /// @param named_data_map Data outside of the file, such as that of a .ptd
  ///     file; may be null.
  /// @param backend_options Options for the start of delegates, and of kernels
  ///     (see kKernelOptions); may be null.
  /// @param kernel_registry If not empty, operators are looked up here instead
  ///     of in the process-wide registry.
  /// @retval InvalidArgument There is no such method, or `memory_manager` is
  ///     null.
  /// @retval OperatorMissing Operators are not registered; the log line names
  ///     all of them and the components that have them.
  /// @retval NotFound A backend is not registered or not available, or data is
  ///     not in `named_data_map`.
  /// @retval InvalidState The method needs data of a .ptd file, but
  ///     `named_data_map` is null.
  /// @retval InvalidExternalData Data in `named_data_map` has another dtype or
  ///     shape.
  /// @retval MemoryAllocationFailed An allocator or planned buffer is too
  ///     small.
  /// @retval InvalidProgram A call does not fit its operator.
  /// @retval NotSupported An operator cannot run on this machine with
  ///     EXECUTORCH_ISA as it is set.
  /// Or the error of a backend.
  Result<Method> load_method(
      const char* method_name, MemoryManager* memory_manager,
      EventTracer* event_tracer = nullptr,
      const NamedDataMap* named_data_map = nullptr,
      const LoadBackendOptionsMap* backend_options = nullptr,
      Span<const Kernel> kernel_registry = {}) const;

  /// What a method takes and needs.
  ///
  /// @retval InvalidArgument There is no such method.
  Result<MethodMeta> method_meta(const char* method_name) const;

  /// Bytes of data that a method refers to.
  struct DataSizes {
    /// Constant tensors, in the file or outside of it; each counts once.
    size_t constants = 0;
    /// What the exporter compiled for delegates.
    size_t delegates = 0;
  };

  /// How much data a method refers to, without loading it.
  ///
  /// @retval InvalidArgument There is no such method.
  Result<DataSizes> data_sizes(const char* method_name) const;

  /// Deprecated. Pytree text of the outputs' nesting in Python.
  ///
  /// @retval InvalidArgument There is no such method.
  /// @retval NotFound The file has no such text.
  ET_DEPRECATED Result<const char*> get_output_flattening_encoding(
      const char* method_name = "forward") const;

  /// Whether bytes are the start of a program.
  enum HeaderStatus {
    /// Of one that can be read.
    CompatibleVersion,
    /// Of one of another version.
    IncompatibleVersion,
    /// They are not.
    NotPresent,
    /// There are too few bytes to tell.
    ShortData,
  };

  /// Bytes that check_header() wants to see.
  static constexpr size_t kMinHeadBytes = 64;

  /// Looks at the first bytes of a file; `size` should be kMinHeadBytes.
  static HeaderStatus check_header(const void* data, size_t size);

 private:
  friend class extension::inspect::ProgramReader;
  explicit Program(program::ProgramData* data) : data_(data) {}

  program::ProgramData* data_;  // owned
};

}  // namespace runtime
}  // namespace executorch
