// Defaults of the platform hooks, and the table through which all are called.
#include <dlfcn.h>
#include <executorch/runtime/platform/abort.h>
#include <executorch/runtime/platform/platform.h>
#include <executorch/runtime/platform/runtime.h>
#include <executorch/runtime/platform/system.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>

// A definition in the application takes the place of a weak one.
extern "C" {

ET_WEAK void et_pal_init() {}

ET_WEAK void et_pal_abort() { std::abort(); }

ET_WEAK et_timestamp_t et_pal_current_ticks() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<et_timestamp_t>(now.tv_sec) * 1000000000u +
         static_cast<et_timestamp_t>(now.tv_nsec);
}

ET_WEAK et_tick_ratio_t et_pal_ticks_to_ns_multiplier() { return {1, 1}; }

// One call per line: stderr locks itself, so lines of threads do not mix.
ET_WEAK void et_pal_emit_log_message(et_timestamp_t, et_pal_log_level_t level,
                                     const char* filename, const char*,
                                     size_t line, const char* message,
                                     size_t length) {
  std::fprintf(stderr, "%c executorch:%s:%zu] %.*s\n", level, filename, line,
               static_cast<int>(length), message);
}

ET_WEAK void* et_pal_allocate(size_t size) { return std::malloc(size); }

ET_WEAK void et_pal_free(void* ptr) { std::free(ptr); }

const char* et_pal_get_shared_library_name(const void* addr) {
  Dl_info info;
  return dladdr(addr, &info) != 0 && info.dli_fname != nullptr
             ? info.dli_fname
             : DYNAMIC_LIBRARY_NOT_FOUND;
}

}  // extern "C"

namespace executorch {
namespace runtime {
namespace {

// Constant initialization: usable before any constructor has run.
PalImpl hooks = {et_pal_init,
                 et_pal_abort,
                 et_pal_current_ticks,
                 et_pal_ticks_to_ns_multiplier,
                 et_pal_emit_log_message,
                 et_pal_allocate,
                 et_pal_free,
                 __FILE__};

// Other threads may call a hook while it is replaced.
template <class F>
F in_use(F& hook) {
  return __atomic_load_n(&hook, __ATOMIC_ACQUIRE);
}

template <class F>
void replace(F& hook, F by) {
  if (by != nullptr) {
    __atomic_store_n(&hook, by, __ATOMIC_RELEASE);
  }
}

}  // namespace

PalImpl PalImpl::create(pal_emit_log_message_method emit_log_message,
                        const char* source_filename) {
  PalImpl impl;
  impl.emit_log_message = emit_log_message;
  impl.source_filename = source_filename;
  return impl;
}

PalImpl PalImpl::create(pal_init_method init, pal_abort_method abort,
                        pal_current_ticks_method current_ticks,
                        pal_ticks_to_ns_multiplier_method ticks_to_ns,
                        pal_emit_log_message_method emit_log_message,
                        pal_allocate_method allocate, pal_free_method free,
                        const char* source_filename) {
  return {init,     abort, current_ticks,  ticks_to_ns, emit_log_message,
          allocate, free,  source_filename};
}

bool register_pal(PalImpl impl) {
  replace(hooks.init, impl.init);
  replace(hooks.abort, impl.abort);
  replace(hooks.current_ticks, impl.current_ticks);
  replace(hooks.ticks_to_ns_multiplier, impl.ticks_to_ns_multiplier);
  replace(hooks.emit_log_message, impl.emit_log_message);
  replace(hooks.allocate, impl.allocate);
  replace(hooks.free, impl.free);
  replace(hooks.source_filename, impl.source_filename);
  return true;
}

const PalImpl* get_pal_impl() { return &hooks; }

void pal_init() { in_use(hooks.init)(); }

void pal_abort() {
  in_use(hooks.abort)();
  std::abort();  // a replaced hook has returned
}

et_timestamp_t pal_current_ticks() { return in_use(hooks.current_ticks)(); }

et_tick_ratio_t pal_ticks_to_ns_multiplier() {
  return in_use(hooks.ticks_to_ns_multiplier)();
}

void pal_emit_log_message(et_timestamp_t timestamp, et_pal_log_level_t level,
                          const char* filename, const char* function,
                          size_t line, const char* message, size_t length) {
  in_use(hooks.emit_log_message)(timestamp, level, filename, function, line,
                                 message, length);
}

void* pal_allocate(size_t size) { return in_use(hooks.allocate)(size); }

void pal_free(void* ptr) { in_use(hooks.free)(ptr); }

void runtime_abort() { pal_abort(); }

void runtime_init() { pal_init(); }

}  // namespace runtime
}  // namespace executorch
