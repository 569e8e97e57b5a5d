// Which options each backend gets when a program is loaded.
#pragma once

#include <executorch/runtime/backend/options.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/span.h>

#include <cstddef>
#include <cstring>
#include <utility>

namespace executorch {
namespace runtime {

/// Options by backend name, given to Module::load(). At most 16 backends.
///
/// The names are copied, the options are not: they must outlive this object and
/// the methods loaded with it. (Module::load() makes a copy of its own.)
/// Not thread safe.
///
///     BackendOptions<1> options;
///     options.set_option("num_threads", 4);
///     LoadBackendOptionsMap map;
///     map.set_options("XnnpackBackend", options.view());
///     module.load(map);
class LoadBackendOptionsMap final {
 public:
  LoadBackendOptionsMap() = default;

  /// Sets the options of a backend, or replaces them.
  ///
  /// @retval InvalidArgument `backend_id` is null, empty or longer than 63
  ///     characters, or there are 16 other backends already.
  Error set_options(const char* backend_id, Span<BackendOption> options) {
    if (backend_id == nullptr || backend_id[0] == '\0' ||
        std::strlen(backend_id) >= kMaxBackendIdLength) {
      return Error::InvalidArgument;
    }
    Entry* entry = find(backend_id);
    if (entry == nullptr) {
      if (size_ == kMaxBackends) {
        return Error::InvalidArgument;
      }
      entry = &entries_[size_++];
      std::strncpy(entry->backend_id, backend_id, kMaxBackendIdLength - 1);
    }
    entry->options = options;
    return Error::Ok;
  }

  /// The same for an object with `backend_id()` and `view()`.
  template <typename Builder>
  Error set_options(Builder& builder) {
    return set_options(builder.backend_id(), builder.view());
  }

  /// The options of a backend; empty when it has none here.
  Span<const BackendOption> get_options(const char* backend_id) const {
    const Entry* entry = find(backend_id);
    return entry == nullptr ? Span<const BackendOption>() : entry->view();
  }

  bool has_options(const char* backend_id) const {
    return find(backend_id) != nullptr;
  }

  /// The number of backends that have options.
  size_t size() const { return size_; }

  struct EntryView {
    const char* backend_id = nullptr;
    Span<const BackendOption> options;
  };

  /// Backend number `index` in the order of insertion; an empty view with a
  /// null name when there is none. Refers to this object.
  EntryView entry_at(size_t index) const {
    if (index >= size_) {
      return {};
    }
    return {entries_[index].backend_id, entries_[index].view()};
  }

 private:
  static constexpr size_t kMaxBackends = 16;
  static constexpr size_t kMaxBackendIdLength = 64;

  struct Entry {
    char backend_id[kMaxBackendIdLength]{};
    Span<BackendOption> options;
    Span<const BackendOption> view() const {
      return Span<const BackendOption>(options.data(), options.size());
    }
  };

  const Entry* find(const char* backend_id) const {
    for (size_t i = 0; backend_id != nullptr && i < size_; ++i) {
      if (std::strcmp(entries_[i].backend_id, backend_id) == 0) {
        return &entries_[i];
      }
    }
    return nullptr;
  }
  Entry* find(const char* backend_id) {
    return const_cast<Entry*>(std::as_const(*this).find(backend_id));
  }

  Entry entries_[kMaxBackends];
  size_t size_ = 0;
};

}  // namespace runtime
}  // namespace executorch
