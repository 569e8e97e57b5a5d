// Old spellings that existing code still uses. Every public header gets this
// one through platform/compiler.h; new code needs nothing of it.
//
// A namespace that nominates another one shows whatever that one declares, so
// nothing has to be listed here and no header has to be included first. Names
// which such a namespace declares itself hide the nominated ones.
#pragma once

namespace executorch {
namespace runtime {
namespace etensor {
namespace internal {}
}  // namespace etensor
namespace internal {}
}  // namespace runtime
namespace aten {}
namespace extension {}
}  // namespace executorch

/// Deprecated: use executorch::aten.
namespace exec_aten = ::executorch::aten;

namespace torch {
/// Deprecated: use executorch::runtime and executorch::aten.
namespace executor {
using namespace ::executorch::runtime;
using namespace ::executorch::runtime::etensor;
namespace internal {
using namespace ::executorch::runtime::internal;
}  // namespace internal
/// Deprecated: use executorch::extension.
namespace util {
using namespace ::executorch::extension;
}  // namespace util
}  // namespace executor
namespace headeronly {
using namespace ::executorch::runtime::etensor;
namespace detail {
using namespace ::executorch::runtime::etensor::internal;
}  // namespace detail
}  // namespace headeronly
}  // namespace torch

/// Deprecated: number types and helpers under the name of PyTorch's base
/// library. In a program that has that library too, its own types win.
namespace c10 {
using namespace ::executorch::runtime::etensor;
namespace detail {
using namespace ::executorch::runtime::etensor::internal;
}  // namespace detail
}  // namespace c10

/// The namespace of the runtime; there is only one.
#ifndef ET_RUNTIME_NAMESPACE
#define ET_RUNTIME_NAMESPACE runtime
#endif

#define __ET_DEPRECATED ET_DEPRECATED
#define __ET_FALLTHROUGH ET_FALLTHROUGH
#define __ET_FUNCTION ET_FUNCTION
#define __ET_HAVE_GNU_STATEMENT_EXPRESSIONS ET_HAVE_GNU_STATEMENT_EXPRESSIONS
#define __ET_INLINE ET_INLINE
#define __ET_LIKELY ET_LIKELY
#define __ET_LINE ET_LINE
#define __ET_NODISCARD ET_NODISCARD
#define __ET_NOINLINE ET_NOINLINE
#define __ET_NORETURN ET_NORETURN
#define __ET_PRINTFLIKE ET_PRINTFLIKE
#define __ET_SHORT_FILENAME ET_SHORT_FILENAME
#define __ET_UNLIKELY ET_UNLIKELY
#define __ET_UNREACHABLE ET_UNREACHABLE
#define __ET_UNUSED ET_UNUSED
#define __ET_WEAK ET_WEAK
