// Classes of an application that derive from ours. It is built with and without
// type information, of which the libraries must offer what the compiler asks
// for.
#include <executorch/devtools/etdump/data_sinks/data_sink_base.h>
#include <executorch/devtools/etdump/etdump_filter.h>
#include <executorch/devtools/etdump/etdump_flatcc.h>
#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/memory_allocator/cpu_caching_malloc_allocator.h>
#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/extension/module/bundled_module.h>
#include <executorch/runtime/backend/interface.h>

#include <cstdio>
#include <memory>

namespace {

using executorch::extension::Module;
using executorch::runtime::DataLoader;
using executorch::runtime::Error;
using executorch::runtime::Program;
using executorch::runtime::Result;

int failures = 0;
void check(bool ok, const char* what) {
  if (!ok) {
    std::printf("FAILED: %s\n", what);
    ++failures;
  }
}

template <class Base>
class Counted : public Base {
 public:
  using Base::Base;
  ~Counted() override { ++destroyed; }
  static inline int destroyed = 0;
};

// Makes one, and destroys it through its base class.
template <class Base, class... Args>
void derive(const char* what, Args&&... args) {
  {
    std::unique_ptr<Base> base =
        std::make_unique<Counted<Base>>(std::forward<Args>(args)...);
  }
  check(Counted<Base>::destroyed == 1, what);
}

class Sink final : public executorch::etdump::DataSinkBase {
 public:
  Result<size_t> write(const void*, size_t length) override {
    written += length;
    return written - length;
  }
  size_t get_used_bytes() const override { return written; }
  size_t written = 0;
};

class Loader final : public DataLoader {
 public:
  Result<executorch::runtime::FreeableBuffer> load(
      size_t, size_t, const SegmentInfo&) const override {
    return Error::AccessFailed;
  }
  Result<size_t> size() const override { return 1000; }
};

class Backend final : public executorch::runtime::BackendInterface {
 public:
  bool is_available() const override { return true; }
  Result<executorch::runtime::DelegateHandle*> init(
      executorch::runtime::BackendInitContext&,
      executorch::runtime::FreeableBuffer*,
      executorch::runtime::ArrayRef<executorch::runtime::CompileSpec>)
      const override {
    return nullptr;
  }
  Error execute(
      executorch::runtime::BackendExecutionContext&,
      executorch::runtime::DelegateHandle*,
      executorch::runtime::Span<executorch::runtime::EValue*>) const override {
    return Error::Ok;
  }
};

}  // namespace

int main() {
  derive<Module>("Module", std::make_unique<Loader>());
  derive<executorch::extension::BundledModule>("BundledModule", nullptr);
  derive<executorch::extension::CPUCachingAllocator>("CPUCachingAllocator", 0u);
  derive<executorch::extension::MallocMemoryAllocator>("MallocMemoryAllocator");
  derive<executorch::runtime::MemoryAllocator>("MemoryAllocator", 0u, nullptr);
  derive<executorch::etdump::ETDumpGen>("ETDumpGen");
  derive<executorch::etdump::ETDumpFilter>("ETDumpFilter");

  Module module(std::make_unique<Loader>());
  check(module.load() == Error::AccessFailed, "a loader of the application");
  Sink sink;
  executorch::etdump::ETDumpGen tracer;
  tracer.set_data_sink(&sink);
  check(tracer.get_data_sink()->get_used_bytes() == 0, "a sink");
  static Backend backend;
  check(
      executorch::runtime::register_backend({"Derived", &backend}) == Error::Ok,
      "a backend");
  return failures;
}
