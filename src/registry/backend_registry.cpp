// The backend registry: a list in the order of registration. There are a
// handful of backends, so a name is looked for one by one.
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/platform/log.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace executorch::runtime {

namespace {

class Registry {
 public:
  // Never destroyed: libraries unregister their backends while the process
  // ends.
  static Registry& get() {
    static Registry& registry = *new Registry;
    return registry;
  }

  Error add(const Backend& backend) {
    ET_CHECK_OR_RETURN_ERROR(
        backend.name != nullptr && backend.backend != nullptr, InvalidArgument,
        "cannot register backend %s: it has no %s",
        backend.name != nullptr ? backend.name : "(null)",
        backend.name == nullptr ? "name" : "object");
    ET_CHECK_OR_RETURN_ERROR(
        insert(backend), InvalidArgument,
        "a backend named %s is registered already: the first one stays",
        backend.name);
    return Error::Ok;
  }

  void remove(const Backend& backend) {
    std::lock_guard lock(mutex_);
    const auto it = find(backend.name);
    if (it != backends_.end() && it->backend == backend.backend) {
      backends_.erase(it);
    }
  }

  BackendInterface* by_name(const char* name) {
    std::lock_guard lock(mutex_);
    const auto it = find(name);
    return it != backends_.end() ? it->backend : nullptr;
  }

  const char* name_at(size_t index) {
    std::lock_guard lock(mutex_);
    return index < backends_.size() ? backends_[index].name : nullptr;
  }

  size_t size() {
    std::lock_guard lock(mutex_);
    return backends_.size();
  }

 private:
  // False if the name is taken. Logging is left to the caller: a sink of the
  // application may call the registry.
  bool insert(const Backend& backend) {
    std::lock_guard lock(mutex_);
    if (find(backend.name) != backends_.end()) {
      return false;
    }
    // The name outlives the backend: get_backend_name() gives it out.
    const char* name = names_.emplace(backend.name).first->c_str();
    backends_.push_back({name, backend.backend});
    return true;
  }

  std::vector<Backend>::iterator find(const char* name) {
    return std::find_if(
        backends_.begin(), backends_.end(), [&](const Backend& b) {
          return name != nullptr && std::string_view(b.name) == name;
        });
  }

  std::mutex mutex_;
  std::vector<Backend> backends_;
  std::unordered_set<std::string> names_;
};

Result<BackendInterface*> backend_named(const char* name) {
  BackendInterface* backend = get_backend_class(name);
  ET_CHECK_OR_RETURN_ERROR(
      backend != nullptr, NotFound,
      "no backend named %s is registered: link the library that has it",
      name != nullptr ? name : "(null)");
  return backend;
}

}  // namespace

BackendInterface* get_backend_class(const char* name) {
  return Registry::get().by_name(name);
}

Error register_backend(const Backend& backend) {
  return Registry::get().add(backend);
}

void unregister_backend(const Backend& backend) {
  Registry::get().remove(backend);
}

size_t get_num_registered_backends() { return Registry::get().size(); }

Result<const char*> get_backend_name(size_t index) {
  const char* name = Registry::get().name_at(index);
  ET_CHECK_OR_RETURN_ERROR(name != nullptr, InvalidArgument,
                           "backend %zu is asked for, %zu are registered",
                           index, get_num_registered_backends());
  return name;
}

Error set_option(const char* backend_name,
                 const Span<BackendOption> backend_options) {
  ET_ASSIGN_OR_RETURN(backend, backend_named(backend_name));
  BackendOptionContext context;
  return backend->set_option(context, backend_options);
}

Error get_option(const char* backend_name,
                 Span<BackendOption> backend_options) {
  ET_ASSIGN_OR_RETURN(backend, backend_named(backend_name));
  BackendOptionContext context;
  return backend->get_option(context, backend_options);
}

}  // namespace executorch::runtime
