// The operator registry as applications and kernel libraries use it. Names are
// unique to each test: the registry belongs to the process.
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "src/registry/lookup.h"
#include "src/registry/register_op.h"

namespace executorch::runtime {
namespace {

using aten::DimOrderType;
using aten::ScalarType;

void first_kernel(KernelRuntimeContext&, Span<EValue*>) {}
void second_kernel(KernelRuntimeContext&, Span<EValue*>) {}

Error add(const char* name, OpFunction fn = first_kernel,
          KernelKey key = KernelKey()) {
  return register_kernel(Kernel(name, key, fn));
}

// Tensor metas that own their dim orders.
class Metas {
 public:
  Metas& tensor(ScalarType dtype, std::vector<DimOrderType> order) {
    orders_.push_back(std::make_unique<std::vector<DimOrderType>>(order));
    metas_.emplace_back(dtype, Span<DimOrderType>(orders_.back()->data(),
                                                  orders_.back()->size()));
    return *this;
  }
  operator Span<const TensorMeta>() const {
    return {metas_.data(), metas_.size()};
  }

 private:
  std::vector<std::unique_ptr<std::vector<DimOrderType>>> orders_;
  std::vector<TensorMeta> metas_;
};

TEST(OperatorRegistry, FindsWhatWasRegistered) {
  ASSERT_EQ(add("t::found"), Error::Ok);
  EXPECT_TRUE(registry_has_op_function("t::found"));
  const auto fn = get_op_function_from_registry("t::found");
  ASSERT_TRUE(fn.ok());
  EXPECT_EQ(*fn, first_kernel);

  EXPECT_FALSE(registry_has_op_function("t::absent"));
  EXPECT_EQ(get_op_function_from_registry("t::absent").error(),
            Error::OperatorMissing);
}

TEST(OperatorRegistry, RefusesNull) {
  EXPECT_EQ(add(nullptr), Error::InvalidArgument);
  EXPECT_EQ(add("t::null_function", nullptr), Error::InvalidArgument);
  EXPECT_FALSE(registry_has_op_function("t::null_function"));
  EXPECT_FALSE(registry_has_op_function(nullptr));
  EXPECT_EQ(get_op_function_from_registry(nullptr).error(),
            Error::InvalidArgument);
}

TEST(OperatorRegistry, KeepsTheFirstOfDuplicates) {
  ASSERT_EQ(add("t::twice", first_kernel), Error::Ok);
  EXPECT_EQ(add("t::twice", second_kernel),
            Error::RegistrationAlreadyRegistered);
  EXPECT_EQ(*get_op_function_from_registry("t::twice"), first_kernel);
  const std::string said = last_error_message();  // it names both origins
  EXPECT_NE(said.find("t::twice"), said.npos) << said;
  EXPECT_NE(said.find("registry_test"), said.rfind("registry_test")) << said;

  // The others of a list are added all the same.
  const Kernel list[] = {Kernel("t::twice", second_kernel),
                         Kernel("t::after_twice", second_kernel)};
  EXPECT_EQ(register_kernels({list, 2}), Error::RegistrationAlreadyRegistered);
  EXPECT_TRUE(registry_has_op_function("t::after_twice"));
}

TEST(OperatorRegistry, OwnsNamesAndKeys) {
  std::string name = "t::owned";
  std::string key = "v1/6;0";
  ASSERT_EQ(add(name.c_str(), first_kernel, key.c_str()), Error::Ok);
  name.assign(name.size(), 'x');
  key.assign(key.size(), 'x');
  EXPECT_TRUE(registry_has_op_function("t::owned",
                                       Metas().tensor(ScalarType::Float, {0})));
}

TEST(OperatorRegistry, ExactKeyWinsOverFallback) {
  ASSERT_EQ(add("t::keyed", first_kernel, "v1/6;0,1|4;0,1"), Error::Ok);
  Metas exact, other;
  exact.tensor(ScalarType::Float, {0, 1}).tensor(ScalarType::Long, {0, 1});
  other.tensor(ScalarType::Float, {1, 0}).tensor(ScalarType::Long, {0, 1});
  EXPECT_EQ(*get_op_function_from_registry("t::keyed", exact), first_kernel);
  EXPECT_EQ(get_op_function_from_registry("t::keyed", other).error(),
            Error::OperatorMissing);
  EXPECT_EQ(get_op_function_from_registry("t::keyed").error(),
            Error::OperatorMissing);

  ASSERT_EQ(add("t::keyed", second_kernel), Error::Ok);
  EXPECT_EQ(*get_op_function_from_registry("t::keyed", exact), first_kernel);
  EXPECT_EQ(*get_op_function_from_registry("t::keyed", other), second_kernel);
  EXPECT_EQ(*get_op_function_from_registry("t::keyed"), second_kernel);
}

TEST(OperatorRegistry, ManyTensorsFallBack) {
  ASSERT_EQ(add("t::many_tensors"), Error::Ok);
  Metas metas;
  for (int i = 0; i < 40; ++i) {
    metas.tensor(ScalarType::Float, std::vector<DimOrderType>(16, 15));
  }
  EXPECT_TRUE(registry_has_op_function("t::many_tensors", metas));
}

TEST(OperatorRegistry, PrivateListIsSearchedAlone) {
  ASSERT_EQ(add("t::public"), Error::Ok);
  const Kernel list[] = {
      Kernel("t::private", KernelKey("v1/7;0"), first_kernel),
      Kernel("t::private", second_kernel)};
  const Span<const Kernel> kernels(list, 2);
  Metas doubles;
  doubles.tensor(ScalarType::Double, {0});
  EXPECT_EQ(*get_op_function_from_registry("t::private", doubles, kernels),
            first_kernel);
  EXPECT_EQ(*get_op_function_from_registry("t::private", {}, kernels),
            second_kernel);
  EXPECT_EQ(get_op_function_from_registry("t::public", {}, kernels).error(),
            Error::OperatorMissing);
}

TEST(OperatorRegistry, KeyText) {
  char key[internal::kKernelKeyBufSize];
  const auto text = [&](const Metas& metas, size_t size = sizeof key) {
    return internal::make_kernel_key_string(metas, key, size) == Error::Ok
               ? std::string(key)
               : "error";
  };
  EXPECT_EQ(text(Metas()), "");
  EXPECT_EQ(text(Metas().tensor(ScalarType::Float, {})), "v1/6;");
  EXPECT_EQ(text(Metas()
                     .tensor(ScalarType::BFloat16, {0, 2, 3, 1})
                     .tensor(ScalarType::Bool, {0})),
            "v1/15;0,2,3,1|11;0");
  EXPECT_EQ(text(Metas().tensor(ScalarType::Float, {0}), 7), "v1/6;0");
  EXPECT_EQ(text(Metas().tensor(ScalarType::Float, {0}), 6), "error");
  EXPECT_EQ(text(Metas().tensor(ScalarType::Float, {100})), "error");
  EXPECT_EQ(text(Metas().tensor(static_cast<ScalarType>(-1), {0})), "error");

  Metas largest;
  std::vector<DimOrderType> order(16);
  for (DimOrderType i = 0; i < 16; ++i) {
    order[i] = i;
  }
  for (int i = 0; i < 16; ++i) {
    largest.tensor(ScalarType::BFloat16, order);
  }
  EXPECT_EQ(text(largest).size(), internal::kKernelKeyBufSize - 1);
}

TEST(OperatorRegistry, SpansStayAsTheyAre) {
  ASSERT_EQ(add("t::span_a"), Error::Ok);
  const auto before = get_registered_kernels();
  std::vector<std::string> names;
  for (const Kernel& kernel : before) {
    names.push_back(kernel.name_);
  }
  for (int i = 0; i < 2000; ++i) {
    ASSERT_EQ(add(("t::span_" + std::to_string(i)).c_str()), Error::Ok);
  }
  const auto after = get_registered_kernels();
  ASSERT_EQ(after.size(), before.size() + 2000);
  EXPECT_STREQ(after[after.size() - 1].name_, "t::span_1999");
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(names[i], before[i].name_);
  }

  const Kernel gone("t::span_a", first_kernel);
  unregister_kernels({&gone, 1});
  EXPECT_EQ(get_registered_kernels().size(), after.size() - 1);
}

TEST(OperatorRegistry, UnregisterTakesOnlyOnesOwn) {
  ASSERT_EQ(add("t::kept", first_kernel), Error::Ok);
  const Kernel other("t::kept", second_kernel);
  unregister_kernels({&other, 1});
  EXPECT_TRUE(registry_has_op_function("t::kept"));
  const Kernel own("t::kept", first_kernel);
  unregister_kernels({&own, 1});
  EXPECT_FALSE(registry_has_op_function("t::kept"));
  EXPECT_EQ(add("t::kept", second_kernel), Error::Ok);
}

TEST(OperatorRegistry, GrowsWithoutLimit) {
  std::vector<std::string> names;
  for (int i = 0; i < 100000; ++i) {
    names.push_back("t::grow_" + std::to_string(i));
    ASSERT_EQ(add(names.back().c_str()), Error::Ok);
  }
  for (const auto& name : names) {
    ASSERT_TRUE(registry_has_op_function(name.c_str()));
    const Kernel kernel(name.c_str(), first_kernel);
    unregister_kernels({&kernel, 1});
  }
  EXPECT_FALSE(registry_has_op_function(names.front().c_str()));
}

TEST(OperatorRegistry, ManyThreadsLoseNothing) {
  constexpr int kThreads = 8, kEach = 300;
  const size_t before = get_registered_kernels().size();
  std::atomic<int> wins{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([t, &wins] {
      for (int i = 0; i < kEach; ++i) {
        const std::string id = std::to_string(t) + "_" + std::to_string(i);
        EXPECT_EQ(add(("t::thread_" + id).c_str()), Error::Ok);
        const std::string shared = "t::race_" + std::to_string(i);
        wins += add(shared.c_str()) == Error::Ok;
        EXPECT_TRUE(registry_has_op_function(shared.c_str()));
        const auto all = get_registered_kernels();
        EXPECT_NE(all[all.size() - 1].name_, nullptr);
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wins, kEach);
  EXPECT_EQ(get_registered_kernels().size(), before + (kThreads + 1) * kEach);
}

TEST(OperatorRegistry, ManyThreadsComeAndGo) {
  const size_t before = get_registered_kernels().size();
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 300; ++i) {
        const std::string name =
            "t::temporary_" + std::to_string(t) + "_" + std::to_string(i);
        const Kernel temporary(name.c_str(), first_kernel);
        EXPECT_EQ(register_kernel(temporary), Error::Ok);
        EXPECT_TRUE(registry_has_op_function(name.c_str()));
        unregister_kernels({&temporary, 1});
        EXPECT_FALSE(registry_has_op_function(name.c_str()));
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(get_registered_kernels().size(), before);
}

TEST(OperatorRegistry, RowsOfALibrary) {
  static constexpr registry::TagSet kTags[] = {registry::tag_bit(Tag::Tensor)};
  static const registry::Op ops[] = {
      {"t::row", first_kernel, kTags, 1, nullptr},
      {"t::row", second_kernel, kTags, 1, nullptr}};
  const Span<const registry::Op> rows(ops, 2);
  EXPECT_EQ(registry::register_ops(rows, nullptr),
            Error::RegistrationAlreadyRegistered);
  const auto found = registry::find("t::row", {});
  EXPECT_EQ(found.fn, first_kernel);
  EXPECT_EQ(found.op, &ops[0]);
  EXPECT_EQ(found.unusable, nullptr);
  registry::unregister_ops(rows);
  EXPECT_EQ(registry::find("t::row", {}).fn, nullptr);
}

TEST(OperatorRegistry, RowsThatCannotRunHere) {
  static const registry::Op op = {"t::unusable", first_kernel, nullptr, 0,
                                  nullptr};
  ASSERT_EQ(registry::register_ops({&op, 1}, "no such instruction set"),
            Error::Ok);
  EXPECT_STREQ(registry::find("t::unusable", {}).unusable,
               "no such instruction set");
  const auto fn = get_op_function_from_registry("t::unusable");
  ASSERT_TRUE(fn.ok());
  KernelRuntimeContext context;
  (*fn)(context, {});
  EXPECT_EQ(context.failure_state(), Error::NotSupported);
  registry::unregister_ops({&op, 1});
}

TEST(OperatorRegistry, ComponentOfAnOperator) {
  const struct {
    const char* name;
    const char* component;
  } cases[] = {
      {"aten::add.out", "executorch::kernels_optimized"},
      {"dim_order_ops::_to_dim_order_copy.out",
       "executorch::kernels_optimized"},
      {"et_copy::_h2d_copy.out", "executorch::kernels_optimized"},
      {"llama::quantized_moe_ffn.out", "executorch::kernels_optimized"},
      {"quantized_decomposed::add.out", "executorch::kernels_quantized"},
  };
  for (const auto& c : cases) {
    EXPECT_STREQ(registry::component_of(c.name), c.component) << c.name;
  }
  EXPECT_EQ(registry::component_of("my_ops::scale.out"), nullptr);
  EXPECT_EQ(registry::component_of(nullptr), nullptr);
}

TEST(OperatorRegistry, ALoadedComponentIsNotToBeLinked) {
  EXPECT_STREQ(registry::component_to_link("aten::not_there.out"),
               "executorch::kernels_optimized");
  ASSERT_EQ(add("aten::add.out"), Error::Ok);
  EXPECT_EQ(registry::component_to_link("aten::not_there.out"), nullptr);
  EXPECT_STREQ(registry::component_to_link("quantized_decomposed::no.out"),
               "executorch::kernels_quantized");
  EXPECT_EQ(registry::component_to_link("my_ops::scale.out"), nullptr);
}

TEST(OperatorRegistry, OldNames) {
  ASSERT_EQ(add("t::old_name"), Error::Ok);
  EXPECT_TRUE(torch::executor::hasOpsFn("t::old_name"));
  EXPECT_EQ(torch::executor::getOpsFn("t::old_name"), first_kernel);
  EXPECT_EQ(torch::executor::get_kernels().size(),
            get_registered_kernels().size());
}

}  // namespace
}  // namespace executorch::runtime
