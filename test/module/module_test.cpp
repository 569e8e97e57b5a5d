// Module: loading, running, and who owns what. The programs are those of
// test/data/programs and models; kernels that they need and that are not here
// come from a private list.
#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace executorch::extension {
namespace {

using aten::Tensor;
using runtime::Error;
using runtime::EValue;
using runtime::KernelRuntimeContext;
using runtime::Result;
using runtime::Span;

std::string program(const char* name) {
  return std::string(ET_TEST_DATA_DIR) + "/programs/" + name;
}

std::string model(const char* name) {
  return std::string(ET_TEST_DATA_DIR) + "/models/" + name + "/model.pte";
}

// out = a * factor + b, with b repeated
void multiply_add(EValue& a, EValue& b, double factor, EValue& out) {
  const Tensor &x = a.toTensor(), &y = b.toTensor();
  for (ssize_t i = 0; i < x.numel(); ++i) {
    out.toTensor().mutable_data_ptr<float>()[i] =
        x.const_data_ptr<float>()[i] * static_cast<float>(factor) +
        y.const_data_ptr<float>()[i % y.numel()];
  }
}
void scale_add(KernelRuntimeContext&, Span<EValue*> args) {
  multiply_add(*args[0], *args[1], args[2]->toScalar().to<double>(), *args[3]);
}
void add(KernelRuntimeContext&, Span<EValue*> args) {
  multiply_add(*args[0], *args[1], 1, *args[3]);
}
void fail(KernelRuntimeContext& context, Span<EValue*>) {
  context.fail(Error::OutOfResources);
}

const std::vector<Kernel> kKernels = {
    Kernel("accept::scale_add.out", scale_add), Kernel("aten::add.out", add)};

Error load_custom_op(Module& module) {
  return module.load_forward(nullptr, nullptr, nullptr, kKernels);
}

std::vector<EValue> inputs(float x, float y) {
  return {full({2, 3}, x), full({2, 3}, y)};
}

std::vector<float> floats(const EValue& value) {
  const Tensor& tensor = value.toTensor();
  return {tensor.const_data_ptr<float>(),
          tensor.const_data_ptr<float>() + tensor.numel()};
}

TEST(Module, RunsAProgram) {
  Module module(program("custom_op.pte"));
  EXPECT_FALSE(module.is_loaded());
  EXPECT_EQ(module.program(), nullptr);
  ASSERT_EQ(load_custom_op(module), Error::Ok);
  EXPECT_TRUE(module.is_loaded());
  EXPECT_TRUE(module.is_method_loaded("forward"));
  const auto result = module.forward(inputs(2, 3));
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result->size(), 1u);
  EXPECT_EQ(floats(result->at(0)), std::vector<float>(6, 9.f));
  EXPECT_EQ(floats(*module.get("forward", inputs(0, 0))),
            std::vector<float>(6, 1.f));
  EXPECT_TRUE(module.unload_forward());
  EXPECT_FALSE(module.unload_forward());
}

TEST(Module, EveryLoadMode) {
  using Mode = Module::LoadMode;
  for (const Mode mode :
       {Mode::File, Mode::Mmap, Mode::MmapUseMlockIgnoreErrors,
        Mode::MmapUseMadvise}) {
    Module module(program("custom_op.pte"), mode);
    ASSERT_EQ(load_custom_op(module), Error::Ok) << static_cast<int>(mode);
    EXPECT_TRUE(module.forward(inputs(1, 1)).ok());
  }
}

TEST(Module, LaterRunsDoNotChangeOutputs) {
  Module module(program("custom_op.pte"));
  ASSERT_EQ(load_custom_op(module), Error::Ok);
  const auto first = module.forward(inputs(2, 0));
  ASSERT_TRUE(first.ok());
  const float* data = first->at(0).toTensor().const_data_ptr<float>();
  const auto second = module.forward(inputs(4, 0));
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(data, first->at(0).toTensor().const_data_ptr<float>());
  EXPECT_EQ(floats(first->at(0)), std::vector<float>(6, 6.f));
  EXPECT_EQ(floats(second->at(0)), std::vector<float>(6, 11.f));
  const auto again = module.get_outputs();
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(floats(again->at(0)), std::vector<float>(6, 11.f));
  EXPECT_EQ(module.get_output(1).error(), Error::InvalidArgument);
}

TEST(Module, OutputsOutliveTheModule) {
  EValue output;
  {
    Module module(program("custom_op.pte"));
    ASSERT_EQ(load_custom_op(module), Error::Ok);
    auto result = module.forward(inputs(2, 3));
    ASSERT_TRUE(result.ok());
    output = std::move(result->at(0));
  }
  EXPECT_EQ(floats(output), std::vector<float>(6, 9.f));
}

TEST(Module, MemoryOfAbandonedOutputsIsUsedAgain) {
  Module module(program("custom_op.pte"));
  ASSERT_EQ(load_custom_op(module), Error::Ok);
  const auto address = [&] {
    const auto result = module.forward(inputs(1, 1));
    return result.ok() ? result->at(0).toTensor().const_data_ptr() : nullptr;
  };
  const void* first = address();
  EXPECT_EQ(address(), first);
}

TEST(Module, ViewsIfAskedFor) {
  Module module(program("custom_op.pte"));
  ASSERT_EQ(load_custom_op(module), Error::Ok);
  ASSERT_EQ(module.set_output_views("forward", true), Error::Ok);
  const auto first = module.forward(inputs(2, 0));
  const auto second = module.forward(inputs(4, 0));
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->at(0).toTensor().const_data_ptr(),
            second->at(0).toTensor().const_data_ptr());
}

TEST(Module, InputsStaySet) {
  Module module(program("custom_op.pte"));
  ASSERT_EQ(load_custom_op(module), Error::Ok);
  EXPECT_EQ(module.forward().error(), Error::InvalidArgument);
  ASSERT_TRUE(module.forward(inputs(2, 3)).ok());
  const auto again = module.forward();
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(floats(again->at(0)), std::vector<float>(6, 9.f));
  ASSERT_EQ(module.set_input(full({2, 3}, 10), 1), Error::Ok);
  const auto changed = module.forward();
  ASSERT_TRUE(changed.ok());
  EXPECT_EQ(floats(changed->at(0)), std::vector<float>(6, 16.f));
}

// Where the kernel of custom_op.pte found its first argument.
const void* seen = nullptr;
void look(KernelRuntimeContext& context, Span<EValue*> args) {
  seen = args[0]->toTensor().const_data_ptr();
  scale_add(context, args);
}

TEST(Module, InputsAreReadInPlace) {
  Module module(program("custom_op.pte"));
  ASSERT_EQ(module.load_forward(nullptr, nullptr, nullptr,
                                {Kernel("accept::scale_add.out", look),
                                 Kernel("aten::add.out", add)}),
            Error::Ok);
  const auto x = full({2, 3}, 2), y = full({2, 3}, 3);
  ASSERT_TRUE(module.forward({x, y}).ok());
  EXPECT_EQ(seen, x->const_data_ptr());
  ASSERT_TRUE(module.forward().ok());
  EXPECT_EQ(seen, x->const_data_ptr());
  // Not what the value does not own, and not by set_input().
  const auto copied = module.forward({*x, *y});
  ASSERT_TRUE(copied.ok());
  EXPECT_NE(seen, x->const_data_ptr());
  EXPECT_EQ(floats(copied->at(0)), std::vector<float>(6, 9.f));
  ASSERT_EQ(module.set_input(x, 0), Error::Ok);
  ASSERT_TRUE(module.forward().ok());
  EXPECT_NE(seen, x->const_data_ptr());
}

TEST(Module, InputsThatDoNotFit) {
  Module module(program("custom_op.pte"));
  ASSERT_EQ(load_custom_op(module), Error::Ok);
  auto three = inputs(1, 1);
  three.push_back(three[0]);
  EXPECT_EQ(module.forward(three).error(), Error::InvalidArgument);
  EXPECT_EQ(module.set_inputs(three), Error::InvalidArgument);
  EXPECT_EQ(module.set_inputs({three[0]}), Error::InvalidArgument);
  EXPECT_EQ(module.set_input(three[0], 2), Error::InvalidArgument);
  EXPECT_EQ(module.forward({EValue(1.5), three[1]}).error(),
            Error::InvalidArgument);
  EXPECT_EQ(module.forward({ones({3, 3}), three[1]}).error(),
            Error::NotSupported);
}

TEST(Module, ErrorsOfKernelsReachTheCaller) {
  Module module(program("custom_op.pte"));
  ASSERT_EQ(module.load_method("forward", nullptr, nullptr, nullptr,
                               {Kernel("accept::scale_add.out", fail),
                                Kernel("aten::add.out", add)}),
            Error::Ok);
  EXPECT_EQ(module.forward(inputs(1, 1)).error(), Error::OutOfResources);
}

TEST(Module, LoadErrors) {
  const struct {
    const char* file;
    Error error;
  } cases[] = {
      {"absent.pte", Error::AccessFailed},
      {"ptd_linear.ptd", Error::InvalidProgram},
  };
  for (const auto& c : cases) {
    Module module(program(c.file));
    EXPECT_EQ(module.load(), c.error) << c.file;
    EXPECT_FALSE(module.is_loaded());
    EXPECT_EQ(module.forward().error(), c.error);
    EXPECT_EQ(module.num_methods().error(), c.error);
    EXPECT_EQ(module.method_meta("forward").error(), c.error);
    EXPECT_EQ(module.memory_report().error(), c.error);
    EXPECT_FALSE(module.unload_forward());
  }
  Module module(program("custom_op.pte"));
  EXPECT_EQ(module.load_method("absent"), Error::InvalidArgument);
  EXPECT_EQ(module.method_meta("absent").error(), Error::InvalidArgument);
  EXPECT_EQ(module.load_forward(), Error::OperatorMissing);
}

TEST(Module, MethodsByName) {
  Module module(program("methods.pte"));
  EXPECT_EQ(*module.num_methods(), 5u);
  EXPECT_EQ(*module.method_names(),
            (std::unordered_set<std::string>{"forward", "encode", "get_eps",
                                             "get_vocab_size", "use_kv"}));
  EXPECT_EQ(module.get("get_vocab_size")->toInt(), 1234);
  EXPECT_EQ(module.get("get_eps")->toDouble(), 1e-5);
  EXPECT_TRUE(module.get("use_kv")->toBool());
}

TEST(Module, DataFiles) {
  const std::string pte = program("ptd_linear.pte");
  const std::string ptd = program("ptd_linear.ptd");
  const auto run = [](Module& module) {
    return module.forward(ones({4, 16})).error();
  };
  Module with(pte, ptd);
  EXPECT_EQ(run(with), Error::Ok);
  Module mapped(pte, std::vector<std::string>{ptd}, Module::LoadMode::Mmap);
  EXPECT_EQ(run(mapped), Error::Ok);
  Module without(pte);
  EXPECT_EQ(run(without), Error::InvalidState);
  Module absent(pte, program("absent.ptd"));
  EXPECT_EQ(run(absent), Error::AccessFailed);
  Module wrong(pte, pte);
  EXPECT_EQ(run(wrong), Error::InvalidExternalData);
  Module twice(pte, std::vector<std::string>{ptd, ptd});
  EXPECT_EQ(run(twice), Error::InvalidArgument);
}

TEST(Module, UnplannedOutputsAreComputedWhereTheyAreReturned) {
  Module module(model("d_memory_no_io"));
  const auto first = module.forward(ones({2, 16}));
  ASSERT_TRUE(first.ok());
  const auto values = floats(first->at(0));
  const void* data = first->at(0).toTensor().const_data_ptr();
  const auto second = module.forward(zeros({2, 16}));
  ASSERT_TRUE(second.ok());
  EXPECT_NE(second->at(0).toTensor().const_data_ptr(), data);
  EXPECT_EQ(floats(first->at(0)), values);
  EXPECT_NE(floats(second->at(0)), values);
}

TEST(Module, OutputsInMemoryOfTheApplication) {
  Module module(model("d_memory_no_io"));
  const auto expected = module.forward(ones({2, 16}));
  ASSERT_TRUE(expected.ok());
  std::vector<float> memory(16);
  ASSERT_EQ(module.set_output(from_blob(memory.data(), {2, 8})), Error::Ok);
  const auto result = module.forward(ones({2, 16}));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->at(0).toTensor().const_data_ptr(), memory.data());
  EXPECT_EQ(memory, floats(expected->at(0)));

  EXPECT_EQ(module.set_output(from_blob(memory.data(), {2, 7})),
            Error::InvalidArgument);
  EXPECT_EQ(module.set_output(
                from_blob(memory.data(), {2, 8}, aten::ScalarType::Int)),
            Error::InvalidArgument);
  EXPECT_EQ(module.set_output(EValue(1.0)), Error::InvalidArgument);
  EXPECT_EQ(module.set_output(ones({2, 8}), 1), Error::InvalidArgument);
  EXPECT_EQ(module.set_outputs({}), Error::InvalidArgument);
  EXPECT_EQ(module.set_outputs({ones({2, 8})}), Error::Ok);
}

TEST(Module, PlannedOutputsCannotBeSet) {
  Module module(program("custom_op.pte"));
  ASSERT_EQ(load_custom_op(module), Error::Ok);
  EXPECT_EQ(module.set_output(ones({2, 3})), Error::InvalidState);
}

TEST(Module, ReportsMemoryBeforeLoading) {
  Module module(model("d_memory_no_io"));
  const auto report = module.memory_report();
  ASSERT_TRUE(report.ok());
  EXPECT_FALSE(module.is_method_loaded("forward"));
  EXPECT_EQ(report->planned_buffers, std::vector<size_t>{2688});
  EXPECT_EQ(report->unplanned_outputs, 2 * 8 * sizeof(float));
  EXPECT_GT(report->constants, 16 * 8 * sizeof(float));
  EXPECT_EQ(report->delegates, 0u);

  Module delegated(program("custom_backend.pte"));
  const auto second = delegated.memory_report();
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->delegates, std::strlen("ACCEPT1:add"));
  EXPECT_EQ(second->backends, std::vector<std::string>{"AcceptDemoBackend"});
}

TEST(Module, OneProgramForManyThreads) {
  Module first(model("d_memory_no_io"));
  ASSERT_EQ(first.load(), Error::Ok);
  const auto expected = first.forward(ones({2, 16}));
  ASSERT_TRUE(expected.ok());
  const auto values = floats(expected->at(0));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        Module module(first.program());
        const auto result = module.forward(ones({2, 16}));
        ASSERT_TRUE(result.ok());
        EXPECT_EQ(floats(result->at(0)), values);
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
}

TEST(Module, ProgramOutlivesItsModule) {
  std::shared_ptr<Program> shared;
  {
    Module module(model("d_memory_no_io"), Module::LoadMode::Mmap);
    ASSERT_EQ(module.load(), Error::Ok);
    shared = module.program();
  }
  Module module(shared);
  EXPECT_TRUE(module.is_loaded());
  EXPECT_TRUE(module.forward(ones({2, 16})).ok());
}

TEST(Module, MethodsShareMutableBuffers) {
  Module module(model("d_shared_mutable"), Module::LoadMode::File, nullptr,
                nullptr, nullptr, true);
  const auto meta = module.method_meta("store");
  ASSERT_TRUE(meta.ok());
  const auto info = meta->input_tensor_meta(0);
  ASSERT_TRUE(info.ok());
  const std::vector<aten::SizesType> sizes(info->sizes().begin(),
                                           info->sizes().end());
  const auto load = [&] {
    return floats(*module.get("load", EValue(zeros(sizes))));
  };
  ASSERT_TRUE(module.execute("store", EValue(full(sizes, 2))).ok());
  const auto twos = load();
  ASSERT_TRUE(module.execute("store", EValue(full(sizes, 5))).ok());
  EXPECT_NE(load(), twos);
}

class ScaledSum final : public runtime::BackendInterface {
 public:
  bool is_available() const override { return true; }
  Result<runtime::DelegateHandle*> init(
      runtime::BackendInitContext& context, runtime::FreeableBuffer*,
      runtime::ArrayRef<runtime::CompileSpec>) const override {
    const auto level = context.get_runtime_spec<int>("level");
    level_at_init = level.ok() ? *level : -1;
    return nullptr;
  }
  Error execute(runtime::BackendExecutionContext&, runtime::DelegateHandle*,
                Span<EValue*> args) const override {
    multiply_add(*args[0], *args[1], 1, *args[2]);
    return Error::Ok;
  }
  void destroy(runtime::DelegateHandle*) const override { ++destroyed; }
  static inline int level_at_init = 0;
  static inline int destroyed = 0;
};

TEST(Module, KeepsACopyOfBackendOptions) {
  Module module(program("custom_backend.pte"));
  EXPECT_EQ(module.load_forward(), Error::NotFound);
  static ScaledSum backend;
  ASSERT_EQ(runtime::register_backend({"AcceptDemoBackend", &backend}),
            Error::Ok);
  {
    runtime::BackendOptions<1> options;
    ASSERT_EQ(options.set_option("level", 7), Error::Ok);
    LoadBackendOptionsMap map;
    ASSERT_EQ(map.set_options("AcceptDemoBackend", options.view()), Error::Ok);
    ASSERT_EQ(module.load(map), Error::Ok);
  }
  EXPECT_EQ(module.backend_options().size(), 1u);
  ASSERT_EQ(module.load_forward(), Error::Ok);
  EXPECT_EQ(ScaledSum::level_at_init, 7);
  EXPECT_TRUE(module.forward(inputs(1, 2)).ok());
  EXPECT_TRUE(module.unload_forward());
  EXPECT_EQ(ScaledSum::destroyed, 1);
}

TEST(Module, FromALoader) {
  std::vector<char> bytes;
  FILE* file = std::fopen(model("d_memory_no_io").c_str(), "rb");
  ASSERT_NE(file, nullptr);
  char block[512];
  for (size_t n; (n = std::fread(block, 1, sizeof block, file)) > 0;) {
    bytes.insert(bytes.end(), block, block + n);
  }
  std::fclose(file);
  Module module(std::make_unique<BufferDataLoader>(bytes.data(), bytes.size()));
  EXPECT_TRUE(module.forward(ones({2, 16})).ok());
}

}  // namespace
}  // namespace executorch::extension
