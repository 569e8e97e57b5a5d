// The times of XNNPACK's operators as events of a tracer.
#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/event_tracer.h>
#include <xnnpack.h>

namespace executorch::xnnpack {

// Logs what the last run of `runtime`, which was made for profiling and began
// at tick `begin`, took: an event "<operator> #<index>" for each operator.
runtime::Error log_operators(xnn_runtime_t runtime, et_timestamp_t begin,
                             runtime::EventTracer& tracer);

}  // namespace executorch::xnnpack
