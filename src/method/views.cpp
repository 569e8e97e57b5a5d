#include "src/method/views.h"

#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <algorithm>
#include <cstring>

#include "src/core/parallel.h"
#include "src/method/blocks.h"

namespace executorch::method {

using registry::Copies;
using registry::Op;
using runtime::Error;
using runtime::KernelRuntimeContext;

void copy_tensor(KernelRuntimeContext& context, Span<EValue*> args) {
  const aten::Tensor& from = args[0]->toTensor();
  aten::Tensor& to = args[1]->toTensor();
  const Error error = runtime::resize_tensor(to, from.sizes());
  if (error != Error::Ok) {
    return context.fail(error);
  }
  auto* const to_bytes = static_cast<char*>(to.mutable_data_ptr());
  const auto* const from_bytes =
      static_cast<const char*>(from.const_data_ptr());
  constexpr int64_t kGrainBytes = 64 * 1024;
  core::parallel_chunks(static_cast<int64_t>(from.nbytes()), kGrainBytes,
                        [=](int64_t begin, int64_t end) {
                          std::memcpy(to_bytes + begin, from_bytes + begin,
                                      static_cast<size_t>(end - begin));
                        });
}

namespace {

// Of a program, where tensors have the largest sizes that they may get.
const fb::Tensor* tensor_at(const Plan& plan, const EValue* value) {
  return plan.tables.values()->Get(plan.index_of(value))->val_as_Tensor();
}

bool has_rows(const fb::Tensor& tensor) {
  const auto& order = *tensor.dim_order();
  return tensor.shape_dynamism() == fb::TensorShapeDynamism::STATIC &&
         std::is_sorted(order.begin(), order.end());
}

}  // namespace

bool are_alike(const fb::Tensor& a, const fb::Tensor& b) {
  const auto equal = [](const auto& x, const auto& y) {
    return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin());
  };
  return a.scalar_type() == b.scalar_type() && equal(*a.sizes(), *b.sizes()) &&
         equal(*a.dim_order(), *b.dim_order()) &&
         a.shape_dynamism() == b.shape_dynamism();
}

bool is_copy(const Plan& plan, const Instruction& call, const Op* op) {
  if (call.kind != Instruction::Kind::kKernel || call.check_memory) {
    return false;
  }
  if (call.kernel == copy_tensor) {
    return true;
  }
  if (op == nullptr || op->copies == Copies::kNothing) {
    return false;
  }
  const fb::Tensor* from = tensor_at(plan, call.args[0]);
  const fb::Tensor* to = tensor_at(plan, call.args[call.num_args - 1]);
  if (from == nullptr || to == nullptr) {
    return false;
  }
  const bool same_sizes =
      op->copies == Copies::kTensor ||
      from->shape_dynamism() == fb::TensorShapeDynamism::STATIC;
  return (same_sizes && are_alike(*from, *to)) ||
         (has_rows(*from) && has_rows(*to) &&
          from->scalar_type() == to->scalar_type() &&
          tensor_nbytes(*from) == tensor_nbytes(*to));
}

namespace {

// Looking at all blocks for each copy shall stay cheap.
constexpr size_t kMaxCopies = 4096;

// One copy that is gone may let another one go.
constexpr int kRounds = 3;

class Views {
 public:
  Views(Plan& plan, const Flow& flow, const Constants& constants,
        const std::vector<const Op*>& ops)
      : plan_(plan), flow_(flow), constants_(constants), ops_(ops) {}

  void make() {
    for (size_t pc = 0; pc < plan_.code.size(); ++pc) {
      if (copies_.size() < kMaxCopies && can_go(pc)) {
        copies_.push_back(pc);
      }
    }
    if (copies_.empty()) {
      return;
    }
    Blocks blocks(plan_, flow_, constants_, ops_);
    for (int round = 0; blocks.are_known() && round < kRounds; ++round) {
      for (const size_t pc : copies_) {
        if (plan_.code[pc].kind == Instruction::Kind::kKernel &&
            make_view(blocks, pc)) {
          remove(blocks, pc);
        }
      }
    }
  }

 private:
  bool can_go(size_t pc) const {
    const Instruction& call = plan_.code[pc];
    if (!is_copy(plan_, call, ops_[pc])) {
      return false;
    }
    const size_t num_inputs = num_input_args(plan_, call);
    for (size_t i = 1; i < num_inputs; ++i) {
      if (!constants_.has(plan_.index_of(call.args[i]))) {
        return false;
      }
    }
    const size_t from = source_of(pc);
    const size_t to = result_of(pc);
    return num_inputs > 0 && !constants_.has(from) && !constants_.has(to) &&
           !flow_.is_rebound(from) && !flow_.is_rebound(to);
  }

  size_t source_of(size_t pc) const {
    return plan_.index_of(plan_.code[pc].args[0]);
  }
  size_t result_of(size_t pc) const {
    const Instruction& call = plan_.code[pc];
    return plan_.index_of(call.args[call.num_args - 1]);
  }

  // Whether each is written only when the other is not needed any more.
  static bool can_share(const Blocks& blocks, const Block& from,
                        const Block& to, size_t time) {
    return &from != &to && to.first == time &&
           !blocks.is_written(to, time, from.last) &&
           !blocks.is_written(from, time, to.last) && !from.holds_input &&
           !(to.is_output && (from.is_output || from.is_state));
  }

  // The place of the source is free as long as the result is needed, or that
  // of the result as soon as the source is.
  bool make_view(Blocks& blocks, size_t pc) {
    Block& from = blocks.of(source_of(pc));
    Block& to = blocks.of(result_of(pc));
    if (!can_share(blocks, from, to, pc + 1)) {
      return false;
    }
    if (to.place.buffer == 0) {
      return give_to_caller(blocks, from, to, pc);
    }
    if (from.place.buffer == 0 || to.is_fixed || !are_aligned(pc)) {
      return false;
    }
    if (!blocks.is_free(from.place, from, to, to.is_output)) {
      if (from.is_fixed ||
          !blocks.is_free(to.place, from, to, from.is_output)) {
        return false;
      }
      set_data(blocks, from, plan_.tensors[result_of(pc)]->mutable_data());
      from.place = to.place;
    }
    set_data(blocks, to, plan_.tensors[source_of(pc)]->mutable_data());
    if (plan_.tensors[source_of(pc)]->shape_dynamism() !=
        aten::TensorShapeDynamism::STATIC) {
      unite(plan_.values[source_of(pc)], plan_.values[result_of(pc)]);
    }
    return true;
  }

  // Makes two tensors of the same sizes one, also where one was shown before.
  void unite(const EValue& from, const EValue& to) {
    const aten::Tensor source = from.toTensor();
    const auto* result = to.toTensor().unsafeGetTensorImpl();
    for (EValue& value : plan_.values) {
      if (value.isTensor() &&
          value.toTensor().unsafeGetTensorImpl() == result) {
        value = EValue(source);
      }
    }
  }

  // Also for views with larger elements.
  bool are_aligned(size_t pc) const {
    constexpr uintptr_t kLargestElement = 16;
    const auto address = [this](size_t value) {
      return reinterpret_cast<uintptr_t>(plan_.tensors[value]->data());
    };
    return (address(source_of(pc)) - address(result_of(pc))) %
               kLargestElement ==
           0;
  }

  static void set_data(const Blocks& blocks, const Block& block, void* data) {
    blocks.for_each_tensor(
        block, [data](aten::TensorImpl& tensor) { tensor.set_data(data); });
  }

  // What makes the source makes an output in memory of the caller, unless that
  // may be the memory of an input which is still needed.
  bool give_to_caller(const Blocks& blocks, Block& from, const Block& to,
                      size_t pc) {
    size_t num_tensors = 0;
    blocks.for_each_tensor(from,
                           [&](const aten::TensorImpl&) { ++num_tensors; });
    const size_t source = source_of(pc);
    const size_t result = result_of(pc);
    if (!to.is_output || from.is_fixed || from.is_output || num_tensors != 1 ||
        blocks.last_use_of_inputs() >= from.first ||
        !are_alike(*tensor_at(plan_, &plan_.values[source]),
                   *tensor_at(plan_, &plan_.values[result]))) {
      return false;
    }
    from.place = {};
    unite(plan_.values[result], plan_.values[source]);
    return true;
  }

  void remove(Blocks& blocks, size_t pc) {
    const Block& from = blocks.of(source_of(pc));
    const size_t writer = blocks.last_write(from, pc);
    std::replace(plan_.done_by.begin(), plan_.done_by.end(),
                 static_cast<uint32_t>(pc),
                 writer == 0 ? Plan::kAtLoad : plan_.done_by[writer - 1]);
    plan_.code[pc].kind = Instruction::Kind::kNothing;
    blocks.join(from, blocks.of(result_of(pc)));
  }

  Plan& plan_;
  const Flow& flow_;
  const Constants& constants_;
  const std::vector<const Op*>& ops_;
  std::vector<size_t> copies_;  // pcs
};

}  // namespace

void make_views(Plan& plan, const Flow& flow, const Constants& constants,
                const std::vector<const Op*>& ops) {
  if (!plan.is_watched()) {
    Views(plan, flow, constants, ops).make();
  }
}

}  // namespace executorch::method
