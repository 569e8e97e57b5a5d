// A kernel library for operator_registry_test.cpp: registers one operator in
// each of the two ways.
#include <executorch/extension/kernel_util/make_boxed_from_unboxed_functor.h>

#include "src/registry/register_op.h"

namespace {

using executorch::aten::Tensor;
using executorch::registry::Op;
using executorch::runtime::EValue;
using executorch::runtime::KernelRuntimeContext;
using executorch::runtime::Span;

const Op kOps[] = {{"unload::row.out",
                    [](KernelRuntimeContext&, Span<EValue*>) {}, nullptr, 0,
                    nullptr}};

struct Rows {
  Rows() { (void)executorch::registry::register_ops({kOps, 1}, nullptr); }
  ~Rows() { executorch::registry::unregister_ops({kOps, 1}); }
} rows;

Tensor& identity(const Tensor&, Tensor& out) { return out; }
EXECUTORCH_LIBRARY(unload, "public.out", identity);

}  // namespace
