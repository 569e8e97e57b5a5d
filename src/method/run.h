// Running a plan. See run.cpp.
#pragma once

#include <executorch/runtime/core/error.h>

#include "src/method/plan.h"

namespace executorch::method {

// All instructions, from the first on.
runtime::Error run_plan(Plan& plan);

// Checks inputs and outputs and goes to the first instruction.
runtime::Error start_run(Plan& plan);

// The next instruction; there is one.
runtime::Error step_plan(Plan& plan);

// Tells the tracer the outputs of a run that is over.
void trace_outputs(const Plan& plan);

}  // namespace executorch::method
