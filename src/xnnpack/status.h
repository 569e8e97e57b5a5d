// The answers of XNNPACK, as errors of the runtime and as words.
#pragma once

#include <executorch/runtime/core/error.h>
#include <xnnpack.h>

namespace executorch::xnnpack {

inline runtime::Error error_of(xnn_status status) {
  using runtime::Error;
  return status == xnn_status_success                ? Error::Ok
         : status == xnn_status_unsupported_hardware ? Error::NotSupported
         : status == xnn_status_out_of_memory ? Error::MemoryAllocationFailed
                                              : Error::Internal;
}

inline const char* words_of(xnn_status status) {
  switch (status) {
    case xnn_status_invalid_parameter:
      return "a parameter is not valid";
    case xnn_status_unsupported_parameter:
      return "a parameter is not supported";
    case xnn_status_unsupported_hardware:
      return "this CPU cannot do it, as float16 on an old one";
    case xnn_status_out_of_memory:
      return "there is no memory";
    default:
      return "it is in a wrong state";
  }
}

}  // namespace executorch::xnnpack
