#pragma once
#include <executorch/runtime/core/portable_type/reduced_float.h>
