// The end of the process after a broken promise.
#pragma once

#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {

/// Ends the process through the abort hook of the platform layer. Thread safe.
ET_EXPORT ET_NORETURN void runtime_abort();

}  // namespace runtime
}  // namespace executorch
