#include "src/xnnpack/profile.h"

#include <executorch/runtime/core/event_tracer_hooks_delegate.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/platform.h>

#include <cstring>
#include <string>
#include <vector>

namespace executorch::xnnpack {

using runtime::Error;

namespace {

template <class T>
xnn_status get(xnn_runtime_t runtime, xnn_profile_info what,
               std::vector<T>* values) {
  size_t bytes = 0;
  xnn_status status =
      xnn_get_runtime_profiling_info(runtime, what, 0, nullptr, &bytes);
  if (status == xnn_status_out_of_memory) {  // `bytes` are needed
    values->resize((bytes + sizeof(T) - 1) / sizeof(T));
    status = xnn_get_runtime_profiling_info(runtime, what, bytes,
                                            values->data(), &bytes);
  }
  return status;
}

et_timestamp_t ticks(uint64_t microseconds) {
  const et_tick_ratio_t ratio = runtime::pal_ticks_to_ns_multiplier();
  return microseconds * 1000 * ratio.denominator / ratio.numerator;
}

}  // namespace

Error log_operators(xnn_runtime_t runtime, et_timestamp_t begin,
                    runtime::EventTracer& tracer) {
  std::vector<char> names;  // one after another, each ends with 0
  std::vector<uint64_t> times;
  xnn_status status = get(runtime, xnn_profile_info_operator_name, &names);
  if (status == xnn_status_success) {
    status = get(runtime, xnn_profile_info_operator_timing, &times);
  }
  ET_CHECK_OR_RETURN_ERROR(status == xnn_status_success, Internal,
                           "XNNPACK gives no times of its operators: status %d",
                           static_cast<int>(status));
  const char* name = names.data();
  const char* const end = name + names.size();
  for (size_t i = 0; i < times.size() && name < end; ++i) {
    const size_t length = strnlen(name, static_cast<size_t>(end - name));
    const std::string event =
        std::string(name, length) + " #" + std::to_string(i);
    const et_timestamp_t stop = begin + ticks(times[i]);
    runtime::event_tracer_log_profiling_delegate(
        &tracer, event.c_str(),
        static_cast<runtime::DebugHandle>(runtime::kUnsetDelegateDebugIntId),
        begin, stop);
    name += length + 1;
    begin = stop;
  }
  return Error::Ok;
}

}  // namespace executorch::xnnpack
