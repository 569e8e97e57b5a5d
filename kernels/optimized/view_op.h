// How an operator that only moves elements becomes a kernel.
//
// It is a function that turns a view of the input into a view of the result:
//
//   Error fn(ConstView& v, args in schema order...);
//   view_op<fn>("aten::name.out")   // its row
#pragma once

#include "kernels/common/checks.h"
#include "kernels/common/op.h"
#include "kernels/common/strided.h"

namespace executorch::kernels {

template <auto Fn>
struct ViewOp;
template <class... A, Error (*Fn)(ConstView&, A...)>
struct ViewOp<Fn> {
  static Error run(KernelRuntimeContext&, const Tensor& self, A... args,
                   Tensor& out) {
    ConstView v = view(self);
    ET_CHECK_OK_OR_RETURN_ERROR(Fn(v, args...));
    return deliver(v, self.scalar_type(), out);
  }
};

template <auto Fn>
constexpr Op view_op(const char* name) {
  return op<kEveryDtype, ViewOp<Fn>::run>(name);
}

}  // namespace executorch::kernels
