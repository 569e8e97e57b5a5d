// The steps of building a plan, in the order in which they run. Each returns an
// error after one log line, and leaves a plan that can be destroyed.
#pragma once

#include <executorch/runtime/backend/backend_options_map.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/log.h>

#include <new>
#include <vector>

#include "src/method/flow.h"
#include "src/method/plan.h"

namespace executorch::method {

// What Program::load_method() was given besides.
struct BuildOptions {
  const runtime::NamedDataMap* data_map;
  const runtime::LoadBackendOptionsMap* backend_options;
  Span<const runtime::Kernel> kernels;
};

// `count` objects of the method allocator, value-initialized.
template <class T>
runtime::Error make(const Plan& plan, size_t count, Span<T>* result) {
  if (count == 0) {
    return runtime::Error::Ok;
  }
  T* items = plan.memory.method_allocator()->allocateList<T>(count);
  ET_CHECK_OR_RETURN_ERROR(items != nullptr, MemoryAllocationFailed,
                           "the method allocator has no memory for "
                           "%zu times %zu bytes",
                           count, sizeof(T));
  for (size_t i = 0; i < count; ++i) {
    new (&items[i]) T();
  }
  *result = Span<T>(items, count);
  return runtime::Error::Ok;
}

runtime::Error build_plan(Plan& plan, const BuildOptions& options);

runtime::Error make_values(Plan& plan);
runtime::Error check_backends(const Plan& plan);
// `ops` gets one entry per instruction: what the registry knows about it.
runtime::Error make_code(Plan& plan, const BuildOptions& options,
                         std::vector<const registry::Op*>* ops);
runtime::Error place_tensors(Plan& plan, const BuildOptions& options);
runtime::Error start_delegates(Plan& plan, const BuildOptions& options);
// Tensors without memory: refused, or looked at before each use.
runtime::Error find_late_tensors(Plan& plan, const Flow& flow);
runtime::Error make_inputs_and_outputs(Plan& plan, const Flow& flow);
runtime::Error prepare_kernels(Plan& plan, const Flow& flow,
                               const BuildOptions& options,
                               const std::vector<const registry::Op*>& ops);

}  // namespace executorch::method
