// Inputs of a method. See inputs.cpp.
#pragma once

#include <executorch/runtime/core/error.h>

#include "src/method/flow.h"
#include "src/method/plan.h"

namespace executorch::method {

// See Method::set_input() and, with `lend`, Method::bind_input().
runtime::Error set_input(Plan& plan, const EValue& value, size_t index,
                         bool lend);

// Lets go of memory that was lent for the run that is over.
void end_loans(Plan& plan);

// Sets may_bind and is_overwritten of the inputs. See binding.cpp.
void find_bindable_inputs(Plan& plan, const Flow& flow);

}  // namespace executorch::method
