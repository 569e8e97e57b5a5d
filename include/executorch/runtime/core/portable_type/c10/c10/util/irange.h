#pragma once
#include <executorch/runtime/core/portable_type/irange.h>
