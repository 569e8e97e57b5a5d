// Folding of constants: exporters write permute_copy(weight) before a product
// and dequantize(weight) before a convolution, to be done again in every run.
//
// A call is folded when its operator is one of ours and gives the same result
// for the same arguments, all arguments are constant, and nothing but later
// instructions can see that the result is not in its planned memory. Methods of
// one program share results.
#include <executorch/runtime/kernel/kernel_runtime_context.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "src/core/large_memory.h"
#include "src/method/build.h"
#include "src/method/constants.h"
#include "src/method/memory_use.h"
#include "src/method/views.h"

namespace executorch::method {

using registry::Op;
using runtime::Error;
using runtime::KernelRuntimeContext;

Constants::Constants(const Plan& plan, const Flow& flow)
    : by_value_(plan.values.size()) {
  const auto& stored = *plan.tables.values();
  for (size_t i = 0; i < by_value_.size(); ++i) {
    const fb::Tensor* tensor = stored[i]->val_as_Tensor();
    by_value_[i] = tensor != nullptr
                       ? is_constant_data(*tensor) && !flow.is_rebound(i)
                       : !flow.is_written(i) && !flow.is_rebound(i);
  }
  for (size_t i = 0; i < by_value_.size(); ++i) {
    bool all = true;
    for_each_element(plan.tables, i,
                     [&](size_t element) { all = all && by_value_[element]; });
    by_value_[i] = all;
  }
}

std::string Constants::identity_of(const void* data) const {
  const auto at = reinterpret_cast<uintptr_t>(data);
  for (const auto& [value, folded] : folded_) {
    const auto start = reinterpret_cast<uintptr_t>(folded.memory.get());
    if (start != 0 && at >= start && at - start < folded.nbytes) {
      return folded.identity + '+' + std::to_string(at - start);
    }
  }
  return {};
}

namespace {

// Looking at all tensors for each result shall stay cheap.
constexpr size_t kMaxFolds = 4096;

// A computation with a longer name is left alone.
constexpr size_t kMaxIdentity = 4096;

constexpr size_t kAlignment = 64;

// Operators whose results are not given by their arguments.
bool is_random(std::string_view name) {
  for (const std::string_view part : {"::rand", "::native_dropout", "empty"}) {
    if (name.find(part) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

class Folder {
 public:
  Folder(Plan& plan, const Flow& flow, size_t limit,
         const std::vector<const Op*>& ops, Constants& constants)
      : plan_(plan),
        flow_(flow),
        left_(limit),
        ops_(ops),
        constants_(constants),
        use_(plan) {}

  Error fold() {
    if (use_.jumps()) {
      return Error::Ok;
    }
    count_results();
    for (size_t pc = 0; pc < plan_.code.size(); ++pc) {
      if (!can_fold(pc)) {
        continue;
      }
      const bool is_transposed =
          can_be_transposed(plan_.code[pc], ops_[pc]->name);
      if (is_transposed || can_be_view(pc)) {
        make_view(pc, is_transposed);
      } else if (constants_.folded().size() < kMaxFolds &&
                 result_of(plan_.code[pc]).nbytes() <= left_) {
        fold_call(pc);
      }
    }
    return compute_results();
  }

 private:
  size_t value_of(const Instruction& instruction, size_t arg) const {
    return plan_.index_of(instruction.args[arg]);
  }

  void count_results() {
    num_writers_.assign(plan_.values.size(), 0);
    for (const Instruction& instruction : plan_.code) {
      for (size_t i = instruction.first_result; i < instruction.num_args; ++i) {
        for_each_element(plan_.tables, value_of(instruction, i),
                         [this](size_t value) { ++num_writers_[value]; });
      }
    }
  }

  // One result, whose out argument is the last one of the schema.
  bool can_fold(size_t pc) const {
    const Instruction& call = plan_.code[pc];
    const Op* op = ops_[pc];
    if (call.kind != Instruction::Kind::kKernel || op == nullptr ||
        call.check_memory || call.makes_view || op->num_args < 2 ||
        call.num_args != op->num_args + 1 ||
        call.args[call.num_args - 1] != call.args[call.num_args - 2] ||
        is_random(op->name)) {
      return false;
    }
    for (size_t i = 0; i + 1 < op->num_args; ++i) {
      if (!constants_.has(value_of(call, i))) {
        return false;
      }
    }
    const size_t out = value_of(call, call.num_args - 1);
    const fb::Tensor* tensor = plan_.tables.values()->Get(out)->val_as_Tensor();
    return tensor != nullptr && is_planned(*tensor) &&
           tensor->shape_dynamism() == fb::TensorShapeDynamism::STATIC &&
           tensor->extra_tensor_info() == nullptr && num_writers_[out] == 1 &&
           !flow_.is_rebound(out) && !use_.is_output(out) &&
           !use_.has_views(out, /*ignore_inputs=*/true);
  }

  aten::TensorImpl& result_of(const Instruction& call) const {
    return *plan_.tensors[value_of(call, call.num_args - 1)];
  }

  // Copies of constants of the program.
  bool can_be_view(size_t pc) const {
    const Instruction& call = plan_.code[pc];
    return constants_.folded().count(value_of(call, 0)) == 0 &&
           is_copy(plan_, call, ops_[pc]);
  }

  // Transposed ones, where whoever reads them takes any strides.
  bool can_be_transposed(const Instruction& call, std::string_view name) const {
    constexpr size_t kPermuteArgs = 4;
    if (name != "aten::permute_copy.out" || call.num_args != kPermuteArgs ||
        constants_.folded().count(value_of(call, 0)) > 0 ||
        plan_.tensors[value_of(call, 0)]->dim() != 2) {
      return false;
    }
    const auto dims = call.args[1]->tryToIntList();
    const size_t result = value_of(call, kPermuteArgs - 1);
    return dims.ok() && dims->size() == 2 && (*dims)[0] != (*dims)[1] &&
           ((*dims)[0] == 1 || (*dims)[0] == -1) &&
           ((*dims)[1] == 0 || (*dims)[1] == -2) &&
           takes_any_strides(result, &call);
  }

  bool takes_any_strides(size_t value, const Instruction* writer) const {
    bool all = true;
    for (size_t pc = 0; all && pc < plan_.code.size(); ++pc) {
      const Instruction& call = plan_.code[pc];
      const bool any_strides = call.kind == Instruction::Kind::kKernel &&
                               ops_[pc] != nullptr && ops_[pc]->any_strides;
      for (size_t i = 0; &call != writer && i < call.num_args; ++i) {
        for_each_element(plan_.tables, value_of(call, i), [&](size_t element) {
          all = all && (element != value || any_strides);
        });
      }
    }
    return all;
  }

  void make_view(size_t pc, bool is_transposed) {
    Instruction& call = plan_.code[pc];
    const aten::TensorImpl& from = *plan_.tensors[value_of(call, 0)];
    aten::TensorImpl& to = result_of(call);
    auto* strides = const_cast<aten::StridesType*>(to.strides().data());
    auto* order = const_cast<aten::DimOrderType*>(to.dim_order().data());
    for (size_t i = 0; is_transposed && i < 2; ++i) {
      strides[i] = from.strides()[1 - i];
      order[i] = 1 - from.dim_order()[i];
    }
    to.set_data(const_cast<void*>(from.data()));
    call.kind = Instruction::Kind::kNothing;
    plan_.done_by[pc] = Plan::kAtLoad;
    constants_.add(value_of(call, call.num_args - 1));
  }

  // Takes the call out of the runs; what needs its result computes it later.
  void fold_call(size_t pc) {
    Instruction& call = plan_.code[pc];
    const size_t out = value_of(call, call.num_args - 1);
    std::string identity = identity_of_call(call, ops_[pc]->name);
    if (identity.size() > kMaxIdentity) {
      return;
    }
    const size_t nbytes = result_of(call).nbytes();
    left_ -= nbytes;
    call.kind = Instruction::Kind::kNothing;
    plan_.done_by[pc] = Plan::kAtLoad;
    constants_.add(out, {std::move(identity), nbytes, &call, nullptr});
  }

  // Computes those results that the instructions which are left read.
  Error compute_results() {
    Error error = Error::Ok;
    for (const Instruction& instruction : plan_.code) {
      if (instruction.kind == Instruction::Kind::kNothing) {
        continue;
      }
      for (size_t i = 0; i < instruction.num_args; ++i) {
        for_each_element(plan_.tables, value_of(instruction, i),
                         [&](size_t value) {
                           if (error == Error::Ok) {
                             error = compute(value);
                           }
                         });
      }
    }
    return error;
  }

  // Computes a value, and before that what it is computed from.
  Error compute(size_t value) {
    const auto found = constants_.folded().find(value);
    if (found == constants_.folded().end() || found->second.memory != nullptr) {
      return Error::Ok;
    }
    Folded& folded = found->second;
    auto& shared = plan_.program.shared_states();
    folded.memory = shared.find(nullptr, folded.identity);
    Error error = Error::Ok;
    if (folded.memory == nullptr) {
      const Instruction& call = *folded.call;
      for (size_t i = 0; i + 2 < call.num_args; ++i) {
        for_each_element(plan_.tables, value_of(call, i), [&](size_t source) {
          if (error == Error::Ok) {
            error = compute(source);
          }
        });
      }
      ET_CHECK_OK_OR_RETURN_ERROR(error);
      folded.memory = shared.get(nullptr, folded.identity, [&] {
        return run(call, *plan_.tensors[value], &error);
      });
    }
    plan_.tensors[value]->set_data(const_cast<void*>(folded.memory.get()));
    return error;
  }

  // Runs one call with its result in new memory.
  std::shared_ptr<const void> run(const Instruction& call,
                                  aten::TensorImpl& result, Error* error) {
    void* memory = core::allocate_aligned(kAlignment,
                                          std::max<size_t>(result.nbytes(), 1));
    if (memory == nullptr) {
      ET_LOG(Error, "no memory for a constant of %zu bytes", result.nbytes());
      *error = Error::MemoryAllocationFailed;
      return nullptr;
    }
    std::shared_ptr<void> owner(memory, std::free);
    result.set_data(memory);
    KernelRuntimeContext context(nullptr, plan_.temp);
    call.kernel(context, call.arguments());
    plan_.temp->reset();
    *error = context.failure_state();
    return *error == Error::Ok ? owner : nullptr;
  }

  // Two calls of a program with the same identity give the same bytes.
  std::string identity_of_call(const Instruction& call, const char* name) {
    std::string text = name;
    for (size_t i = 0; i + 1 < call.num_args; ++i) {
      text += i == 0 ? '(' : ',';
      add_value(value_of(call, i), &text);
    }
    return text + ')';
  }

  void add_value(size_t value, std::string* text) {
    if (text->size() > kMaxIdentity) {
      return;
    }
    const fb::EValue& stored = *plan_.tables.values()->Get(value);
    if (stored.val_as_Tensor() != nullptr) {
      const auto folded = constants_.folded().find(value);
      const bool is_constant = constants_.has(value);
      if (folded != constants_.folded().end()) {
        *text += folded->second.identity;
      } else if (is_constant) {
        add_number(reinterpret_cast<uintptr_t>(plan_.tensors[value]->data()),
                   text);
      }
      add_layout(*plan_.tensors[value], text);
      return;
    }
    const EValue& number = plan_.values[value];
    const int64_t bits = number.isScalar() && !number.isBool()
                             ? number.payload.copyable_union.as_int
                             : (number.isBool() && number.toBool() ? 1 : 0);
    *text += '#' + std::to_string(static_cast<unsigned>(number.tag));
    add_number(bits, text);
    if (number.isString()) {
      text->append(number.toString());
    } else if (const auto* reals = stored.val_as_DoubleList()) {
      text->append(reinterpret_cast<const char*>(reals->items()->data()),
                   reals->items()->size() * sizeof(double));
    } else if (const auto* bools = stored.val_as_BoolList()) {
      text->append(reinterpret_cast<const char*>(bools->items()->data()),
                   bools->items()->size());
    } else if (const auto* tensors = stored.val_as_OptionalTensorList()) {
      for (const int32_t item : *tensors->items()) {
        *text += item < 0 ? '-' : '+';
      }
    }
    for_each_element(plan_.tables, value, [&](size_t element) {
      if (element != value) {
        add_value(element, text);
      }
    });
  }

  static void add_layout(const aten::TensorImpl& tensor, std::string* text) {
    *text += ':' + std::to_string(static_cast<int>(tensor.scalar_type()));
    for (ssize_t i = 0; i < tensor.dim(); ++i) {
      *text += '/' + std::to_string(tensor.size(i)) + '@' +
               std::to_string(tensor.strides()[i]);
    }
  }

  template <class T>
  static void add_number(T number, std::string* text) {
    *text += ' ' + std::to_string(number);
  }

  Plan& plan_;
  const Flow& flow_;
  size_t left_;  // bytes that may still be used
  const std::vector<const Op*>& ops_;
  Constants& constants_;
  const MemoryUse use_;
  std::vector<uint32_t> num_writers_;  // by value
};

}  // namespace

Error fold_constants(Plan& plan, const Flow& flow, const KernelOptions& options,
                     const std::vector<const Op*>& ops, Constants* constants) {
  return options.fold_limit == 0 || plan.is_watched()
             ? Error::Ok
             : Folder(plan, flow, options.fold_limit, ops, *constants).fold();
}

}  // namespace executorch::method
