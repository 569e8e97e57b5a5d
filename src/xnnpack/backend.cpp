// The backend "XnnpackBackend": its options, and the life of its delegates.
//
// Options, for all models or as runtime specs of one load:
//   workspace_sharing_mode  int: 0 none, 1 per model (default), 2 global
//   weight_cache_enabled    bool: delegates with equal constants pack them once
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/platform/log.h>

#include <atomic>
#include <cstring>
#include <new>
#include <variant>

#include "src/xnnpack/executor.h"

namespace executorch::xnnpack {
namespace {

using runtime::ArrayRef;
using runtime::BackendExecutionContext;
using runtime::BackendInitContext;
using runtime::BackendOption;
using runtime::BackendOptionContext;
using runtime::CompileSpec;
using runtime::DelegateHandle;
using runtime::Error;
using runtime::EValue;
using runtime::FreeableBuffer;
using runtime::Result;
using runtime::Span;

constexpr char kSharing[] = "workspace_sharing_mode";
constexpr char kWeightCache[] = "weight_cache_enabled";

// Applies one option; unknown keys are left to other versions of the backend.
Error apply(const BackendOption& option, ExecutorOptions& options) {
  if (std::strcmp(option.key, kSharing) == 0) {
    const int* mode = std::get_if<int>(&option.value);
    ET_CHECK_OR_RETURN_ERROR(
        mode != nullptr && *mode >= 0 && *mode <= 2, InvalidArgument,
        "option %s takes 0 (none), 1 (per model) or 2 (global)", kSharing);
    options.sharing = static_cast<WorkspaceSharing>(*mode);
  } else if (std::strcmp(option.key, kWeightCache) == 0) {
    const bool* enabled = std::get_if<bool>(&option.value);
    ET_CHECK_OR_RETURN_ERROR(enabled != nullptr, InvalidArgument,
                             "option %s takes a bool", kWeightCache);
    options.weight_cache = *enabled;
  }
  return Error::Ok;
}

class XnnpackBackend final : public runtime::BackendInterface {
 public:
  bool is_available() const override { return true; }

  Result<DelegateHandle*> init(BackendInitContext& context,
                               FreeableBuffer* processed,
                               ArrayRef<CompileSpec>) const override {
    runtime::MemoryAllocator* allocator = context.get_runtime_allocator();
    auto* place = allocator->allocateInstance<std::unique_ptr<Executor>>();
    ET_CHECK_OR_RETURN_ERROR(
        place != nullptr, MemoryAllocationFailed,
        "no memory for a delegate in the method allocator");
    ExecutorOptions options = defaults();
    for (const BackendOption& option : context.runtime_specs()) {
      ET_CHECK_OK_OR_RETURN_ERROR(apply(option, options));
    }
    options.profile = context.event_tracer() != nullptr;
    auto executor = Executor::create(
        {static_cast<const uint8_t*>(processed->data()), processed->size()},
        context.get_named_data_map(), allocator, options);
    if (!executor.ok()) {
      return executor.error();
    }
    processed->Free();
    return new (place) std::unique_ptr<Executor>(std::move(*executor));
  }

  Error execute(BackendExecutionContext& context, DelegateHandle* handle,
                Span<EValue*> args) const override {
    return (*static_cast<std::unique_ptr<Executor>*>(handle))
        ->execute(args, context.event_tracer());
  }

  void destroy(DelegateHandle* handle) const override {
    using Handle = std::unique_ptr<Executor>;
    static_cast<Handle*>(handle)->~Handle();
  }

  Error set_option(BackendOptionContext&,
                   const Span<BackendOption>& list) override {
    ExecutorOptions options = defaults();
    Error first = Error::Ok;
    for (const BackendOption& option : list) {
      const Error error = apply(option, options);
      first = first == Error::Ok ? error : first;
    }
    sharing_ = options.sharing;
    weight_cache_ = options.weight_cache;
    return first;
  }

  Error get_option(BackendOptionContext&, Span<BackendOption>& list) override {
    for (BackendOption& option : list) {
      if (std::strcmp(option.key, kSharing) == 0) {
        option.value = static_cast<int>(sharing_.load());
      } else if (std::strcmp(option.key, kWeightCache) == 0) {
        option.value = weight_cache_.load();
      }
    }
    return Error::Ok;
  }

 private:
  ExecutorOptions defaults() const { return {sharing_, weight_cache_}; }

  std::atomic<WorkspaceSharing> sharing_{WorkspaceSharing::kModel};
  std::atomic<bool> weight_cache_{false};
};

struct Registration {
  Registration() { (void)runtime::register_backend(entry); }
  ~Registration() { runtime::unregister_backend(entry); }
  XnnpackBackend backend;
  const runtime::Backend entry{"XnnpackBackend", &backend};
};
Registration registration;

}  // namespace
}  // namespace executorch::xnnpack
