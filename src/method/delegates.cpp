// Delegates: their backends looked up, their data loaded, their state made.
#include <cstdio>

#include "src/method/build.h"

namespace executorch::method {

using runtime::ArrayRef;
using runtime::BackendInitContext;
using runtime::BackendInterface;
using runtime::CompileSpec;
using runtime::DataLoader;
using runtime::Error;
using runtime::FreeableBuffer;
using runtime::NamedDataMap;
using runtime::Result;

namespace {

// The component of the SDK that brings a backend, as a hint.
const char* component_hint(std::string_view backend) {
  return backend == "XnnpackBackend"
             ? "link executorch::backend_xnnpack"
             : "register it before the method is loaded";
}

Error make_specs(const Plan& plan, const fb::BackendDelegate& delegate,
                 Span<CompileSpec>* specs) {
  const auto* stored = delegate.compile_specs();
  ET_CHECK_OK_OR_RETURN_ERROR(make(plan, format::length(stored), specs));
  for (size_t i = 0; i < specs->size(); ++i) {
    const fb::CompileSpec& spec = *stored->Get(i);
    const auto* value = spec.value();
    (*specs)[i].key = spec.key()->c_str();
    (*specs)[i].value = {
        value == nullptr ? nullptr : const_cast<uint8_t*>(value->data()),
        format::length(value)};
  }
  return Error::Ok;
}

Result<FreeableBuffer> load_data(const Plan& plan,
                                 const fb::BackendDelegate& delegate) {
  const fb::BackendDelegateDataReference& where = *delegate.processed();
  if (where.location() == fb::DataLocation::INLINE) {
    const auto* bytes = plan.program.tables()
                            .backend_delegate_data()
                            ->Get(where.index())
                            ->data();
    return FreeableBuffer(bytes == nullptr ? nullptr : bytes->data(),
                          format::length(bytes), nullptr);
  }
  using SegmentInfo = DataLoader::SegmentInfo;
  return plan.program.load_segment(
      where.index(), SegmentInfo(SegmentInfo::Type::Backend, where.index(),
                                 delegate.id()->c_str()));
}

// All named data that delegates may ask for.
Result<const NamedDataMap*> named_data(Plan& plan,
                                       const NamedDataMap* outside) {
  const NamedDataMap* inside = plan.program.named_data();
  if (inside == nullptr || outside == nullptr) {
    return inside == nullptr ? outside : inside;
  }
  ET_ASSIGN_OR_RETURN(merged,
                      runtime::internal::MergedDataMap::load(inside, outside));
  plan.merged_data.emplace(std::move(merged));
  return &*plan.merged_data;
}

// Puts "delegate 0 (XnnpackBackend): " before what a backend logs.
class DelegateLog {
 public:
  DelegateLog(const Plan& plan, size_t index, const char* backend)
      : plan_(plan),
        index_(index),
        backend_(backend),
        context_(describe, this) {}

 private:
  static void describe(const void* what, char* text, size_t size) {
    const auto& log = *static_cast<const DelegateLog*>(what);
    std::snprintf(text, size,
                  "method %s, delegate %zu (%s): ", log.plan_.name(),
                  log.index_, log.backend_);
  }

  const Plan& plan_;
  const size_t index_;
  const char* const backend_;
  const platform::LogContext context_;
};

}  // namespace

Error check_backends(const Plan& plan) {
  for (size_t i = 0; i < format::length(plan.tables.delegates()); ++i) {
    const char* name = plan.tables.delegates()->Get(i)->id()->c_str();
    const BackendInterface* backend = runtime::get_backend_class(name);
    ET_CHECK_OR_RETURN_ERROR(backend != nullptr, NotFound,
                             "backend %s of delegate %zu is not registered: %s",
                             name, i, component_hint(name));
    ET_CHECK_OR_RETURN_ERROR(
        backend->is_available(), NotFound,
        "backend %s of delegate %zu says it cannot run here", name, i);
  }
  return Error::Ok;
}

Error start_delegates(Plan& plan, const BuildOptions& options) {
  const auto* stored = plan.tables.delegates();
  if (format::length(stored) == 0) {
    return Error::Ok;
  }
  ET_ASSIGN_OR_RETURN(data_map, named_data(plan, options.data_map));
  for (size_t i = 0; i < stored->size(); ++i) {
    const fb::BackendDelegate& table = *stored->Get(i);
    const char* name = table.id()->c_str();
    Delegate& delegate = plan.delegates[i];
    ET_ASSIGN_OR_RETURN(data, load_data(plan, table));
    delegate.data.emplace(std::move(data));
    Span<CompileSpec> specs;
    ET_CHECK_OK_OR_RETURN_ERROR(make_specs(plan, table, &specs));
    BackendInitContext context(
        plan.memory.method_allocator(), plan.tracer, plan.name(), data_map,
        options.backend_options == nullptr
            ? Span<const runtime::BackendOption>()
            : options.backend_options->get_options(name));
    delegate.backend = runtime::get_backend_class(name);
    const DelegateLog log(plan, i, name);
    ET_ASSIGN_OR_RETURN(handle,
                        delegate.backend->init(
                            context, &*delegate.data,
                            ArrayRef<CompileSpec>(specs.data(), specs.size())));
    delegate.handle = handle;
    delegate.started = true;
  }
  return Error::Ok;
}

}  // namespace executorch::method
