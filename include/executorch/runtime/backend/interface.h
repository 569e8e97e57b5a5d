// Backends: engines that run parts of a program (delegates) in their own way.
//
// A backend is one object per process, registered under the name that programs
// use for it. Registration and the functions on names may be called from any
// thread.
#pragma once

#include <executorch/runtime/backend/backend_execution_context.h>
#include <executorch/runtime/backend/backend_init_context.h>
#include <executorch/runtime/backend/backend_option_context.h>
#include <executorch/runtime/backend/options.h>
#include <executorch/runtime/core/array_ref.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstddef>

namespace executorch {
namespace runtime {

struct SizedBuffer {
  void* buffer;
  size_t nbytes;
};

/// A named value that the exporter stored with a delegate.
struct CompileSpec {
  const char* key;
  SizedBuffer value;
};

/// What a backend keeps for one delegate; only the backend knows its type.
using DelegateHandle = void;

/// The functions of a backend. Methods may be loaded and run in several threads
/// at once: init(), execute() and destroy() are then called concurrently, but
/// never for the same handle.
class ET_EXPORT BackendInterface {
 public:
  virtual ~BackendInterface() = 0;

  /// Whether delegates can run here now. Loading a method fails otherwise.
  ET_NODISCARD virtual bool is_available() const = 0;

  /// Makes a delegate ready to run; called when its method is loaded.
  ///
  /// @param processed The compiled form that the exporter's half of the backend
  ///     wrote. May be kept until destroy(), or freed early with Free().
  /// @param compile_specs What was given to the exporter.
  /// @returns The handle for execute() and destroy(); may be null. An error
  ///     fails the load: DelegateInvalidCompatibility when `processed` is not
  ///     for this version of the backend.
  ET_NODISCARD virtual Result<DelegateHandle*> init(
      BackendInitContext& context, FreeableBuffer* processed,
      ArrayRef<CompileSpec> compile_specs) const = 0;

  /// Runs the delegate.
  ///
  /// @param args Its inputs, then its outputs. Outputs are written in place;
  ///     dynamic ones are resized.
  ET_NODISCARD virtual Error execute(BackendExecutionContext& context,
                                     DelegateHandle* handle,
                                     Span<EValue*> args) const = 0;

  /// Changes options of the backend.
  ET_NODISCARD virtual Error set_option(
      BackendOptionContext& /*context*/,
      const Span<BackendOption>& /*backend_options*/) {
    return Error::Ok;
  }

  /// Fills in the values of the options whose keys are given.
  ET_NODISCARD virtual Error get_option(
      BackendOptionContext& /*context*/,
      Span<BackendOption>& /*backend_options*/) {
    return Error::Ok;
  }

  /// Frees what init() made; called when the method is destroyed.
  virtual void destroy(DelegateHandle* /*handle*/) const {}
};

inline BackendInterface::~BackendInterface() = default;

/// A backend and its name.
struct Backend {
  const char* name;
  BackendInterface* backend;
};

/// The backend registered as `name`, or null.
ET_EXPORT BackendInterface* get_backend_class(const char* name);

/// Adds a backend. The name is copied; the object must live until the process
/// ends or unregister_backend() is called.
///
/// @retval InvalidArgument The name or the object is null, or the name is
///     taken: the first one stays.
ET_NODISCARD ET_EXPORT Error register_backend(const Backend& backend);

/// Takes a backend out again, for a library that is unloaded. Nothing happens
/// unless this name belongs to this object. No method may still use it.
ET_EXPORT void unregister_backend(const Backend& backend);

ET_EXPORT size_t get_num_registered_backends();

/// The name of backend number `index` in the order of registration. Valid as
/// long as the process lives.
///
/// @retval InvalidArgument There are not that many.
ET_EXPORT Result<const char*> get_backend_name(size_t index);

/// Hands options to BackendInterface::set_option() of a backend.
///
/// @retval NotFound There is no such backend. Otherwise, what it returns.
ET_EXPORT Error set_option(const char* backend_name,
                           const Span<BackendOption> backend_options);

/// Asks BackendInterface::get_option() of a backend for the values of options.
///
/// @param backend_options Their keys; the values are filled in.
/// @retval NotFound There is no such backend. Otherwise, what it returns.
ET_EXPORT Error get_option(const char* backend_name,
                           Span<BackendOption> backend_options);

}  // namespace runtime
}  // namespace executorch

// Names of earlier releases.
namespace torch {
namespace executor {
using ::executorch::runtime::Backend;
using ::executorch::runtime::CompileSpec;
using ::executorch::runtime::DelegateHandle;
using ::executorch::runtime::get_backend_class;
using ::executorch::runtime::register_backend;
using ::executorch::runtime::SizedBuffer;
using PyTorchBackendInterface = ::executorch::runtime::BackendInterface;
}  // namespace executor
}  // namespace torch
