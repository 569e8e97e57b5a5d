// Public path of Device, DeviceType and DeviceIndex.
#pragma once

#include <executorch/runtime/core/portable_type/tensor_options.h>
