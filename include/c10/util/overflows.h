#pragma once
#include <executorch/runtime/core/portable_type/safe_numerics.h>
