// The text that goes with an Error.
#pragma once

#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {

/// The last error line that the calling thread has logged: what failed, where,
/// what was expected and what was found. Empty before the first one. It stays
/// until the next error of this thread, so look at it only after a call has
/// failed. The log level and the log sink do not matter. Never null; valid
/// until the next call into the runtime from this thread.
ET_EXPORT const char* last_error_message();

}  // namespace runtime
}  // namespace executorch
