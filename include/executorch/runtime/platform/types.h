// Plain types of the platform layer.
#pragma once

#include <executorch/runtime/platform/compiler.h>
#include <stdint.h>

extern "C" {

/// A point in time in ticks of the platform clock, see
/// et_pal_ticks_to_ns_multiplier().
typedef uint64_t et_timestamp_t;

}  // extern "C"
