// EValue: what it is made from, who owns what, and reading by kind.
#include <executorch/runtime/core/evalue.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace executorch::runtime {
namespace {

using aten::ArrayRef;
using aten::ScalarType;
using aten::Tensor;
using aten::TensorImpl;
using TensorPtr = std::shared_ptr<Tensor>;

template <class T>
constexpr bool kMakesValue = std::is_constructible_v<EValue, T>;

struct Unrelated {
  int member;
};

static_assert(kMakesValue<int64_t> && kMakesValue<double> && kMakesValue<bool>);
static_assert(kMakesValue<Tensor> && kMakesValue<TensorPtr> &&
              kMakesValue<TensorPtr&> && kMakesValue<std::unique_ptr<Tensor>&>);
static_assert(std::is_convertible_v<TensorPtr, EValue>);
static_assert(!kMakesValue<int*> && !std::is_convertible_v<int*, EValue>);
static_assert(!kMakesValue<Tensor*> && !kMakesValue<const char*>);
static_assert(!kMakesValue<void*> && !kMakesValue<std::nullptr_t>);
static_assert(!kMakesValue<void (*)()> && !kMakesValue<int Unrelated::*>);
static_assert(!kMakesValue<Unrelated> && !kMakesValue<EValue*>);
static_assert(sizeof(EValue) <= 32);

// A tensor that counts as alive until its last owner is gone.
struct Alive {
  int32_t sizes[1] = {2};
  float data[2] = {1, 2};
  TensorImpl impl{ScalarType::Float, 1, sizes, data};
  Tensor tensor{&impl};
};

TensorPtr counted(std::weak_ptr<Alive>& watch) {
  auto alive = std::make_shared<Alive>();
  watch = alive;
  return TensorPtr(alive, &alive->tensor);
}

TEST(EValueTest, KeepsATensorPtrAlive) {
  std::weak_ptr<Alive> watch;
  std::vector<EValue> values;
  values.push_back(counted(watch));
  EXPECT_FALSE(watch.expired());
  EXPECT_EQ(values[0].toTensor().const_data_ptr<float>()[1], 2.0f);

  EValue copy = values[0];
  EValue moved = std::move(values[0]);
  EXPECT_TRUE(values[0].isNone());
  values.clear();
  moved = EValue(int64_t(1));
  EXPECT_FALSE(watch.expired());
  copy = EValue();
  EXPECT_TRUE(watch.expired());
}

TEST(EValueTest, AHandleMovedOutOfATemporaryIsUsableInItsExpression) {
  std::weak_ptr<Alive> watch;
  EXPECT_EQ(EValue(counted(watch)).toTensor().numel(), 2);
  EXPECT_TRUE(watch.expired());
}

TEST(EValueTest, OtherPointersKeepTheirOwnership) {
  Alive alive;
  const auto unique = std::make_unique<Tensor>(&alive.impl);
  const EValue value(unique);
  EXPECT_EQ(value.toTensor().unsafeGetTensorImpl(), &alive.impl);
  EXPECT_TRUE(EValue(std::optional<Tensor>()).isNone());
  EXPECT_TRUE(EValue(std::optional<Tensor>(alive.tensor)).isTensor());
  EXPECT_TRUE(EValue(std::optional<double>(1.0)).isDouble());
}

TEST(EValueTest, AssignmentToItselfChangesNothing) {
  std::weak_ptr<Alive> watch;
  EValue value(counted(watch));
  EValue& same = value;
  value = same;
  value = std::move(same);
  EXPECT_TRUE(value.isTensor());
  EXPECT_EQ(value.toTensor().numel(), 2);
}

// One value of each kind and the tag it has.
struct Values {
  Alive alive;
  ArrayRef<char> chars{"text", 4};
  double doubles[2] = {1, 2};
  bool bools[2] = {true, false};
  ArrayRef<double> double_list{doubles};
  ArrayRef<bool> bool_list{bools};
  EValue elements[2] = {EValue(int64_t(3)), EValue(int64_t(4))};
  EValue* boxed_ints[2] = {&elements[0], &elements[1]};
  int64_t ints[2];
  BoxedEvalueList<int64_t> int_list{boxed_ints, ints, 2};
  EValue tensor_value{alive.tensor};
  EValue none;
  EValue* boxed_tensors[1] = {&tensor_value};
  alignas(Tensor) unsigned char tensors[sizeof(Tensor)];
  BoxedEvalueList<Tensor> tensor_list{boxed_tensors,
                                      reinterpret_cast<Tensor*>(tensors), 1};
  EValue* boxed_optionals[2] = {&tensor_value, &none};
  std::optional<Tensor> optionals[2];
  BoxedEvalueList<std::optional<Tensor>> optional_list{boxed_optionals,
                                                       optionals, 2};

  std::vector<std::pair<Tag, EValue>> all() {
    return {{Tag::None, EValue()},
            {Tag::Int, EValue(int64_t(5))},
            {Tag::Double, EValue(2.5)},
            {Tag::Bool, EValue(true)},
            {Tag::Tensor, EValue(alive.tensor)},
            {Tag::String, EValue(&chars)},
            {Tag::ListDouble, EValue(&double_list)},
            {Tag::ListBool, EValue(&bool_list)},
            {Tag::ListInt, EValue(&int_list)},
            {Tag::ListTensor, EValue(&tensor_list)},
            {Tag::ListOptionalTensor, EValue(&optional_list)}};
  }
};

// Reading as T has to work for exactly these tags.
template <class T>
void expect_reads(std::vector<Tag> tags) {
  Values values;
  for (const std::pair<Tag, EValue>& kind : values.all()) {
    const Tag tag = kind.first;
    const EValue& value = kind.second;
    ASSERT_EQ(value.tag, tag);
    const bool fits = std::find(tags.begin(), tags.end(), tag) != tags.end();
    const auto got = value.tryTo<T>();
    EXPECT_EQ(got.ok(), fits) << tag_to_string(tag);
    EXPECT_EQ(got.error(), fits ? Error::Ok : Error::InvalidType);
    const auto optional = value.tryToOptional<T>();
    EXPECT_EQ(optional.ok(), fits || tag == Tag::None) << tag_to_string(tag);
    if (optional.ok()) {
      EXPECT_EQ(optional->has_value(), fits) << tag_to_string(tag);
    }
    if (!fits) {
      EXPECT_DEATH((void)value.to<T>(), "the EValue is");
    }
  }
}

TEST(EValueTest, ReadsOnlyItsOwnKind) {
  testing::GTEST_FLAG(death_test_style) = "fast";
  expect_reads<int64_t>({Tag::Int});
  expect_reads<ScalarType>({Tag::Int});
  expect_reads<aten::Device>({Tag::Int});
  expect_reads<double>({Tag::Double});
  expect_reads<bool>({Tag::Bool});
  expect_reads<aten::Scalar>({Tag::Int, Tag::Double, Tag::Bool});
  expect_reads<Tensor>({Tag::Tensor});
  expect_reads<std::string_view>({Tag::String});
  expect_reads<ArrayRef<double>>({Tag::ListDouble});
  expect_reads<ArrayRef<bool>>({Tag::ListBool});
  expect_reads<ArrayRef<int64_t>>({Tag::ListInt});
  expect_reads<ArrayRef<Tensor>>({Tag::ListTensor});
  expect_reads<ArrayRef<std::optional<Tensor>>>({Tag::ListOptionalTensor});
}

TEST(EValueTest, ListsReadThroughToTheirElements) {
  Values values;
  EValue list(&values.int_list);
  EXPECT_EQ(list.toIntList()[1], 4);
  values.elements[1] = EValue(int64_t(40));
  EXPECT_EQ(list.toIntList()[1], 40);

  values.elements[1] = EValue(1.5);
  EXPECT_EQ(list.tryToIntList().error(), Error::InvalidType);
  values.boxed_ints[1] = nullptr;
  EXPECT_EQ(list.tryToIntList().error(), Error::InvalidState);

  const auto optionals = EValue(&values.optional_list).toListOptionalTensor();
  ASSERT_EQ(optionals.size(), 2u);
  EXPECT_TRUE(optionals[0].has_value());
  EXPECT_FALSE(optionals[1].has_value());
}

TEST(EValueTest, TensorsAreReadByReference) {
  Values values;
  EValue value(values.alive.tensor);
  EXPECT_EQ(&value.to<Tensor>(), &value.toTensor());
  EXPECT_EQ(&std::as_const(value).to<Tensor>(), &value.toTensor());
  EXPECT_EQ(value.toOptional<Tensor>()->numel(), 2);
  EXPECT_FALSE(EValue().toOptional<Tensor>().has_value());
}

}  // namespace
}  // namespace executorch::runtime
