// The operator registry: rows in the order of registration and an index by
// name. A mutex guards both; nothing here runs while a method executes.
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/system.h>

#include <algorithm>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "src/registry/lookup.h"
#include "src/registry/register_op.h"

namespace executorch::registry {

using runtime::Error;
using runtime::Kernel;
using runtime::KernelKey;
using runtime::KernelRuntimeContext;
using runtime::OpFunction;
using runtime::Result;
using runtime::Span;
using runtime::TensorMeta;

namespace {

struct Row {
  Kernel kernel;  // as the public functions show it; strings are ours
  OpFunction given;
  const Op* op;
  const char* unusable;
};

// Stands in for every operator of a library that cannot run here.
void refuse(KernelRuntimeContext& ctx, Span<runtime::EValue*>) {
  ET_LOG(Error,
         "the operators of this library cannot run here: see the error that "
         "load_method gives, or unset EXECUTORCH_ISA");
  ctx.fail(Error::NotSupported);
}

// An operator in a message: its name, and the key if there is one.
std::string described(const char* name, const char* key) {
  return key == nullptr ? name : std::string(name) + " (key '" + key + "')";
}

const char* library_of(OpFunction fn) {
  const char* name =
      et_pal_get_shared_library_name(reinterpret_cast<const void*>(fn));
  return name != nullptr ? name : "the program";
}

class Registry {
 public:
  // Never destroyed: libraries unregister their rows while the process ends.
  static Registry& get() {
    static Registry& registry = *new Registry;
    return registry;
  }

  Error add(const Kernel& kernel, const Op* op, const char* unusable) {
    const char* name = kernel.name_;
    ET_CHECK_OR_RETURN_ERROR(name != nullptr && kernel.op_ != nullptr,
                             InvalidArgument,
                             "cannot register operator %s: it has no %s",
                             name != nullptr ? name : "(null)",
                             name == nullptr ? "name" : "function");
    if (const OpFunction taken = insert(kernel, op, unusable)) {
      ET_LOG(Error, "operator %s of %s is not registered: %s has it already",
             described(name, kernel.kernel_key_.data()).c_str(),
             library_of(kernel.op_), library_of(taken));
      return Error::RegistrationAlreadyRegistered;
    }
    return Error::Ok;
  }

  // Removes the rows of this name for which `is_gone` is true.
  template <class IsGone>
  void remove(const char* name, IsGone&& is_gone) {
    std::lock_guard lock(mutex_);
    const auto [first, last] = by_name_.equal_range(name);
    for (auto it = first; it != last;) {
      if (is_gone(*it->second)) {
        rows_.erase(it->second);
        it = by_name_.erase(it);
        is_current_ = false;
      } else {
        ++it;
      }
    }
  }

  Found find(const char* name, const char* key) {
    std::lock_guard lock(mutex_);
    const Row* row = exact(name, KernelKey(key));
    if (row == nullptr && key != nullptr) {
      row = exact(name, KernelKey());
    }
    return row != nullptr ? Found{row->kernel.op_, row->op, row->unusable}
                          : Found{};
  }

  Span<const Kernel> all() {
    std::lock_guard lock(mutex_);
    if (!is_current_) {
      // Somebody may still read the spans of before the removal.
      outdated_ = std::move(arrays_);
      arrays_.clear();
      published_ = capacity_ = 0;
      is_current_ = true;
    }
    if (rows_.size() > capacity_) {
      capacity_ = std::max<size_t>(512, 2 * rows_.size());
      arrays_.push_back(std::make_unique<Kernel[]>(capacity_));
      published_ = 0;
    }
    Kernel* kernels = arrays_.empty() ? nullptr : arrays_.back().get();
    for (; published_ < rows_.size(); ++published_) {
      last_ = published_ == 0 ? rows_.begin() : std::next(last_);
      kernels[published_] = last_->kernel;
    }
    return {kernels, published_};
  }

 private:
  // Returns null, or the function that has the name and key already. Logging is
  // left to the caller: a sink of the application may call the registry.
  OpFunction insert(const Kernel& kernel, const Op* op, const char* unusable) {
    std::lock_guard lock(mutex_);
    if (const Row* taken = exact(kernel.name_, kernel.kernel_key_)) {
      return taken->given;
    }
    const Kernel owned(keep(kernel.name_), keep(kernel.kernel_key_.data()),
                       unusable != nullptr ? &refuse : kernel.op_);
    rows_.push_back({owned, kernel.op_, op, keep(unusable)});
    by_name_.emplace(owned.name_, std::prev(rows_.end()));
    return nullptr;
  }

  const Row* exact(const char* name, const KernelKey& key) const {
    const auto [first, last] = by_name_.equal_range(name);
    for (auto it = first; it != last; ++it) {
      if (it->second->kernel.kernel_key_ == key) {
        return &*it->second;
      }
    }
    return nullptr;
  }

  // A copy that lives as long as the process, one per text: spans and methods
  // refer to it after its library is gone.
  const char* keep(const char* text) {
    return text == nullptr ? nullptr : texts_.emplace(text).first->c_str();
  }

  std::mutex mutex_;
  std::list<Row> rows_;
  std::unordered_multimap<std::string_view, std::list<Row>::iterator> by_name_;
  std::unordered_set<std::string> texts_;

  // What get_registered_kernels() gave out. New rows are appended behind the
  // end of earlier spans; a full array stays for them beside its successor.
  std::vector<std::unique_ptr<Kernel[]>> arrays_;
  std::vector<std::unique_ptr<Kernel[]>> outdated_;
  std::list<Row>::iterator last_;  // the last row in the array
  size_t published_ = 0;
  size_t capacity_ = 0;
  bool is_current_ = true;  // false after a removal
};

// Writes "v1/<dtype>;<dim>,<dim>|<dtype>;..." or, for no tensors, "". False
// when it does not fit or a number has more than two digits.
bool write_key(Span<const TensorMeta> metas, char* buf, size_t size) {
  size_t used = 0;
  const auto put = [&](const char* text, size_t length) {
    if (length >= size - used) {
      return false;
    }
    std::memcpy(buf + used, text, length);
    used += length;
    return true;
  };
  const auto put_number = [&](char lead, int value) {
    const char text[] = {lead, static_cast<char>('0' + value / 10),
                         static_cast<char>('0' + value % 10)};
    return value >= 0 && value < 100 && put(text, 1) &&
           (value < 10 ? put(text + 2, 1) : put(text + 1, 2));
  };

  if (buf == nullptr || size == 0) {
    return false;
  }
  bool fits = metas.size() == 0 || put("v1", 2);
  char lead = '/';
  for (const TensorMeta& meta : metas) {
    fits = fits && put_number(lead, static_cast<int>(meta.dtype_));
    lead = ';';
    for (const auto dim : meta.dim_order_) {
      fits = fits && put_number(lead, dim);
      lead = ',';
    }
    // A tensor without dimensions has its semicolon all the same.
    fits = fits && (meta.dim_order_.size() > 0 || put(";", 1));
    lead = '|';
  }
  buf[used] = '\0';
  return fits;
}

// The key for `metas`; no text when that is the fallback's, or when there is no
// valid key: then only the fallback can take the call.
struct KeyText {
  explicit KeyText(Span<const TensorMeta> metas)
      : valid(write_key(metas, buffer, sizeof buffer)),
        text(valid && metas.size() > 0 ? buffer : nullptr) {}
  char buffer[runtime::internal::kKernelKeyBufSize];
  bool valid;
  const char* text;
};

}  // namespace

Error register_ops(Span<const Op> ops, const char* unusable) {
  Error first = Error::Ok;
  for (const Op& op : ops) {
    const Error error =
        Registry::get().add(Kernel(op.name, op.call), &op, unusable);
    first = first == Error::Ok ? error : first;
  }
  return first;
}

void unregister_ops(Span<const Op> ops) {
  for (const Op& op : ops) {
    Registry::get().remove(op.name,
                           [&](const Row& row) { return row.op == &op; });
  }
}

Found find(const char* name, Span<const TensorMeta> metas) {
  return name == nullptr ? Found{}
                         : Registry::get().find(name, KeyText(metas).text);
}

Found find(const char* name, Span<const TensorMeta> metas,
           Span<const Kernel> kernels) {
  const KeyText key(metas);
  Found fallback;
  for (const Kernel& kernel : kernels) {
    if (name == nullptr || kernel.name_ == nullptr ||
        std::strcmp(kernel.name_, name) != 0) {
      continue;
    }
    if (kernel.kernel_key_ == KernelKey(key.text)) {
      return {kernel.op_, nullptr, nullptr};
    }
    if (kernel.kernel_key_.is_fallback()) {
      fallback.fn = kernel.op_;
    }
  }
  return fallback;
}

const char* component_of(const char* name) {
  static constexpr struct {
    std::string_view prefix;
    const char* target;
  } kComponents[] = {
      {"quantized_decomposed::", "executorch::kernels_quantized"},
      {"aten::", "executorch::kernels_optimized"},
      {"dim_order_ops::", "executorch::kernels_optimized"},
      {"et_copy::", "executorch::kernels_optimized"},
      {"llama::quantized_moe_ffn", "executorch::kernels_optimized"},
  };
  const std::string_view text = name != nullptr ? name : "";
  for (const auto& [prefix, target] : kComponents) {
    if (text.substr(0, prefix.size()) == prefix) {
      return target;
    }
  }
  return nullptr;
}

const char* component_to_link(const char* name) {
  const char* component = component_of(name);
  for (const char* sample :
       {"aten::add.out", "quantized_decomposed::add.out"}) {
    if (component == component_of(sample) && find(sample, {}).fn != nullptr) {
      return nullptr;
    }
  }
  return component;
}

}  // namespace executorch::registry

namespace executorch::runtime {

namespace {

Result<OpFunction> check_found(const char* name, Span<const TensorMeta> metas,
                               const registry::Found& found) {
  if (found.fn != nullptr) {
    return found.fn;
  }
  ET_CHECK_OR_RETURN_ERROR(name != nullptr, InvalidArgument,
                           "the name of the operator is null");
  const registry::KeyText key(metas);
  ET_CHECK_OR_RETURN_ERROR(key.valid, InvalidArgument,
                           "the tensors of operator %s have no kernel key",
                           name);
  const char* component = registry::component_to_link(name);
  ET_LOG(Error, "operator %s is not registered: %s%s",
         registry::described(name, key.text).c_str(),
         component != nullptr ? "link " : "register a kernel",
         component != nullptr ? component : "");
  return Error::OperatorMissing;
}

}  // namespace

bool registry_has_op_function(const char* name,
                              Span<const TensorMeta> meta_list) {
  return registry::find(name, meta_list).fn != nullptr;
}

Result<OpFunction> get_op_function_from_registry(
    const char* name, Span<const TensorMeta> meta_list) {
  return check_found(name, meta_list, registry::find(name, meta_list));
}

Result<OpFunction> get_op_function_from_registry(
    const char* name, Span<const TensorMeta> meta_list,
    Span<const Kernel> kernel_list) {
  return check_found(name, meta_list,
                     registry::find(name, meta_list, kernel_list));
}

Span<const Kernel> get_registered_kernels() {
  return registry::Registry::get().all();
}

Error register_kernels(const Span<const Kernel> kernels) {
  Error first = Error::Ok;
  for (const Kernel& kernel : kernels) {
    const Error error = registry::Registry::get().add(kernel, nullptr, nullptr);
    first = first == Error::Ok ? error : first;
  }
  return first;
}

void unregister_kernels(const Span<const Kernel> kernels) {
  for (const Kernel& kernel : kernels) {
    if (kernel.name_ == nullptr) {
      continue;
    }
    registry::Registry::get().remove(
        kernel.name_, [&](const registry::Row& row) {
          return row.op == nullptr && row.given == kernel.op_ &&
                 row.kernel.kernel_key_ == kernel.kernel_key_;
        });
  }
}

namespace internal {

Error make_kernel_key_string(Span<const TensorMeta> key, char* buf,
                             size_t buf_size) {
  ET_CHECK_OR_RETURN_ERROR(
      registry::write_key(key, buf, buf_size), InvalidArgument,
      "the key of %zu tensors does not fit into %zu bytes, or a dtype or "
      "dimension is not in 0..99",
      key.size(), buf_size);
  return Error::Ok;
}

}  // namespace internal

}  // namespace executorch::runtime
