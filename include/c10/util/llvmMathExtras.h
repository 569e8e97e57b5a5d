#pragma once
#include <executorch/runtime/core/portable_type/bit_math.h>
