// Start of the runtime.
#pragma once

#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {

/// Calls the init hook of the platform layer. The default hook needs no call;
/// calling more than once does no harm.
ET_EXPORT void runtime_init();

}  // namespace runtime
}  // namespace executorch
