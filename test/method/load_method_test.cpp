// Loading a method: what it needs, what it refuses, what operators prepare.
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/runtime/backend/backend_options_map.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <gtest/gtest.h>

#include <cstring>

#include "src/registry/register_op.h"
#include "test/support/loaded_method.h"

namespace executorch::test {
namespace {

using extension::BufferDataLoader;
using extension::FlatTensorDataMap;
using registry::Op;
using registry::PrepareContext;
using registry::PreparedState;
using registry::tag_bit;
using registry::TagSet;
using runtime::Error;
using runtime::EValue;
using runtime::Kernel;
using runtime::KernelRuntimeContext;
using runtime::Span;
using runtime::Tag;

bool last_error_has(const char* text) {
  return std::strstr(runtime::last_error_message(), text) != nullptr;
}

void nothing(KernelRuntimeContext&, Span<EValue*>) {}

ProgramModel one_tensor() {
  ProgramModel program;
  program.method().add_planned({2}, 0);
  return program;
}

TEST(LoadMethod, ListsAllMissingOperators) {
  ProgramModel program = one_tensor();
  program.method().call("aten::missing.out", {0});
  program.method().call("quantized_decomposed::missing.out", {0});
  program.method().call("aten::missing.out", {0});
  program.method().call("mine::missing", {0});
  EXPECT_EQ(LoadedMethod(program, {}).error(), Error::OperatorMissing);
  EXPECT_STREQ(
      runtime::last_error_message(),
      "method forward: 3 operators are not registered: mine::missing (in no "
      "component: register a kernel); aten::missing.out (link "
      "executorch::kernels_optimized); quantized_decomposed::missing.out (link "
      "executorch::kernels_quantized)");
}

TEST(LoadMethod, NamesTheComponentOfAMissingBackend) {
  ProgramModel program = one_tensor();
  program.delegate_data = {{1}};
  program.method().delegates = {{"XnnpackBackend", 0, 0}};
  EXPECT_EQ(LoadedMethod(program, {}).error(), Error::NotFound);
  EXPECT_TRUE(last_error_has("link executorch::backend_xnnpack"));
}

TEST(LoadMethod, NeedsMemory) {
  FileBytes file = write_program(one_tensor());
  BufferDataLoader loader(file.data(), file.size());
  const auto program = runtime::Program::load(&loader);
  const auto load = [&](runtime::MemoryManager* manager) {
    return program->load_method("forward", manager).error();
  };
  EXPECT_EQ(load(nullptr), Error::InvalidArgument);
  extension::MallocMemoryAllocator allocator;
  runtime::MemoryManager no_method_allocator(nullptr, nullptr, &allocator);
  EXPECT_EQ(load(&no_method_allocator), Error::InvalidArgument);
  runtime::MemoryManager no_plan(&allocator);
  EXPECT_EQ(load(&no_plan), Error::MemoryAllocationFailed);
  std::vector<uint8_t> small(200);
  runtime::Span<uint8_t> short_buffer(small.data(), 4);
  runtime::HierarchicalAllocator planned({&short_buffer, 1});
  runtime::MemoryManager short_plan(&allocator, &planned);
  EXPECT_EQ(load(&short_plan), Error::MemoryAllocationFailed);
  std::vector<std::max_align_t> buffer(16);
  runtime::Span<uint8_t> odd(reinterpret_cast<uint8_t*>(buffer.data()) + 1,
                             255);
  runtime::HierarchicalAllocator odd_plan({&odd, 1});
  runtime::MemoryManager unaligned(&allocator, &odd_plan);
  EXPECT_NE(load(&unaligned), Error::Ok);
  // Every size of the method allocator fails or is enough.
  MethodMemory memory(program->method_meta("forward").get());
  bool enough = false;
  for (uint32_t size = 0; size < 4096; size += 64) {
    std::vector<uint8_t> pool(size + 1);
    runtime::MemoryAllocator fixed(size, pool.data());
    runtime::MemoryManager manager(&fixed, memory.manager()->planned_memory());
    const Error error = load(&manager);
    enough = enough || error == Error::Ok;
    EXPECT_EQ(error, enough ? Error::Ok : Error::MemoryAllocationFailed);
  }
  EXPECT_TRUE(enough);
}

TEST(LoadMethod, RefusesTensorsWithoutMemory) {
  ProgramModel program = one_tensor();
  TensorModel nowhere;
  nowhere.sizes = {2};
  const int32_t value = program.method().add(nowhere);
  EXPECT_EQ(LoadedMethod(program, {}).error(), Error::Ok);  // nobody uses it
  program.method().call("mine::op", {value});
  const LoadOptions options{nullptr, nullptr, {Kernel("mine::op", nothing)}};
  EXPECT_EQ(LoadedMethod(program, options).error(), Error::InvalidProgram);
  EXPECT_TRUE(last_error_has("never gets memory"));
}

// A program with a constant tensor 0, also moved to tensor 1.
ProgramModel with_constant() {
  ProgramModel program;
  TensorModel constant;
  constant.sizes = {2};
  constant.data = 1;
  program.method().add(constant);
  program.method().add_planned({2}, 0);
  program.constants = {{}, bytes_of<float>({1, 2})};
  return program;
}

TEST(LoadMethod, RefusesToWriteToConstants) {
  const LoadOptions options{
      nullptr, nullptr, {Kernel("mine::op.out", nothing)}};
  ProgramModel direct = with_constant();
  direct.method().call("mine::op.out", {1, 0, 0});
  EXPECT_EQ(LoadedMethod(direct, options).error(), Error::InvalidProgram);
  EXPECT_TRUE(last_error_has("constant"));
  ProgramModel moved = with_constant();
  moved.method().code.push_back(MoveModel{0, 1});
  moved.method().call("mine::op.out", {0, 1, 1});
  EXPECT_EQ(LoadedMethod(moved, options).error(), Error::InvalidProgram);
  ProgramModel fine = with_constant();
  fine.method().call("mine::op.out", {0, 1, 1});
  EXPECT_EQ(LoadedMethod(fine, options).error(), Error::Ok);
}

// ---- data outside of the program ----

ProgramModel with_external(bool planned) {
  ProgramModel program;
  TensorModel tensor;
  tensor.sizes = {2};
  tensor.external = true;
  tensor.name = "weight";
  if (planned) {
    tensor.place = Place{1, 0};
  }
  program.method().outputs = {program.method().add(tensor)};
  return program;
}

Error load_with(const ProgramModel& program, const char* name,
                std::vector<int32_t> sizes, std::vector<float>* result) {
  NamedTensorModel weight;
  weight.name = name;
  weight.tensor.sizes = std::move(sizes);
  weight.data = bytes_of<float>({5, 6, 7, 8});
  FileBytes file = write_flat_tensor({weight});
  BufferDataLoader loader(file.data(), file.size());
  const auto map = FlatTensorDataMap::load(&loader);
  LoadedMethod method(program, {nullptr, &*map, {}});
  if (method.error() == Error::Ok) {
    EXPECT_EQ(method->execute(), Error::Ok);
    *result = floats(method->get_output(0));
  }
  return method.error();
}

TEST(ExternalData, IsTakenFromTheDataMap) {
  for (const bool planned : {false, true}) {
    const ProgramModel program = with_external(planned);
    std::vector<float> result;
    EXPECT_EQ(load_with(program, "weight", {2}, &result), Error::Ok);
    EXPECT_EQ(result, (std::vector<float>{5, 6}));
    EXPECT_EQ(load_with(program, "other", {2}, &result), Error::NotFound);
    EXPECT_EQ(load_with(program, "weight", {3}, &result),
              Error::InvalidExternalData);
    EXPECT_EQ(load_with(program, "weight", {1, 2}, &result),
              Error::InvalidExternalData);
    EXPECT_EQ(LoadedMethod(program, {}).error(), Error::InvalidState);
  }
}

TEST(Variables, BeginWithTheirStoredValue) {
  ProgramModel program;
  TensorModel state;
  state.sizes = {2};
  state.place = Place{1, 8};
  state.data = 1;
  state.first_value_list = 1;
  program.method().outputs = {program.method().add(state)};
  program.segments = {{1, 2, 3, 4}, bytes_of<float>({0, 0, 3, 4})};
  program.first_values = {{0, {}}, {1, {0, 8}}};
  LoadedMethod method(program, {});
  ASSERT_EQ(method.error(), Error::Ok);
  EXPECT_EQ(floats(method->get_output(0)), (std::vector<float>{3, 4}));
}

// ---- operators with rows: argument kinds and prepared state ----

constexpr TagSet kTensor = tag_bit(Tag::Tensor);
constexpr TagSet kInt = tag_bit(Tag::Int);
constexpr TagSet kArgs[] = {kTensor, kInt, kTensor};

struct Seen {
  bool constant[3];
  bool fixed[3];
};
std::vector<Seen> seen;
int made = 0;
std::vector<const void*> states_in_runs;

PreparedState prepare(PrepareContext& context, Span<EValue*> args) {
  Seen now;
  for (size_t i = 0; i < 3; ++i) {
    now.constant[i] = context.is_constant(i);
    now.fixed[i] = context.has_fixed_shape(i);
  }
  seen.push_back(now);
  if (!context.is_constant(0)) {
    return nullptr;
  }
  return context.share(args[0]->toTensor().const_data_ptr(), "test", [] {
    ++made;
    return std::make_shared<const int>(7);
  });
}

void run(KernelRuntimeContext& context, Span<EValue*>) {
  states_in_runs.push_back(context.internal_prepared_state());
}

const Op kOps[] = {{"test_rows::op.out", run, kArgs, 3, prepare}};

class Rows : public ::testing::Test {
 protected:
  Rows() {
    EXPECT_EQ(registry::register_ops({kOps, 1}, nullptr), Error::Ok);
    seen.clear();
    states_in_runs.clear();
    made = 0;
  }
  ~Rows() override { registry::unregister_ops({kOps, 1}); }
};

TEST_F(Rows, CheckArguments) {
  const auto load = [](std::vector<int32_t> args) {
    ProgramModel program = one_tensor();
    program.method().add(int64_t{1});
    program.method().add(2.5);
    program.method().call("test_rows::op.out", std::move(args));
    return LoadedMethod(program, {}).error();
  };
  EXPECT_EQ(load({0, 1, 0, 0}), Error::Ok);
  EXPECT_EQ(load({0, 1}), Error::InvalidProgram);
  EXPECT_TRUE(last_error_has("2 arguments, expected 3"));
  EXPECT_EQ(load({}), Error::InvalidProgram);
  EXPECT_EQ(load({1, 1, 0, 0}), Error::InvalidProgram);
  EXPECT_TRUE(last_error_has("argument 0, a Int"));
  EXPECT_EQ(load({0, 0, 0, 0}), Error::InvalidProgram);
}

TEST_F(Rows, KnowWhatIsConstant) {
  ProgramModel program = with_constant();
  MethodModel& m = program.method();
  const int32_t number = m.add(int64_t{1});
  const int32_t computed = m.add(int64_t{1});
  TensorModel dynamic;
  dynamic.sizes = {2};
  dynamic.dynamism = 1;
  dynamic.place = Place{1, 64};
  const int32_t resized = m.add(dynamic);
  m.call("aten::sym_numel", {0, computed});
  m.call("test_rows::op.out", {0, number, 1, 1});
  m.call("test_rows::op.out", {resized, computed, 1, 1});
  ASSERT_EQ(LoadedMethod(program, {}).error(), Error::Ok);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_TRUE(seen[0].constant[0]);
  EXPECT_TRUE(seen[0].constant[1]);
  EXPECT_FALSE(seen[0].constant[2]);
  EXPECT_TRUE(seen[0].fixed[0] && seen[0].fixed[2]);
  EXPECT_FALSE(seen[1].constant[0]);
  EXPECT_FALSE(seen[1].constant[1]);
  EXPECT_FALSE(seen[1].fixed[0]);
}

TEST_F(Rows, GetTheirStateWhenTheyRun) {
  ProgramModel program = with_constant();
  const int32_t number = program.method().add(int64_t{1});
  program.method().call("test_rows::op.out", {0, number, 1, 1});
  program.method().call("test_rows::op.out", {1, number, 1, 1});
  LoadedMethod method(program, {});
  ASSERT_EQ(method->execute(), Error::Ok);
  ASSERT_EQ(states_in_runs.size(), 2u);
  ASSERT_NE(states_in_runs[0], nullptr);
  EXPECT_EQ(*static_cast<const int*>(states_in_runs[0]), 7);
  EXPECT_EQ(states_in_runs[1], nullptr);
}

TEST_F(Rows, ShareStateWithinAProgram) {
  ProgramModel model = with_constant();
  const int32_t number = model.method().add(int64_t{1});
  model.method().call("test_rows::op.out", {0, number, 1, 1});
  model.method().call("test_rows::op.out", {0, number, 1, 1});
  LoadedMethod first(model, {});
  EXPECT_EQ(made, 1);
  {
    MethodMemory memory(first.program().method_meta("forward").get());
    EXPECT_TRUE(first.program().load_method("forward", memory.manager()).ok());
  }
  EXPECT_EQ(made, 1);
  LoadedMethod other_program(model, {});
  EXPECT_EQ(made, 2);
}

TEST_F(Rows, SayWhyTheyCannotRun) {
  const Op other[] = {{"test_rows::unusable", run, kArgs, 0, nullptr}};
  ASSERT_EQ(registry::register_ops({other, 1}, "EXECUTORCH_ISA is wrong"),
            Error::Ok);
  ProgramModel program = one_tensor();
  program.method().call("test_rows::unusable", {0});
  EXPECT_EQ(LoadedMethod(program, {}).error(), Error::NotSupported);
  EXPECT_TRUE(last_error_has("EXECUTORCH_ISA is wrong"));
  registry::unregister_ops({other, 1});
}

// ---- constants computed at load ----

int copies = 0;

// out = in
void copy(KernelRuntimeContext&, Span<EValue*> args) {
  ++copies;
  const aten::Tensor& in = args[0]->toTensor();
  std::memcpy(args[1]->toTensor().mutable_data_ptr(), in.const_data_ptr(),
              in.nbytes());
}

bool releases = false;

PreparedState prepare_sum(PrepareContext& context, Span<EValue*> args) {
  if (!context.is_constant(0)) {
    return nullptr;
  }
  if (releases) {
    context.release(0);
  }
  return context.share(args[0]->toTensor().const_data_ptr(), "sum", [&] {
    ++made;
    return std::make_shared<const float>(
        args[0]->toTensor().const_data_ptr<float>()[1]);
  });
}

// out = the second number of a constant, or of the input
void sum(KernelRuntimeContext& context, Span<EValue*> args) {
  const void* state = context.internal_prepared_state();
  args[1]->toTensor().mutable_data_ptr<float>()[0] =
      state != nullptr ? *static_cast<const float*>(state)
                       : args[0]->toTensor().const_data_ptr<float>()[1];
}

constexpr TagSet kTwoTensors[] = {kTensor, kTensor};
const Op kFoldOps[] = {
    {"test_rows::copy.out", copy, kTwoTensors, 2, nullptr},
    {"test_rows::sum.out", sum, kTwoTensors, 2, prepare_sum},
    {"test_rows::rand.out", copy, kTwoTensors, 2, nullptr},
};

class Folding : public ::testing::Test {
 protected:
  Folding() {
    EXPECT_EQ(registry::register_ops({kFoldOps, 3}, nullptr), Error::Ok);
    copies = 0;
    made = 0;
    releases = false;
  }
  ~Folding() override { registry::unregister_ops({kFoldOps, 3}); }

  // output 1 = sum(copy(copy(constant)))
  static ProgramModel program() {
    ProgramModel program = with_constant();
    MethodModel& m = program.method();
    const int32_t first = m.add_planned({2}, 16);
    const int32_t second = m.add_planned({2}, 32);
    m.call("test_rows::copy.out", {0, first, first});
    m.call("test_rows::copy.out", {first, second, second});
    m.call("test_rows::sum.out", {second, 1, 1});
    m.outputs = {1};
    return program;
  }

  // Runs twice; how often copies were made at load and in the runs.
  static std::pair<int, int> count(const ProgramModel& model) {
    copies = 0;
    LoadedMethod method(model, {});
    EXPECT_EQ(method.error(), Error::Ok);
    const int at_load = copies;
    for (int run = 0; run < 2; ++run) {
      EXPECT_EQ(method->execute(), Error::Ok);
      EXPECT_EQ(floats(method->get_output(0))[0], 2.0f);
    }
    return {at_load, copies - at_load};
  }
};

using Counts = std::pair<int, int>;

TEST_F(Folding, ComputesConstantsOnce) {
  for (const bool released : {false, true}) {
    releases = released;
    EXPECT_EQ(count(program()), Counts(2, 0));
  }
}

TEST_F(Folding, LeavesOutWhatCouldBeSeen) {
  ProgramModel output = program();
  output.method().outputs.push_back(3);
  EXPECT_EQ(count(output), Counts(1, 2));
  ProgramModel viewed = program();
  const int32_t view = viewed.method().add_planned({1, 2}, 32);
  const int32_t seen_in = viewed.method().add_planned({1, 2}, 64);
  viewed.method().call("test_rows::copy.out", {view, seen_in, seen_in});
  EXPECT_EQ(count(viewed), Counts(1, 4));
  ProgramModel twice = program();
  twice.method().call("test_rows::copy.out", {0, 3, 3});
  EXPECT_EQ(count(twice), Counts(1, 4));
  ProgramModel random = program();
  random.method().operators[0].name = "test_rows::rand";
  EXPECT_EQ(count(random), Counts(0, 4));
}

TEST_F(Folding, SharesResultsWithinAProgram) {
  LoadedMethod first(program(), {});
  EXPECT_EQ(copies, 2);
  EXPECT_EQ(made, 1);
  MethodMemory memory(first.program().method_meta("forward").get());
  const auto second = first.program().load_method("forward", memory.manager());
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(copies, 2);
  EXPECT_EQ(made, 1);
}

TEST_F(Folding, FollowsItsOptions) {
  FileBytes file = write_program(program());
  BufferDataLoader loader(file.data(), file.size());
  const auto loaded = runtime::Program::load(&loader);
  const auto load = [&](auto&& set) {
    runtime::BackendOptions<2> options;
    set(options);
    runtime::LoadBackendOptionsMap map;
    EXPECT_EQ(map.set_options(runtime::Program::kKernelOptions, options.view()),
              Error::Ok);
    MethodMemory memory(loaded->method_meta("forward").get());
    copies = 0;
    made = 0;
    return loaded
        ->load_method("forward", memory.manager(), nullptr, nullptr, &map)
        .error();
  };
  EXPECT_EQ(load([](auto& o) { (void)o.set_option("prepare", false); }),
            Error::Ok);
  EXPECT_EQ(copies + made, 0);
  EXPECT_EQ(load([](auto& o) { (void)o.set_option("fold_limit_mib", 0); }),
            Error::Ok);
  EXPECT_EQ(copies, 0);
  EXPECT_EQ(load([](auto& o) { (void)o.set_option("fold_limit_mib", 1); }),
            Error::Ok);
  EXPECT_EQ(copies, 2);
  EXPECT_EQ(load([](auto& o) { (void)o.set_option("prepare", 1); }),
            Error::InvalidArgument);
  EXPECT_EQ(load([](auto& o) { (void)o.set_option("fold_limit_mib", -1); }),
            Error::InvalidArgument);
}

// ---- delegates ----

class Backend final : public runtime::BackendInterface {
 public:
  bool is_available() const override { return true; }
  runtime::Result<runtime::DelegateHandle*> init(
      runtime::BackendInitContext& context, runtime::FreeableBuffer* processed,
      runtime::ArrayRef<runtime::CompileSpec>) const override {
    has_named_data = context.get_named_data_map() != nullptr;
    const auto* bytes = static_cast<const uint8_t*>(processed->data());
    ET_CHECK_OR_RETURN_ERROR(bytes[0] == 1, DelegateInvalidCompatibility,
                             "the data begins with %d", bytes[0]);
    ++alive;
    return this_handle;
  }
  Error execute(runtime::BackendExecutionContext&, runtime::DelegateHandle*,
                Span<EValue*> args) const override {
    args[1]->toTensor().mutable_data_ptr<float>()[0] =
        args[0]->toTensor().const_data_ptr<float>()[0] * 2;
    return Error::Ok;
  }
  void destroy(runtime::DelegateHandle*) const override { --alive; }

  runtime::DelegateHandle* this_handle = nullptr;
  mutable int alive = 0;
  mutable bool has_named_data = false;
};

TEST(Delegates, AreStartedAndDestroyed) {
  static Backend backend;
  ASSERT_EQ(runtime::register_backend({"TestBackend", &backend}), Error::Ok);
  ProgramModel program;
  MethodModel& m = program.method();
  m.inputs = {m.add_planned({1}, 0)};
  m.outputs = {m.add_planned({1}, 16)};
  m.delegates = {{"TestBackend", 0, 0}, {"TestBackend", 1, 0}};
  m.code = {DelegateCallModel{1, {0, 1}}};
  program.delegate_data = {{1, 2}};
  program.segments = {{1}};
  program.named_data = {{"name", 0}};
  {
    LoadedMethod method(program, {});
    ASSERT_EQ(method.error(), Error::Ok);
    EXPECT_EQ(backend.alive, 2);
    EXPECT_TRUE(backend.has_named_data);
    OwnedTensor in({1}, {4});
    ASSERT_EQ(method->set_input(in, 0), Error::Ok);
    ASSERT_EQ(method->execute(), Error::Ok);
    EXPECT_EQ(floats(method->get_output(0)), (std::vector<float>{8}));
  }
  EXPECT_EQ(backend.alive, 0);
  program.segments = {{9}};  // the second delegate fails
  EXPECT_EQ(LoadedMethod(program, {}).error(),
            Error::DelegateInvalidCompatibility);
  EXPECT_TRUE(last_error_has("method forward, delegate 1 (TestBackend): "));
  EXPECT_EQ(backend.alive, 0);
  runtime::unregister_backend({"TestBackend", &backend});
}

}  // namespace
}  // namespace executorch::test
