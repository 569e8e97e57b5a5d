#pragma once
#include <executorch/runtime/core/portable_type/bfloat16_math.h>
