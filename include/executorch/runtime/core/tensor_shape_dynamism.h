// Public path of TensorShapeDynamism.
#pragma once

#include <executorch/runtime/core/portable_type/tensor_options.h>
