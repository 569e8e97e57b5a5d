// Copies that nobody has to make: exporters write clone after permute, and
// expand before a product. The result of such a call is made a view of what it
// would copy.
#pragma once

#include <executorch/runtime/kernel/kernel_runtime_context.h>

#include <vector>

#include "src/method/constants.h"
#include "src/method/flow.h"
#include "src/method/plan.h"

namespace executorch::method {

// A kernel: copies its first argument to the second, which is alike.
void copy_tensor(runtime::KernelRuntimeContext& context, Span<EValue*> args);

// Whether dtype, sizes and layout are the same in all runs that resize both.
bool are_alike(const fb::Tensor& a, const fb::Tensor& b);

// Whether the call copies the elements of its first argument to its last one,
// in the same order and without converting them.
bool is_copy(const Plan& plan, const Instruction& call, const registry::Op* op);

// Takes copies of planned tensors out of the runs where nothing can show that
// their results are in the same memory as what they copy.
void make_views(Plan& plan, const Flow& flow, const Constants& constants,
                const std::vector<const registry::Op*>& ops);

}  // namespace executorch::method
