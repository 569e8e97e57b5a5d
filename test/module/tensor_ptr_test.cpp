// Tensors made in an application.
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/core/evalue.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace executorch::extension {
namespace {

using aten::BFloat16;
using aten::Device;
using aten::DeviceType;
using aten::Half;
using aten::ScalarType;
using aten::SizesType;
using aten::StridesType;
using aten::TensorShapeDynamism;
using runtime::Error;
using runtime::EValue;

template <class T>
std::vector<T> values(const TensorPtr& tensor) {
  const T* data = tensor->const_data_ptr<T>();
  return std::vector<T>(data, data + tensor->numel());
}

template <class List>
std::vector<int> numbers(const List& list) {
  return {list.begin(), list.end()};
}

float data[24] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

TEST(TensorPtr, BlobsStayWhereTheyAre) {
  const auto tensor = from_blob(data, {2, 3});
  EXPECT_EQ(tensor->const_data_ptr(), data);
  EXPECT_EQ(tensor->scalar_type(), ScalarType::Float);
  EXPECT_EQ(tensor->shape_dynamism(), TensorShapeDynamism::DYNAMIC_BOUND);
  EXPECT_EQ(numbers(tensor->strides()), (std::vector<int>{3, 1}));
  EXPECT_EQ(numbers(tensor->dim_order()), (std::vector<int>{0, 1}));
}

TEST(TensorPtr, DeletersRunOnce) {
  int deleted = 0;
  const auto count = [&](void* p) { deleted += p == data ? 1 : 100; };
  {
    auto tensor = from_blob(data, {2, 3}, ScalarType::Float,
                            Device(DeviceType::CPU), count);
    auto other = tensor;
    EValue value(other);
    tensor.reset();
    other.reset();
    EXPECT_EQ(deleted, 0);  // the value keeps it alive
    EXPECT_EQ(value.toTensor().const_data_ptr(), data);
  }
  EXPECT_EQ(deleted, 1);
  // After an error the data is still the caller's.
  EXPECT_FALSE(try_make_tensor_ptr({-1}, data, ScalarType::Float,
                                   Device(DeviceType::CPU),
                                   TensorShapeDynamism::STATIC, count)
                   .ok());
  EXPECT_EQ(deleted, 1);
}

TEST(TensorPtr, ShapesOfMemory) {
  const struct {
    std::vector<SizesType> sizes;
    std::vector<aten::DimOrderType> dim_order;
    std::vector<StridesType> strides;
    bool ok;
    std::vector<int> expected_strides;
    std::vector<int> expected_order;
  } cases[] = {
      {{2, 3}, {}, {1, 2}, true, {1, 2}, {1, 0}},
      {{2, 3}, {1, 0}, {}, true, {1, 2}, {1, 0}},
      {{2, 3}, {1, 0}, {1, 2}, true, {1, 2}, {1, 0}},
      {{1, 2, 2, 3}, {0, 2, 3, 1}, {}, true, {12, 1, 6, 2}, {0, 2, 3, 1}},
      {{}, {}, {}, true, {}, {}},
      {{0, 3}, {}, {3, 1}, true, {3, 1}, {0, 1}},
      {{2, 1}, {}, {1, 1}, true, {1, 1}, {0, 1}},
      {{2, 1}, {}, {1, 77}, true, {1, 2}, {1, 0}},  // size 1: any stride
      {{2, 3}, {}, {3, 2}, false, {}, {}},          // gaps
      {{2, 3}, {}, {0, 1}, false, {}, {}},          // overlap
      {{2, 3}, {0, 1}, {1, 2}, false, {}, {}},      // contradiction
      {{2, 3}, {}, {1}, false, {}, {}},
      {{2, 3}, {0, 0}, {}, false, {}, {}},
      {{2, 3}, {0, 2}, {}, false, {}, {}},
      {{2, 3}, {0}, {}, false, {}, {}},
      {{-2, 3}, {}, {}, false, {}, {}},
      {std::vector<SizesType>(17, 1), {}, {}, false, {}, {}},
      {{1 << 30, 1 << 30, 1 << 30}, {}, {}, false, {}, {}},
      {{1, 1 << 30, 8}, {}, {}, false, {}, {}},  // a stride beyond 32 bits
  };
  for (const auto& c : cases) {
    const auto tensor =
        try_make_tensor_ptr(c.sizes, data, c.dim_order, c.strides);
    SCOPED_TRACE(testing::PrintToString(c.sizes) +
                 testing::PrintToString(c.strides));
    ASSERT_EQ(tensor.ok(), c.ok);
    if (!c.ok) {
      EXPECT_EQ(tensor.error(), Error::InvalidArgument);
      continue;
    }
    EXPECT_EQ(numbers((*tensor)->strides()), c.expected_strides);
    EXPECT_EQ(numbers((*tensor)->dim_order()), c.expected_order);
  }
  EXPECT_FALSE(
      try_make_tensor_ptr({2}, data, static_cast<ScalarType>(99)).ok());
  EXPECT_FALSE(try_make_tensor_ptr({2}, data, ScalarType::Undefined).ok());
}

TEST(TensorPtr, OwnsVectorsAndLists) {
  EXPECT_EQ(values<float>(make_tensor_ptr({2, 2}, {1.f, 2.f, 3.f, 4.f})),
            (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(values<int32_t>(make_tensor_ptr({2}, {1, 2})),
            (std::vector<int32_t>{1, 2}));
  EXPECT_EQ(values<int64_t>(make_tensor_ptr(std::vector<int64_t>{1, 2})),
            (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(values<double>(make_tensor_ptr(2.5)), std::vector<double>{2.5});
  EXPECT_EQ(make_tensor_ptr(2.5)->dim(), 0);
  EXPECT_EQ(make_tensor_ptr({1.f, 2.f})->dim(), 1);
  EXPECT_EQ(make_tensor_ptr(std::vector<float>{})->numel(), 0);
}

TEST(TensorPtr, OwnsBools) {
  for (const auto& tensor :
       {make_tensor_ptr({3}, {true, false, true}),
        make_tensor_ptr({true, false, true}),
        make_tensor_ptr({3}, std::vector<bool>{true, false, true})}) {
    EXPECT_EQ(tensor->scalar_type(), ScalarType::Bool);
    EXPECT_EQ(values<bool>(tensor), (std::vector<bool>{true, false, true}));
  }
  EXPECT_EQ(values<bool>(make_tensor_ptr(true)), std::vector<bool>{true});
  const auto as_float = make_tensor_ptr({2}, std::vector<bool>{true, false}, {},
                                        {}, ScalarType::Float);
  EXPECT_EQ(values<float>(as_float), (std::vector<float>{1, 0}));
}

TEST(TensorPtr, Casts) {
  const auto cast = [](auto vector, ScalarType type) {
    const auto size = static_cast<SizesType>(vector.size());
    return try_make_tensor_ptr({size}, vector, {}, {}, type);
  };
  const std::vector<float> floats{1.5f, -2.f, 70000.f};
  EXPECT_EQ(values<double>(*cast(floats, ScalarType::Double)),
            (std::vector<double>{1.5, -2, 70000}));
  const auto half = *cast(floats, ScalarType::Half);
  EXPECT_EQ(static_cast<float>(half->const_data_ptr<Half>()[1]), -2.f);
  EXPECT_TRUE(std::isinf(static_cast<float>(half->const_data_ptr<Half>()[2])));
  const auto bfloat = *cast(floats, ScalarType::BFloat16);
  EXPECT_EQ(static_cast<float>(bfloat->const_data_ptr<BFloat16>()[0]), 1.5f);
  EXPECT_EQ(values<float>(
                *cast(std::vector<int64_t>{-3, 1 << 20}, ScalarType::Float)),
            (std::vector<float>{-3, 1 << 20}));
  EXPECT_EQ(
      values<uint8_t>(*cast(std::vector<int32_t>{300, -1}, ScalarType::Byte)),
      (std::vector<uint8_t>{44, 255}));

  EXPECT_EQ(cast(floats, ScalarType::Int).error(), Error::InvalidArgument);
  EXPECT_EQ(cast(floats, ScalarType::ComplexFloat).error(),
            Error::InvalidArgument);
  EXPECT_EQ(cast(std::vector<int>{1}, ScalarType::Bool).error(),
            Error::InvalidArgument);
}

TEST(TensorPtr, DataOfAnotherSize) {
  EXPECT_EQ(try_make_tensor_ptr({2, 2}, std::vector<float>{1, 2, 3}).error(),
            Error::InvalidArgument);
  EXPECT_EQ(try_make_tensor_ptr({2}, std::vector<uint8_t>(7), {}, {},
                                ScalarType::Float)
                .error(),
            Error::InvalidArgument);
  const auto bytes = make_tensor_ptr({2}, std::vector<uint8_t>(8, 0));
  EXPECT_EQ(bytes->scalar_type(), ScalarType::Float);
  EXPECT_EQ(values<float>(bytes), (std::vector<float>{0, 0}));
}

TEST(TensorPtrDeathTest, FactoriesWithoutAResultAbort) {
  EXPECT_DEATH(make_tensor_ptr({2, 2}, std::vector<float>{1, 2, 3}), "");
  EXPECT_DEATH(from_blob(data, {-1}), "");
}

TEST(TensorPtr, Views) {
  const auto base = from_blob(data, {2, 6});
  const auto view = make_tensor_ptr(base, {3, 4});
  EXPECT_EQ(view->const_data_ptr(), data);
  EXPECT_EQ(numbers(view->sizes()), (std::vector<int>{3, 4}));
  EXPECT_EQ(numbers(make_tensor_ptr(*base)->sizes()), (std::vector<int>{2, 6}));
  EXPECT_EQ(make_tensor_ptr(base, {2})->numel(), 2);
  EXPECT_EQ(try_make_tensor_ptr(*base, {13}).error(), Error::InvalidArgument);

  const auto columns = from_blob(data, {2, 3}, {1, 2});
  EXPECT_EQ(numbers(make_tensor_ptr(columns)->strides()),
            (std::vector<int>{1, 2}));

  std::weak_ptr<aten::Tensor> watched;
  TensorPtr keeper;
  {
    auto owner = make_tensor_ptr({2}, {1.f, 2.f});
    watched = owner;
    keeper = make_tensor_ptr(owner, {1});
  }
  EXPECT_FALSE(watched.expired());
  EXPECT_EQ(values<float>(keeper), std::vector<float>{1});
}

TEST(TensorPtr, Clones) {
  const auto columns = from_blob(data, {2, 3}, {1, 2});
  const auto clone = clone_tensor_ptr(columns);
  EXPECT_NE(clone->const_data_ptr(), data);
  EXPECT_EQ(numbers(clone->strides()), (std::vector<int>{1, 2}));
  EXPECT_EQ(values<float>(clone), (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(values<double>(clone_tensor_ptr(*columns, ScalarType::Double)),
            (std::vector<double>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(try_clone_tensor_ptr(*columns, ScalarType::Int).error(),
            Error::InvalidArgument);
  EXPECT_EQ(clone_tensor_ptr(make_tensor_ptr({2}, nullptr, ScalarType::Int))
                ->const_data_ptr(),
            nullptr);
  const auto large = full({1000}, 7, ScalarType::Int);
  EXPECT_EQ(values<int64_t>(clone_tensor_ptr(large, ScalarType::Long)),
            std::vector<int64_t>(1000, 7));
}

TEST(TensorPtr, Resizes) {
  auto tensor = from_blob(data, {2, 3});
  EXPECT_EQ(resize_tensor_ptr(tensor, {1, 3}), Error::Ok);
  EXPECT_EQ(resize_tensor_ptr(tensor, {3, 2}), Error::Ok);
  EXPECT_EQ(resize_tensor_ptr(tensor, {3, 3}), Error::NotSupported);
  EXPECT_EQ(resize_tensor_ptr(tensor, {6}), Error::NotSupported);
  auto fixed =
      TensorPtr(for_blob(data, {2, 3}).dynamism(TensorShapeDynamism::STATIC));
  EXPECT_EQ(resize_tensor_ptr(fixed, {1, 3}), Error::NotSupported);
  TensorPtr null;
  EXPECT_EQ(resize_tensor_ptr(null, {1}), Error::InvalidArgument);
}

TEST(TensorPtr, DevicesWithoutAnAllocator) {
  const auto tensor = from_blob(data, {2});
  EXPECT_EQ(values<float>(clone_tensor_ptr_to(tensor, Device(DeviceType::CPU))),
            (std::vector<float>{0, 1}));
  EXPECT_EQ(try_clone_tensor_ptr_to(tensor, Device(DeviceType::CUDA)).error(),
            Error::NotFound);
}

TEST(TensorPtrMaker, FillsTensors) {
  EXPECT_EQ(values<float>(zeros({3})), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(values<int64_t>(ones({2}, ScalarType::Long)),
            (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(values<int32_t>(full({600}, 2.9, ScalarType::Int)),
            std::vector<int32_t>(600, 2));
  EXPECT_EQ(values<int32_t>(full({1}, 1e300, ScalarType::Int)).size(), 1u);
  EXPECT_EQ(values<bool>(full({1}, 3, ScalarType::Bool)),
            std::vector<bool>{true});
  EXPECT_EQ(scalar_tensor(4)->dim(), 0);
  EXPECT_EQ(values<float>(full_like(zeros({2}), 3)),
            (std::vector<float>{3, 3}));
  EXPECT_EQ(values<int16_t>(ones_like(zeros({2}), ScalarType::Short)),
            (std::vector<int16_t>{1, 1}));
  EXPECT_EQ(numbers(empty_like(empty_strided({2, 3}, {1, 2}))->strides()),
            (std::vector<int>{1, 2}));
  EXPECT_EQ(try_full_strided({2}, {}, 1, ScalarType::ComplexFloat).error(),
            Error::NotSupported);
}

TEST(TensorPtrMaker, ErrorsOfSize) {
  EXPECT_EQ(try_empty_strided({-1}, {}).error(), Error::InvalidArgument);
  EXPECT_EQ(try_empty_strided({2}, {2}).error(), Error::InvalidArgument);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_EQ(try_empty_strided({1 << 20, 1 << 20, 1 << 20}, {}, ScalarType::Byte)
                .error(),
            Error::InvalidArgument);  // a stride beyond 32 bits
  EXPECT_EQ(try_empty_strided({std::numeric_limits<SizesType>::max(), 1 << 30},
                              {}, ScalarType::Byte)
                .error(),
            Error::MemoryAllocationFailed);
#endif
}

TEST(TensorPtrMaker, RandomNumbers) {
  for (const auto type : {ScalarType::Float, ScalarType::Double,
                          ScalarType::Half, ScalarType::BFloat16}) {
    const auto numbers = values<double>(
        clone_tensor_ptr(rand({1000}, type), ScalarType::Double));
    for (const double number : numbers) {
      EXPECT_GE(number, 0);
      EXPECT_LT(number, 1);
    }
  }
  for (const int32_t number : values<int32_t>(randint(-3, 4, {500}))) {
    EXPECT_GE(number, -3);
    EXPECT_LT(number, 4);
  }
  double sum = 0, squares = 0;
  for (const float number : values<float>(randn({10000}))) {
    sum += number;
    squares += number * number;
  }
  EXPECT_NEAR(sum / 10000, 0, 0.1);
  EXPECT_NEAR(squares / 10000, 1, 0.1);
  EXPECT_NE(values<float>(rand({10})), values<float>(rand({10})));
  EXPECT_EQ(try_randint_strided(3, 3, {2}, {}).error(), Error::InvalidArgument);
}

TEST(TensorAccessor, ReadsAndWrites) {
  float memory[6] = {0, 1, 2, 3, 4, 5};
  const auto tensor = from_blob(memory, {2, 3});
  auto accessor = make_tensor_accessor<float, 2>(*tensor);
  ASSERT_TRUE(accessor.ok());
  EXPECT_EQ((*accessor)[1][2], 5.f);
  (*accessor)[1][0] = 30.f;
  EXPECT_EQ(memory[3], 30.f);
  EXPECT_EQ(accessor->size(1), 3);
  EXPECT_EQ(accessor->stride(0), 3);
  EXPECT_TRUE((make_tensor_accessor<const float, 2>(*tensor).ok()));
  EXPECT_EQ((make_tensor_accessor<float, 1>(*tensor).error()),
            Error::InvalidArgument);
  EXPECT_EQ((make_tensor_accessor<double, 2>(*tensor).error()),
            Error::InvalidArgument);
  EXPECT_EQ((make_tensor_accessor<float, 2>(*from_blob(memory, {2, 3}, {1, 2}))
                 .error()),
            Error::NotSupported);
}

}  // namespace
}  // namespace executorch::extension
