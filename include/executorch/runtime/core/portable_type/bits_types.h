// Public path of the packed bit types.
#pragma once

#include <executorch/runtime/core/portable_type/storage_types.h>
