#pragma once
#include <executorch/runtime/core/portable_type/complex_math.h>
