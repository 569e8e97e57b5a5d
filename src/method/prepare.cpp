// State that operators make once for an instruction from what never changes.
#include <executorch/runtime/backend/options.h>
#include <executorch/runtime/executor/program.h>

#include <map>
#include <utility>

#include "src/method/build.h"
#include "src/method/constants.h"
#include "src/method/followers.h"
#include "src/method/views.h"

namespace executorch::method {

using registry::Op;
using registry::PreparedState;
using runtime::BackendOption;
using runtime::Error;

namespace {

Error read_options(const runtime::LoadBackendOptionsMap* map,
                   KernelOptions* options) {
  if (map == nullptr) {
    return Error::Ok;
  }
  const Span<const BackendOption> given =
      map->get_options(runtime::Program::kKernelOptions);
  int mebibytes = 0;
  const Error limit =
      runtime::internal::read_option(given, "fold_limit_mib", mebibytes);
  const Error prepare =
      runtime::internal::read_option(given, "prepare", options->prepare);
  ET_CHECK_OR_RETURN_ERROR(
      limit != Error::InvalidArgument && prepare != Error::InvalidArgument &&
          mebibytes >= 0,
      InvalidArgument,
      "options of kernels: prepare must be a bool, fold_limit_mib an int from "
      "0 on");
  if (limit == Error::Ok) {
    options->fold_limit = static_cast<size_t>(mebibytes) << 20;
  }
  return Error::Ok;
}

class Context final : public registry::PrepareContext {
 public:
  Context(Plan& plan, const Flow& flow, const Constants& constants,
          const std::vector<const Op*>& ops)
      : plan_(plan),
        flow_(flow),
        constants_(constants),
        followers_(plan, flow, constants, ops) {}

  void start(size_t pc) {
    instruction_ = &plan_.code[pc];
    followers_.start(pc);
  }
  void finish() { followers_.finish(); }

  bool is_constant(size_t index) const override {
    return constants_.has(value_of(index));
  }

  bool has_fixed_shape(size_t index) const override {
    const size_t value = value_of(index);
    const fb::Tensor* tensor =
        plan_.tables.values()->Get(value)->val_as_Tensor();
    return tensor == nullptr
               ? constants_.has(value)
               : tensor->shape_dynamism() == fb::TensorShapeDynamism::STATIC &&
                     !flow_.is_rebound(value);
  }

  bool is_read(size_t index) const override {
    return followers_.is_read(value_of(index));
  }

  PreparedState share(const void* source, const char* recipe,
                      const std::function<PreparedState()>& make) override {
    // Memory of a computed constant may be another one's later.
    std::string identity = constants_.identity_of(source);
    return identity.empty()
               ? plan_.program.shared_states().get(source, recipe, make)
               : plan_.program.shared_states().get(
                     nullptr, std::move(identity) + '|' + recipe, make);
  }

  void release(size_t index) override { ++released_[value_of(index)]; }

  std::string identity(const void* source) const override {
    const std::string computed = constants_.identity_of(source);
    return computed.empty()
               ? std::to_string(reinterpret_cast<uintptr_t>(source))
               : computed;
  }

  const registry::Follower* follower() override { return followers_.next(); }
  void absorb() override { followers_.absorb(); }

  // How many arguments of instructions do not need the data of a value.
  size_t num_released(size_t value) const {
    const auto found = released_.find(value);
    return found == released_.end() ? 0 : found->second;
  }

 private:
  size_t value_of(size_t index) const {
    return plan_.index_of(instruction_->args[index]);
  }

  const Plan& plan_;
  const Flow& flow_;
  const Constants& constants_;
  Followers followers_;
  const Instruction* instruction_ = nullptr;
  std::map<size_t, size_t> released_;
};

// The row of the kernel that instruction `pc` calls; null if there is none.
const Op* kernel_at(const Plan& plan, const std::vector<const Op*>& ops,
                    size_t pc) {
  const Instruction& call = plan.code[pc];
  return call.kind == Instruction::Kind::kKernel && call.kernel != copy_tensor
             ? ops[pc]
             : nullptr;
}

// Keeps the computed constants that are still needed; a call that looks at the
// memory of its arguments needs all of them.
Error keep_folded(Plan& plan, const Context& context, Constants& constants) {
  std::map<size_t, size_t> uses;
  for (const Instruction& instruction : plan.code) {
    if (instruction.kind == Instruction::Kind::kNothing) {
      continue;
    }
    const size_t count = instruction.check_memory ? 2 : 1;
    for (size_t i = 0; i < instruction.num_args; ++i) {
      for_each_element(plan.tables, plan.index_of(instruction.args[i]),
                       [&](size_t value) { uses[value] += count; });
    }
  }
  auto& all = constants.folded();
  for (auto it = all.begin(); it != all.end();) {
    if (uses[it->first] == context.num_released(it->first)) {
      plan.tensors[it->first]->set_data(nullptr);
      it = all.erase(it);
    } else {
      ++it;
    }
  }
  ET_CHECK_OK_OR_RETURN_ERROR(make(plan, all.size(), &plan.folded));
  size_t used = 0;
  for (auto& [value, folded] : all) {
    plan.folded[used++] = std::move(folded.memory);
  }
  return Error::Ok;
}

}  // namespace

Error prepare_kernels(Plan& plan, const Flow& flow, const BuildOptions& given,
                      const std::vector<const Op*>& ops) {
  KernelOptions options;
  ET_CHECK_OK_OR_RETURN_ERROR(read_options(given.backend_options, &options));
  if (!options.prepare) {
    return Error::Ok;
  }
  Constants constants(plan, flow);
  ET_CHECK_OK_OR_RETURN_ERROR(
      fold_constants(plan, flow, options, ops, &constants));
  size_t count = 0;
  for (size_t pc = 0; pc < ops.size(); ++pc) {
    const Op* op = kernel_at(plan, ops, pc);
    count += op != nullptr && op->prepare != nullptr ? 1 : 0;
  }
  ET_CHECK_OK_OR_RETURN_ERROR(make(plan, count, &plan.states));
  Context context(plan, flow, constants, ops);
  size_t used = 0;
  for (size_t pc = 0; pc < ops.size(); ++pc) {
    const Op* op = kernel_at(plan, ops, pc);
    if (op == nullptr) {
      continue;
    }
    context.start(pc);
    if (op->prepare != nullptr) {
      Instruction& instruction = plan.code[pc];
      PreparedState& state = plan.states[used++];
      state = op->prepare(context, instruction.arguments());
      instruction.state = state.get();
    }
    context.finish();
  }
  make_views(plan, flow, constants, ops);
  return keep_folded(plan, context, constants);
}

}  // namespace executorch::method
