// A pool is used where there is enough to do, not where waking it takes longer.
#include "src/core/parallel.h"

#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <vector>

namespace executorch::kernels {
namespace {

using aten::SizesType;
using extension::TensorPtr;
using runtime::EValue;
using Sizes = std::vector<SizesType>;

// A boxed call of an operator. Tensors hold random numbers.
class Call {
 public:
  explicit Call(const char* name)
      : function_(runtime::get_op_function_from_registry(name)) {}
  Call(Call&&) = default;  // lists stay where they are

  Call& tensor(const Sizes& sizes) {
    tensors_.push_back(extension::randn(sizes));
    return value(tensors_.back());
  }
  Call& indices(const Sizes& sizes) {
    tensors_.push_back(extension::zeros(sizes, aten::ScalarType::Long));
    return value(tensors_.back());
  }
  Call& ints(std::array<int64_t, 2> items) {
    lists_.emplace_back(items);
    return value(&lists_.back().list);
  }
  Call& value(EValue value) {
    values_.push_back(std::move(value));
    return *this;
  }

  void run() {
    std::vector<EValue*> stack;
    for (EValue& value : values_) {
      stack.push_back(&value);
    }
    stack.push_back(stack.back());  // the returned value: the out argument
    runtime::KernelRuntimeContext context;
    function_.get()(context, {stack.data(), stack.size()});
    ASSERT_EQ(context.failure_state(), runtime::Error::Ok);
  }

 private:
  struct IntList {
    explicit IntList(std::array<int64_t, 2> items)
        : values{EValue(items[0]), EValue(items[1])},
          pointers{&values[0], &values[1]},
          list(pointers.data(), unboxed.data(), 2) {}
    std::array<EValue, 2> values;
    std::array<EValue*, 2> pointers;
    std::array<int64_t, 2> unboxed;
    runtime::BoxedEvalueList<int64_t> list;
  };

  runtime::Result<runtime::OpFunction> function_;
  std::vector<TensorPtr> tensors_;
  std::deque<IntList> lists_;
  std::deque<EValue> values_;
};

struct Convolution {
  SizesType batch, in, out, groups, size;  // 3x3, padded by one
};

Call convolution(const Convolution& c) {
  Call call("aten::convolution.out");
  call.tensor({c.batch, c.in, c.size, c.size})
      .tensor({c.out, c.in / c.groups, 3, 3})
      .tensor({c.out})
      .ints({1, 1})
      .ints({1, 1})
      .ints({1, 1})
      .value(false)
      .ints({0, 0})
      .value(int64_t{c.groups})
      .tensor({c.batch, c.out, c.size, c.size});
  return call;
}

// 3x3 with stride 2, padded by one, of float planes.
Call max_pool(SizesType planes, SizesType size) {
  Call call("aten::max_pool2d_with_indices.out");
  call.tensor({1, planes, size, size})
      .ints({3, 3})
      .ints({2, 2})
      .ints({1, 1})
      .ints({1, 1})
      .value(false)
      .tensor({1, planes, size / 2, size / 2})
      .indices({1, planes, size / 2, size / 2});
  return call;
}

Call linear(SizesType rows, SizesType in, SizesType out) {
  Call call("aten::linear.out");
  call.tensor({rows, in}).tensor({out, in}).tensor({out}).tensor({rows, out});
  return call;
}

Call add(SizesType size) {
  Call call("aten::add.out");
  call.tensor({size}).tensor({size}).value(int64_t{1}).tensor({size});
  return call;
}

// Stands for a pool of four threads, and counts how often it is used.
int pool_uses = 0;
const core::ParallelBackend kPool = {
    [] { return size_t{4}; }, [] { return true; },
    [](runtime::FunctionRef<void(size_t)> task, size_t range) {
      ++pool_uses;
      for (size_t i = 0; i < range; ++i) {
        task(i);
      }
    }};

TEST(Parallel, ThePoolIsUsedWhereItPays) {
  struct {
    const char* what;
    Call call;
    bool shared;
  } rows[] = {
      {"linear of 4x16 by 16x64", linear(4, 16, 64), false},
      {"linear of 1x64 by 64x64", linear(1, 64, 64), false},
      {"add of 1000", add(1000), false},
      {"convolution of 8x8", convolution({1, 3, 8, 1, 8}), false},
      {"depthwise of 16x16", convolution({1, 8, 8, 8, 16}), false},
      {"pooling of 16x16", max_pool(8, 16), false},
      {"linear of 64x1024 by 1024x1024", linear(64, 1024, 1024), true},
      {"add of 2 million", add(2 << 20), true},
      {"convolution of 56x56", convolution({1, 64, 64, 1, 56}), true},
      {"depthwise of 112x112", convolution({1, 64, 64, 64, 112}), true},
      {"pooling of 112x112", max_pool(64, 112), true},
  };
  core::set_parallel_backend(&kPool);
  for (auto& row : rows) {
    pool_uses = 0;
    row.call.run();
    EXPECT_EQ(pool_uses > 0, row.shared) << row.what;
  }
  core::set_parallel_backend(nullptr);
}

}  // namespace
}  // namespace executorch::kernels
