// Ticks of the platform clock as nanoseconds.
#pragma once

#include <executorch/runtime/platform/platform.h>

namespace executorch {
namespace runtime {

/// Nanoseconds in `ticks`, rounded down.
inline uint64_t ticks_to_ns(et_timestamp_t ticks) {
  const et_tick_ratio_t ratio = pal_ticks_to_ns_multiplier();
  return ticks * ratio.numerator / ratio.denominator;
}

}  // namespace runtime
}  // namespace executorch
