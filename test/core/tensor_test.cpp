// Tensors: sizes, resizing, dim orders, checks and single values.
#include <executorch/runtime/core/exec_aten/util/tensor_shape_to_c_string.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/core/tensor_layout.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace executorch::runtime {
namespace {

using aten::ArrayRef;
using aten::ScalarType;
using aten::Tensor;
using aten::TensorImpl;
using aten::TensorShapeDynamism;
using Sizes = std::vector<int32_t>;
using Order = std::vector<uint8_t>;

constexpr int32_t kMax = std::numeric_limits<int32_t>::max();

// A tensor with arrays of its own and no data.
struct Made {
  explicit Made(Sizes s, Order o = {},
                TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC,
                ScalarType type = ScalarType::Float)
      : sizes(std::move(s)), order(std::move(o)), strides(sizes.size()) {
    if (order.empty()) {
      order.resize(sizes.size());
      std::iota(order.begin(), order.end(), uint8_t(0));
    }
    dim_order_to_stride_nocheck(sizes.data(), order.data(), sizes.size(),
                                strides.data());
    impl.emplace(type, static_cast<ssize_t>(sizes.size()), sizes.data(),
                 nullptr, order.data(), strides.data(), dynamism);
  }
  Tensor tensor() { return Tensor(&*impl); }

  Sizes sizes;
  Order order;
  Sizes strides;
  std::optional<TensorImpl> impl;
};

ArrayRef<int32_t> ref(const Sizes& sizes) {
  return {sizes.data(), sizes.size()};
}

TEST(TensorTest, ResizeFollowsItsDynamism) {
  constexpr auto kStatic = TensorShapeDynamism::STATIC;
  constexpr auto kBound = TensorShapeDynamism::DYNAMIC_BOUND;
  constexpr auto kUnbound = TensorShapeDynamism::DYNAMIC_UNBOUND;
  struct {
    TensorShapeDynamism dynamism;
    Sizes from, to;
    Order order;
    Error error;
    Sizes strides;
  } const cases[] = {
      {kStatic, {2, 3}, {2, 3}, {}, Error::Ok, {3, 1}},
      {kStatic, {2, 3}, {3, 2}, {}, Error::NotSupported, {}},
      {kBound, {2, 3}, {1, 3}, {}, Error::Ok, {3, 1}},
      {kBound, {2, 3}, {3, 2}, {}, Error::Ok, {2, 1}},
      {kBound, {2, 3}, {6, 1}, {}, Error::Ok, {1, 1}},
      {kBound, {2, 3}, {0, 9}, {}, Error::Ok, {9, 1}},
      {kBound, {2, 3}, {7, 1}, {}, Error::NotSupported, {}},
      {kBound, {2, 3}, {6}, {}, Error::NotSupported, {}},
      {kBound, {2, 3}, {1, 2, 3}, {}, Error::NotSupported, {}},
      {kBound, {2, 3}, {-1, 3}, {}, Error::InvalidArgument, {}},
      {kBound, {2, 3, 4}, {kMax, kMax, kMax}, {}, Error::InvalidArgument, {}},
      {kBound, {2, 3, 4}, {0, kMax, kMax}, {}, Error::InvalidArgument, {}},
      {kBound,
       {2, 4, 3, 3},
       {1, 4, 2, 2},
       {0, 2, 3, 1},
       Error::Ok,
       {16, 1, 8, 4}},
      {kUnbound, {2, 3}, {3, 2}, {}, Error::Ok, {2, 1}},
      {kUnbound, {2, 3}, {4, 2}, {}, Error::NotSupported, {}},
      {kBound, {}, {}, {}, Error::Ok, {}},
  };
  for (const auto& c : cases) {
    Made made(c.from, c.order, c.dynamism);
    const Sizes before = made.strides;
    EXPECT_EQ(resize_tensor(made.tensor(), ref(c.to)), c.error);
    EXPECT_EQ(made.sizes, c.error == Error::Ok ? c.to : c.from);
    EXPECT_EQ(made.strides, c.error == Error::Ok ? c.strides : before);
    EXPECT_EQ(made.tensor().numel(),
              etensor::compute_numel(made.sizes.data(), made.impl->dim()));
  }
}

TEST(TensorTest, ResizeGoesBackUpToItsBound) {
  Made made({4, 5}, {}, TensorShapeDynamism::DYNAMIC_BOUND);
  EXPECT_EQ(resize_tensor(made.tensor(), ref({1, 1})), Error::Ok);
  EXPECT_EQ(made.tensor().nbytes(), 4u);
  EXPECT_EQ(resize_tensor(made.tensor(), ref({5, 4})), Error::Ok);
  const int64_t wide[] = {2, int64_t(1) << 40};
  EXPECT_EQ(resize_tensor(made.tensor(), ArrayRef<int64_t>(wide)),
            Error::InvalidArgument);
}

TEST(TensorTest, SafeNumelRefusesWhatDoesNotCount) {
  const Sizes huge = {kMax, kMax, kMax};
  const Sizes negative = {2, -1};
  EXPECT_EQ(etensor::safe_numel(huge.data(), 3).error(),
            Error::InvalidArgument);
  EXPECT_EQ(etensor::safe_numel(negative.data(), 2).error(),
            Error::InvalidArgument);
  EXPECT_EQ(etensor::safe_numel(nullptr, 1).error(), Error::InvalidArgument);
  EXPECT_EQ(etensor::safe_numel(nullptr, 0).get(), 1);
}

TEST(DimOrderTest, GivesStridesAndComesBackFromThem) {
  struct {
    Sizes sizes;
    Order order;
    Error error;
    Sizes strides;
  } const cases[] = {
      {{2, 3, 4, 5}, {0, 1, 2, 3}, Error::Ok, {60, 20, 5, 1}},
      {{2, 3, 4, 5}, {0, 2, 3, 1}, Error::Ok, {60, 1, 15, 3}},
      {{2, 3}, {1, 0}, Error::Ok, {1, 2}},
      {{2, 0, 4}, {0, 1, 2}, Error::Ok, {4, 4, 1}},
      {{7}, {0}, Error::Ok, {1}},
      {{}, {}, Error::Ok, {}},
      {{2, 3}, {0, 0}, Error::InvalidArgument, {}},
      {{2, 3}, {0, 2}, Error::InvalidArgument, {}},
      {{1, kMax, 2}, {0, 1, 2}, Error::InvalidArgument, {}},
      {{2, -3}, {0, 1}, Error::InvalidArgument, {}},
  };
  for (const auto& c : cases) {
    Sizes strides(c.sizes.size(), 77);
    EXPECT_EQ(dim_order_to_stride(c.sizes.data(), c.order.data(),
                                  c.sizes.size(), strides.data()),
              c.error);
    if (c.error != Error::Ok) {
      EXPECT_EQ(strides, Sizes(c.sizes.size(), 77));
      continue;
    }
    EXPECT_EQ(strides, c.strides);
    Order order(c.sizes.size() + 1);
    EXPECT_EQ(stride_to_dim_order(strides.data(), strides.size(), order.data()),
              Error::Ok);
    order.pop_back();
    EXPECT_EQ(order, c.order);
  }
  uint8_t order[1];
  const Sizes many(17, 1);
  EXPECT_EQ(stride_to_dim_order(many.data(), 17, order), Error::NotSupported);
  EXPECT_EQ(stride_to_dim_order(many.data(), 1, static_cast<uint8_t*>(nullptr)),
            Error::MemoryAllocationFailed);
}

TEST(DimOrderTest, OrdersThatDescribeTheSameBytesAreTheSame) {
  struct {
    Sizes sizes;
    Order order;
    bool is_default, is_channels_last;
  } const cases[] = {
      {{2, 3, 4, 5}, {0, 1, 2, 3}, true, false},
      {{2, 3, 4, 5}, {0, 2, 3, 1}, false, true},
      {{2, 1, 4, 5}, {0, 1, 2, 3}, true, true},
      {{2, 1, 4, 5}, {0, 2, 3, 1}, true, true},
      {{2, 3, 1, 1}, {0, 2, 3, 1}, true, true},
      {{2, 3, 4, 5}, {0, 2, 1, 3}, false, false},
      {{1, 3, 4, 5}, {1, 2, 3, 0}, true, false},
      {{2, 3, 4, 1}, {0, 2, 1, 3}, false, true},
      {{0, 3, 4, 5}, {3, 2, 1, 0}, true, true},
      {{2, 3, 4, 5, 6}, {0, 2, 3, 4, 1}, false, true},
      {{2, 3}, {0, 1}, true, false},
      {{2, 3}, {1, 0}, false, false},
      {{}, {}, true, false},
  };
  for (const auto& c : cases) {
    Made made(c.sizes, c.order);
    const Tensor t = made.tensor();
    EXPECT_EQ(tensor_is_default_dim_order(t), c.is_default);
    EXPECT_EQ(tensor_is_channels_last_dim_order(t), c.is_channels_last);
    EXPECT_EQ(tensor_is_default_or_channels_last_dim_order(t),
              c.is_default || c.is_channels_last);
    EXPECT_EQ(tensor_is_contiguous(t), c.is_default);
    EXPECT_TRUE(tensor_has_valid_dim_order(t));
    EXPECT_TRUE(tensors_have_same_dim_order(t, t));
  }
}

TEST(DimOrderTest, TensorsAgreeIfOneOrderIsRightForAll) {
  Made nchw({2, 3, 4, 5});
  Made nhwc({2, 3, 4, 5}, {0, 2, 3, 1});
  Made either({2, 1, 4, 5});
  Made vector({7});
  Made odd({2, 3, 4, 5}, {3, 2, 1, 0});
  Made odd_too({2, 1, 4, 5}, {1, 3, 2, 0});
  const auto same = [](std::vector<Tensor> list) {
    return tensors_have_same_dim_order({list.data(), list.size()});
  };
  EXPECT_TRUE(same({}));
  EXPECT_TRUE(same({nchw.tensor(), vector.tensor(), either.tensor()}));
  EXPECT_TRUE(same({either.tensor(), nhwc.tensor()}));
  EXPECT_TRUE(same({odd.tensor(), odd_too.tensor()}));
  EXPECT_FALSE(same({nchw.tensor(), nhwc.tensor()}));
  EXPECT_FALSE(same({nhwc.tensor(), vector.tensor()}));
  EXPECT_FALSE(same({either.tensor(), nhwc.tensor(), nchw.tensor()}));
}

TEST(TensorCheckTest, TellsShapesApart) {
  Made a({2, 3});
  Made b({3, 2});
  Made scalar({});
  Made one({1, 1});
  EXPECT_TRUE(tensors_have_same_shape(a.tensor(), a.tensor(), a.tensor()));
  EXPECT_FALSE(tensors_have_same_shape(a.tensor(), b.tensor()));
  EXPECT_FALSE(tensors_have_same_shape(a.tensor(), a.tensor(), b.tensor()));
  EXPECT_TRUE(tensors_have_same_shape(scalar.tensor(), one.tensor()));
  EXPECT_TRUE(tensors_have_same_size_at_dims(a.tensor(), 0, b.tensor(), 1));
  EXPECT_FALSE(tensors_have_same_size_at_dims(a.tensor(), 0, b.tensor(), 2));
  EXPECT_TRUE(tensor_has_expected_size(a.tensor(), ref({2, 3})));
  EXPECT_FALSE(tensor_has_expected_size(a.tensor(), ref({2})));
}

TEST(TensorCheckTest, CountsDimensionsFromBothEnds) {
  Made made({2, 0});
  Made scalar({});
  struct {
    Tensor tensor;
    int64_t dim;
    bool has, non_empty;
  } const cases[] = {
      {made.tensor(), 0, true, true},     {made.tensor(), 1, true, false},
      {made.tensor(), -1, true, false},   {made.tensor(), -2, true, true},
      {made.tensor(), 2, false, false},   {made.tensor(), -3, false, false},
      {scalar.tensor(), 0, true, true},   {scalar.tensor(), -1, true, true},
      {scalar.tensor(), 1, false, false}, {scalar.tensor(), -2, false, false},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(tensor_has_dim(c.tensor, c.dim), c.has) << c.dim;
    EXPECT_EQ(tensor_has_non_empty_dim(c.tensor, c.dim), c.non_empty) << c.dim;
  }
  EXPECT_TRUE(tensor_dim_has_index(made.tensor(), -2, -2));
  EXPECT_FALSE(tensor_dim_has_index(made.tensor(), 0, 2));
  EXPECT_FALSE(tensor_dim_has_index(made.tensor(), 1, 0));
}

TEST(TensorIndexTest, IndexAndCoordinateAreInverse) {
  Made made({2, 3, 4});
  const Tensor t = made.tensor();
  EXPECT_EQ(getLeadingDims(t, 2), 6u);
  EXPECT_EQ(getTrailingDims(t, 0), 12u);
  EXPECT_EQ(getTrailingDims(t, -1), 24u);
  size_t memo[kTensorDimensionLimit];
  memoizeTrailingDims(t, memo);
  for (size_t i = 0; i < 24; ++i) {
    size_t at[kTensorDimensionLimit];
    indexToCoordinate(t, i, at);
    EXPECT_EQ(coordinateToIndex(t, at), i);
    EXPECT_EQ(coordinateToIndexWithTrailingDimsMemo(t, at, memo), i);
  }
}

// A tensor of one element.
template <class T>
struct One {
  explicit One(T v) : value(v) {}
  T value;
  TensorImpl impl{CppTypeToScalarType<T>::value, 0, nullptr, &value};
  Tensor tensor{&impl};
};

template <class To, class From>
std::optional<To> extract(From value) {
  One<From> one(value);
  To got{};
  return extract_scalar_tensor(one.tensor, &got) ? std::optional<To>(got)
                                                 : std::nullopt;
}

TEST(ExtractScalarTest, TakesWhatFits) {
  EXPECT_EQ(extract<int64_t>(int8_t{-5}), -5);
  EXPECT_EQ(extract<uint8_t>(int64_t{255}), 255);
  EXPECT_EQ(extract<uint8_t>(int64_t{256}), std::nullopt);
  EXPECT_EQ(extract<uint8_t>(int64_t{-1}), std::nullopt);
  EXPECT_EQ(extract<uint64_t>(int64_t{-1}), std::nullopt);
  EXPECT_EQ(extract<uint64_t>(int64_t{1} << 62), uint64_t{1} << 62);
  EXPECT_EQ(extract<int64_t>(1.0f), std::nullopt);
  EXPECT_EQ(extract<int64_t>(true), std::nullopt);
  EXPECT_EQ(extract<double>(int32_t{7}), 7.0);
  EXPECT_EQ(extract<float>(1e300), std::nullopt);
  EXPECT_EQ(extract<float>(double{INFINITY}), INFINITY);
  EXPECT_TRUE(std::isnan(*extract<float>(double{NAN})));
  EXPECT_EQ(extract<float>(aten::Half(1.5f)), 1.5f);
  EXPECT_EQ(extract<bool>(true), true);
  EXPECT_EQ(extract<bool>(int64_t{1}), std::nullopt);
  EXPECT_EQ(extract<double>(true), std::nullopt);
  Made two({2});
  double value;
  EXPECT_FALSE(extract_scalar_tensor(two.tensor(), &value));
}

TEST(TensorDataTest, SharesCopiesAndSetsOnlyWhatFits) {
  int32_t size = 2;
  float from[2] = {1, 2};
  float to[2] = {};
  TensorImpl source(ScalarType::Float, 1, &size, from);
  TensorImpl target(ScalarType::Float, 1, &size, to);
  TensorImpl empty(ScalarType::Float, 1, &size);
  TensorImpl scalar(ScalarType::Float, 0, nullptr);
  const Tensor s(&source), t(&target), e(&empty), n(&scalar);
  EXPECT_EQ(internal::copy_tensor_data(t, s), Error::Ok);
  EXPECT_EQ(to[1], 2.0f);
  EXPECT_EQ(internal::copy_tensor_data(t, e), Error::InvalidArgument);
  EXPECT_EQ(internal::copy_tensor_data(n, s), Error::InvalidArgument);
  EXPECT_EQ(internal::share_tensor_data(e, s), Error::Ok);
  EXPECT_EQ(e.const_data_ptr(), from);
  EXPECT_EQ(internal::share_tensor_data(n, s), Error::InvalidArgument);
  EXPECT_EQ(internal::set_tensor_data(e, to, 7), Error::InvalidArgument);
  EXPECT_EQ(internal::set_tensor_data(e, to, 8), Error::Ok);
  internal::reset_data_ptr(e);
  EXPECT_EQ(e.const_data_ptr(), nullptr);
}

TEST(TensorShapeTextTest, ShowsSizes) {
  const Sizes shape = {2, 3, -1, kMax};
  EXPECT_STREQ(tensor_shape_to_c_string({shape.data(), 4}).data(),
               "(2, 3, ERR, 2147483647)");
  EXPECT_STREQ(tensor_shape_to_c_string({shape.data(), size_t(1)}).data(),
               "(2)");
  EXPECT_STREQ(tensor_shape_to_c_string(Span<const int64_t>()).data(), "()");
  const std::vector<int64_t> many(20, kMax);
  const auto text = tensor_shape_to_c_string({many.data(), many.size()});
  EXPECT_EQ(std::string(text.data()).size(), 12 * kTensorDimensionLimit);
}

TEST(TensorLayoutTest, ChecksWhatItIsMadeFrom) {
  struct {
    Sizes sizes;
    Order order;
    ScalarType type;
    Error error;
    size_t nbytes;
  } const cases[] = {
      {{2, 3}, {0, 1}, ScalarType::Half, Error::Ok, 12},
      {{2, 3}, {1, 0}, ScalarType::Long, Error::Ok, 48},
      {{}, {}, ScalarType::Double, Error::Ok, 8},
      {{0, 3}, {0, 1}, ScalarType::Float, Error::Ok, 0},
      {{2, 3}, {0}, ScalarType::Half, Error::InvalidArgument, 0},
      {{2, 3}, {0, 0}, ScalarType::Half, Error::InvalidArgument, 0},
      {{2, -3}, {0, 1}, ScalarType::Half, Error::InvalidArgument, 0},
      {{2}, {0}, static_cast<ScalarType>(77), Error::InvalidArgument, 0},
      {{kMax, kMax, 2},
       {0, 1, 2},
       ScalarType::ComplexDouble,
       Error::InvalidArgument,
       0},
  };
  for (const auto& c : cases) {
    const auto layout =
        TensorLayout::create({c.sizes.data(), c.sizes.size()},
                             {c.order.data(), c.order.size()}, c.type);
    ASSERT_EQ(layout.error(), c.error);
    if (layout.ok()) {
      EXPECT_EQ(layout->nbytes(), c.nbytes);
      EXPECT_EQ(layout->sizes().size(), c.sizes.size());
    }
  }
}

}  // namespace
}  // namespace executorch::runtime
