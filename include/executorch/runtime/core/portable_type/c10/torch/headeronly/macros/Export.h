#pragma once
#include <executorch/runtime/core/portable_type/c10_macros.h>
