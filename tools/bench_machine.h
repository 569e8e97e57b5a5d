// What one core of this machine can do at most: the marks for kernels.
#pragma once

#include <nlohmann/json.hpp>

namespace executorch::tools {

// {"fma_gmacs", "int8_gmacs", "l2_gbs", "l3_gbs", "dram_gbs"}: float32
// multiply-adds, products of int8 and reads, in billions per second.
nlohmann::json machine_peaks();

}  // namespace executorch::tools
