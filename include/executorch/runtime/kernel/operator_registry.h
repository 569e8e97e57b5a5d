// The process-wide table of operators: which function computes
// "aten::add.out".
//
// Kernel libraries fill it when they are loaded; methods read it when they are
// loaded. An operator may have several kernels: at most one without a key,
// which takes every call (the fallback), and one per key for the dtypes and dim
// orders that the key names. All functions here may be called from any thread.
#pragma once

#include <executorch/runtime/core/array_ref.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstddef>
#include <cstring>

// Log a KernelKey, or a range of TensorMeta.
#define ET_LOG_KERNEL_KEY(k)                  \
  ET_LOG(Info, "key: %s, is_fallback: %s",    \
         (k).is_fallback() ? "" : (k).data(), \
         (k).is_fallback() ? "true" : "false")
#define ET_LOG_TENSOR_META(meta_list)                            \
  for (const auto& et_meta : meta_list) {                        \
    ET_LOG(Info, "dtype: %d", static_cast<int>(et_meta.dtype_)); \
    for (const auto et_dim : et_meta.dim_order_) {               \
      ET_LOG(Info, "dim: %d", static_cast<int>(et_dim));         \
    }                                                            \
  }

namespace executorch {
namespace runtime {

class KernelRuntimeContext;

/// A kernel as the runtime calls it. The stack holds the arguments in schema
/// order, out arguments last, then one slot per returned value. A kernel
/// reports failure through KernelRuntimeContext::fail().
using OpFunction = void (*)(KernelRuntimeContext&, Span<EValue*>);

/// What a kernel key says about one tensor argument.
struct TensorMeta {
  executorch::aten::ScalarType dtype_;
  Span<executorch::aten::DimOrderType> dim_order_;

  TensorMeta() = default;
  /// @param order Not copied: it must outlive this object.
  TensorMeta(executorch::aten::ScalarType dtype,
             Span<executorch::aten::DimOrderType> order)
      : dtype_(dtype), dim_order_(order) {}

  bool equals(const TensorMeta& other) const {
    return dtype_ == other.dtype_ &&
           dim_order_.size() == other.dim_order_.size() &&
           (dim_order_.size() == 0 ||
            std::memcmp(dim_order_.data(), other.dim_order_.data(),
                        dim_order_.size()) == 0);
  }
  bool operator==(const TensorMeta& other) const { return equals(other); }
  bool operator!=(const TensorMeta& other) const { return !equals(other); }
};

/// The dtypes and dim orders that a kernel is made for, as text:
/// "v1/<dtype>;<dim>,<dim>,...|<dtype>;..." with one group per tensor argument
/// and decimal numbers, e.g. "v1/6;0,1|4;0,1" for a float and a long matrix.
/// A default-constructed key is that of the fallback.
struct KernelKey {
  constexpr KernelKey() = default;
  /// @param kernel_key_data Not copied; null makes a fallback key.
  /* implicit */ constexpr KernelKey(const char* kernel_key_data)
      : kernel_key_data_(kernel_key_data) {}

  bool is_fallback() const { return kernel_key_data_ == nullptr; }

  /// The text, or null for the fallback.
  const char* data() const { return kernel_key_data_; }

  bool equals(const KernelKey& other) const {
    if (is_fallback() || other.is_fallback()) {
      return is_fallback() == other.is_fallback();
    }
    return std::strcmp(kernel_key_data_, other.kernel_key_data_) == 0;
  }
  bool operator==(const KernelKey& other) const { return equals(other); }
  bool operator!=(const KernelKey& other) const { return !equals(other); }

 private:
  const char* kernel_key_data_ = nullptr;
};

/// One kernel: an operator name with its overload ("aten::add.out"), the calls
/// it is made for, and the function. Owns nothing; the registry copies the
/// strings when the kernel is registered.
struct Kernel {
  const char* name_;
  KernelKey kernel_key_;
  OpFunction op_;

  constexpr Kernel() : name_(nullptr), op_(nullptr) {}
  constexpr explicit Kernel(const char* name, OpFunction func)
      : name_(name), op_(func) {}
  constexpr explicit Kernel(const char* name, KernelKey key, OpFunction func)
      : name_(name), kernel_key_(key), op_(func) {}
};

namespace internal {

/// Room for the key of 16 tensors with 16 dimensions, with its final NUL.
constexpr size_t kKernelKeyBufSize = 659;

/// Writes the key text for these tensors, or "" for none.
///
/// @retval InvalidArgument `buf` is too small, or a dtype or dimension has more
///     than two digits.
ET_EXPORT Error make_kernel_key_string(Span<const TensorMeta> key, char* buf,
                                       size_t buf_size);

}  // namespace internal

/// Whether get_op_function_from_registry() would find a kernel. Logs nothing.
ET_EXPORT bool registry_has_op_function(const char* name,
                                        Span<const TensorMeta> meta_list = {});

/// The kernel of operator `name` for tensors like these: the one whose key says
/// exactly that, else the fallback.
///
/// @param meta_list One entry per tensor argument, in order. Empty: the
///     fallback.
/// @retval OperatorMissing There is neither; the log line says which component
///     of the SDK has the operator, if one does.
/// @retval InvalidArgument `name` is null, or there is no fallback and the
///     tensors have no valid key.
///
/// An operator that cannot run in this process (EXECUTORCH_ISA names an
/// instruction set the CPU lacks) has a function that fails its context with
/// NotSupported.
ET_EXPORT Result<OpFunction> get_op_function_from_registry(
    const char* name, Span<const TensorMeta> meta_list = {});

/// As above, from `kernel_list` and not from the registry.
ET_EXPORT Result<OpFunction> get_op_function_from_registry(
    const char* name, Span<const TensorMeta> meta_list,
    Span<const Kernel> kernel_list);

/// All registered kernels in the order of registration. The span stays as it is
/// while kernels are added, and may be gone when some are taken out. The
/// strings live as long as the process, a function as long as its library.
ET_EXPORT Span<const Kernel> get_registered_kernels();

/// Adds kernels. The names and keys are copied. One that cannot be added is
/// left out with an error line; the others are added.
///
/// @retval InvalidArgument A kernel has no name or no function.
/// @retval RegistrationAlreadyRegistered The name with this key is taken. The
///     first one stays.
/// With several faults, the first of them.
ET_NODISCARD ET_EXPORT Error register_kernels(const Span<const Kernel> kernels);

/// Adds one kernel; see register_kernels().
ET_NODISCARD inline Error register_kernel(const Kernel& kernel) {
  return register_kernels({&kernel, 1});
}

/// Takes kernels out again whose name, key and function are these, for a
/// library that is unloaded. Others are left alone. Methods that were loaded
/// before keep their function pointers.
ET_EXPORT void unregister_kernels(const Span<const Kernel> kernels);

}  // namespace runtime
}  // namespace executorch

// Names of earlier releases.
namespace torch {
namespace executor {
using ::executorch::runtime::Kernel;
using ::executorch::runtime::KernelKey;
using ::executorch::runtime::KernelRuntimeContext;
using ::executorch::runtime::OpFunction;
using ::executorch::runtime::TensorMeta;

inline ::executorch::runtime::Error register_kernels(
    ::executorch::runtime::ArrayRef<Kernel> kernels) {
  return ::executorch::runtime::register_kernels(
      {kernels.data(), kernels.size()});
}

/// Aborts when there is no such operator: ask hasOpsFn() first.
inline OpFunction getOpsFn(
    const char* name,
    ::executorch::runtime::ArrayRef<TensorMeta> meta_list = {}) {
  const auto found = ::executorch::runtime::get_op_function_from_registry(
      name, {meta_list.data(), meta_list.size()});
  ET_CHECK(found.ok());
  return *found;
}

inline bool hasOpsFn(
    const char* name,
    ::executorch::runtime::ArrayRef<TensorMeta> meta_list = {}) {
  return ::executorch::runtime::registry_has_op_function(
      name, {meta_list.data(), meta_list.size()});
}

inline ::executorch::runtime::ArrayRef<Kernel> get_kernels() {
  const auto kernels = ::executorch::runtime::get_registered_kernels();
  return {kernels.data(), kernels.size()};
}
}  // namespace executor
}  // namespace torch
