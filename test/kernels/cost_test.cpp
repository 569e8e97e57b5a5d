// What a call costs, with limits that hold on a busy machine too: no operator
// is slower than the loop that anyone would write, and a pool is used where
// there is enough to do, not where waking it takes longer.
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "src/core/parallel.h"

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

  // The elements of tensor number `index`.
  template <class T = float>
  T* data(size_t index) {
    return tensors_[index]->mutable_data_ptr<T>();
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

void plain_convolution(const Convolution& c, const float* input,
                       const float* weight, const float* bias, float* out) {
  const int per_group = c.in / c.groups;
  for (int n = 0; n < c.batch; ++n) {
    for (int o = 0; o < c.out; ++o) {
      const int first = o / (c.out / c.groups) * per_group;
      for (int y = 0; y < c.size; ++y) {
        for (int x = 0; x < c.size; ++x) {
          float sum = bias[o];
          for (int i = 0; i < per_group; ++i) {
            const float* plane =
                input + (n * c.in + first + i) * c.size * c.size;
            const float* taps = weight + (o * per_group + i) * 9;
            for (int ky = 0; ky < 3; ++ky) {
              for (int kx = 0; kx < 3; ++kx) {
                const int sy = y + ky - 1;
                const int sx = x + kx - 1;
                if (sy >= 0 && sy < c.size && sx >= 0 && sx < c.size) {
                  sum += plane[sy * c.size + sx] * taps[ky * 3 + kx];
                }
              }
            }
          }
          *out++ = sum;
        }
      }
    }
  }
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

void plain_max_pool(int planes, int size, const float* input, float* out,
                    int64_t* indices) {
  for (int p = 0; p < planes; ++p, input += size * size) {
    for (int y = 0; y < size; y += 2) {
      for (int x = 0; x < size; x += 2) {
        int64_t best = y * size + x;
        for (int sy = std::max(y - 1, 0); sy <= y + 1; ++sy) {
          for (int sx = std::max(x - 1, 0); sx <= x + 1; ++sx) {
            const int64_t at = sy * size + sx;
            if (input[at] > input[best] || std::isnan(input[at])) {
              best = at;
            }
          }
        }
        *out++ = input[best];
        *indices++ = best;
      }
    }
  }
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

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> time =
      std::chrono::steady_clock::now() - start;
  return time.count();
}

// On one thread, the best of many turns of each, so that it does not matter
// what else runs.
void expect_not_slower(const std::function<void()>& ours,
                       const std::function<void()>& plain,
                       const std::string& what) {
  core::set_parallel_backend(nullptr);
  double best_ours = std::numeric_limits<double>::infinity();
  double best_plain = best_ours;
  for (int i = 0; i < 200; ++i) {
    best_ours = std::min(best_ours, seconds(ours));
    best_plain = std::min(best_plain, seconds(plain));
  }
  EXPECT_LE(best_ours, best_plain) << what;
}

TEST(Cost, ConvolutionsAreNotSlowerThanAPlainLoop) {
  for (const Convolution& c : {Convolution{2, 3, 8, 1, 16},
                               {1, 16, 16, 1, 8},
                               {1, 8, 8, 8, 16},
                               {1, 32, 32, 32, 28}}) {
    Call call = convolution(c);
    std::vector<float> out(c.batch * c.out * c.size * c.size);
    expect_not_slower([&] { call.run(); },
                      [&] {
                        plain_convolution(c, call.data(0), call.data(1),
                                          call.data(2), out.data());
                      },
                      "convolution of " + std::to_string(c.in) + " channels");
    for (size_t i = 0; i < out.size(); ++i) {
      ASSERT_NEAR(call.data(3)[i], out[i], 1e-3) << i;
    }
  }
}

TEST(Cost, PoolingIsNotSlowerThanAPlainLoop) {
  const struct { int planes, size; } rows[] = {{16, 28}, {8, 56}};
  for (const auto& row : rows) {
    const int planes = row.planes, size = row.size;
    Call call = max_pool(planes, size);
    std::vector<float> out(planes * size * size / 4);
    std::vector<int64_t> indices(out.size());
    expect_not_slower([&] { call.run(); },
                      [&] {
                        plain_max_pool(planes, size, call.data(0), out.data(),
                                       indices.data());
                      },
                      "max_pool2d");
    EXPECT_TRUE(std::equal(out.begin(), out.end(), call.data(1)));
    EXPECT_TRUE(
        std::equal(indices.begin(), indices.end(), call.data<int64_t>(2)));
  }
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

TEST(Cost, ThePoolIsUsedWhereItPays) {
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
