// Public path of the quantized integer types.
#pragma once

#include <executorch/runtime/core/portable_type/storage_types.h>
