// The mixture-of-experts operator on the cases in test/data/moe: index.json
// lists calls with expected results, recipes for calls that must be refused,
// and products of quantized matrices.
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "test/support/npy.h"

namespace executorch::test {
namespace {

using aten::ScalarType;
using extension::TensorPtr;
using nlohmann::json;
using runtime::Error;
using runtime::EValue;

const std::filesystem::path kData =
    std::filesystem::path(ET_TEST_DATA_DIR) / "moe";

const json& index() {
  static const json parsed = json::parse(std::ifstream(kData / "index.json"));
  return parsed;
}

// One call: tensors by name, and the numbers and the string in `arguments`.
struct Call {
  explicit Call(const std::string& name) {
    const std::filesystem::path folder = kData / name;
    arguments = json::parse(std::ifstream(folder / "meta.json"));
    for (const char* tensor : {"x", "gate", "bias"}) {
      arrays[tensor] =
          read_npy(folder / (std::string(tensor) + ".npy"), "float32");
    }
    for (const char* tensor : {"w13", "w2"}) {
      arrays[tensor] =
          read_npy(folder / (std::string(tensor) + ".npy"), "uint8");
    }
  }

  TensorPtr tensor(const std::string& name) {
    Array& array = arrays.at(name);
    std::vector<aten::SizesType> sizes(array.shape.begin(), array.shape.end());
    return extension::from_blob(
        array.bytes.data(), sizes,
        dtypes.count(name) ? dtypes[name] : native(name));
  }
  static ScalarType native(const std::string& name) {
    return name[0] == 'w' ? ScalarType::Byte : ScalarType::Float;
  }

  Error run() {
    const int64_t tokens = arrays["x"].shape[0], dim = arguments["D"];
    result.assign(static_cast<size_t>(tokens * dim), kGarbage);
    std::vector<aten::SizesType> sizes{static_cast<aten::SizesType>(tokens),
                                       static_cast<aten::SizesType>(dim)};
    TensorPtr inputs[] = {tensor("x"), tensor("gate"), tensor("bias"),
                          tensor("w13"), tensor("w2")};
    TensorPtr out = extension::from_blob(
        result.data(), sizes,
        dtypes.count("out") ? dtypes["out"] : ScalarType::Float);
    const std::string function = arguments["score_func"];
    runtime::ArrayRef<char> characters(function.data(), function.size());
    std::vector<EValue> values;
    for (const TensorPtr& t : inputs) {
      values.emplace_back(*t);
    }
    for (const char* name : {"K", "E", "F", "D", "group_size", "weight_nbit"}) {
      values.emplace_back(arguments[name].get<int64_t>());
    }
    values.emplace_back(&characters);
    values.emplace_back(arguments["route_scale"].get<double>());
    values.emplace_back(*out);
    std::vector<EValue*> stack;
    for (EValue& value : values) {
      stack.push_back(&value);
    }
    stack.push_back(&values.back());
    auto op =
        runtime::get_op_function_from_registry("llama::quantized_moe_ffn.out");
    if (!op.ok()) {
      return op.error();
    }
    runtime::KernelRuntimeContext context;
    (*op)(context, {stack.data(), stack.size()});
    return context.failure_state();
  }

  static constexpr float kGarbage = -123.25f;
  json arguments;
  std::map<std::string, Array> arrays;
  std::map<std::string, ScalarType> dtypes;
  std::vector<float> result;
};

class MoeCase : public ::testing::TestWithParam<std::string> {};

// Within the tolerance of each token of what the arithmetic of q8.h gives, and
// near the exact result.
TEST_P(MoeCase, MatchesExpected) {
  Call call(GetParam());
  ASSERT_EQ(call.run(), Error::Ok);
  const auto folder = kData / GetParam();
  const Array expected = read_npy(folder / "expected_q8.npy", "float32");
  const Array exact = read_npy(folder / "expected_f64.npy", "float32");
  const Array slack = read_npy(folder / "atol_q8.npy", "float32");
  const auto* want = reinterpret_cast<const float*>(expected.bytes.data());
  const auto* near = reinterpret_cast<const float*>(exact.bytes.data());
  const auto* atol = reinterpret_cast<const float*>(slack.bytes.data());
  const size_t dim = call.arguments["D"];
  double difference = 0, magnitude = 0;
  for (size_t i = 0; i < call.result.size(); ++i) {
    const float got = call.result[i];
    if (std::isnan(near[i])) {
      ASSERT_TRUE(std::isnan(got)) << "element " << i;
      continue;
    }
    ASSERT_LE(std::fabs(got - want[i]), atol[i / dim]) << "element " << i;
    difference += (got - near[i]) * (got - near[i]);
    magnitude += near[i] * near[i];
  }
  const double limit = call.arguments["tol"]["q8_vs_f64_nrmse_max"];
  EXPECT_LE(std::sqrt(difference), limit * std::sqrt(magnitude) + 1e-30);
}

std::vector<std::string> names(const char* list) {
  std::vector<std::string> result;
  for (const json& entry : index()[list]) {
    result.push_back(entry["name"]);
  }
  return result;
}
std::string name_of(const ::testing::TestParamInfo<std::string>& info) {
  return info.param;
}
INSTANTIATE_TEST_SUITE_P(Moe, MoeCase, ::testing::ValuesIn(names("moe")),
                         name_of);

// Applies a recipe of index.json to a call.
void damage_weights(const json& recipe, Array& weights) {
  const int64_t rows = weights.shape[0], bytes = weights.shape[1];
  const std::string op = recipe["op"];
  if (op == "set_i32") {
    const int32_t value = recipe["value"];
    for (int64_t e = 0; e < rows; ++e) {
      const json which = recipe.value("expert", json());
      if (which.is_number() && which != e) {
        continue;  // "active": any will do, all headers are checked
      }
      std::memcpy(&weights.bytes[static_cast<size_t>(
                      e * bytes + recipe["offset"].get<int64_t>())],
                  &value, sizeof(value));
    }
    return;
  }
  const int64_t keep = op == "extend" ? bytes + recipe["add"].get<int64_t>()
                       : recipe.contains("drop")
                           ? bytes - recipe["drop"].get<int64_t>()
                           : recipe["keep"].get<int64_t>();
  std::vector<uint8_t> resized(static_cast<size_t>(rows * keep));
  for (int64_t e = 0; e < rows; ++e) {
    std::copy_n(&weights.bytes[static_cast<size_t>(e * bytes)],
                std::min(keep, bytes), resized.data() + e * keep);
  }
  weights.bytes = std::move(resized);
  weights.shape[1] = keep;
}

void damage(const json& recipe, Call& call) {
  static const std::map<std::string, std::string> kArguments = {
      {"num_activated_experts", "K"},
      {"num_experts", "E"},
      {"hidden_dim", "F"},
      {"dim", "D"},
      {"group_size", "group_size"},
      {"weight_nbit", "weight_nbit"},
      {"score_func", "score_func"}};
  const std::string op = recipe["op"];
  if (op == "arg") {
    call.arguments[kArguments.at(recipe["arg"])] = recipe["value"];
    return;
  }
  const std::string target = recipe.value("target", "w13");
  if (op == "dtype") {
    call.dtypes[target] = ScalarType::Int;
    if (target[0] == 'w') {  // four bytes per element now
      call.arrays[target].bytes.resize(call.arrays[target].bytes.size() * 4);
    }
  } else if (op == "reshape") {
    std::vector<int64_t> shape = recipe["value"];
    if (shape == std::vector<int64_t>{-1}) {
      shape = {static_cast<int64_t>(call.arrays[target].count())};
    }
    call.arrays[target].shape = shape;
  } else if (op == "slice0") {
    call.arrays[target].shape[0] = recipe["value"];
  } else {
    damage_weights(recipe, call.arrays[target]);
    if (op == "extend") {
      damage_weights(recipe, call.arrays["w2"]);
    }
  }
}

class MoeRefusal : public ::testing::TestWithParam<std::string> {};

TEST_P(MoeRefusal, IsInvalidArgumentAndLeavesTheOutput) {
  for (const json& recipe : index()["bad"]) {
    if (recipe["name"] == GetParam()) {
      Call call(recipe["base"]);
      damage(recipe, call);
      EXPECT_EQ(call.run(), Error::InvalidArgument);
      for (const float value : call.result) {
        ASSERT_EQ(value, Call::kGarbage);
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Moe, MoeRefusal, ::testing::ValuesIn(names("bad")),
                         name_of);

TEST(Moe, TakesRowsThatAreLongerThanNeeded) {
  for (const json& recipe : index()["accept_extra"]) {
    Call plain(recipe["base"]), longer(recipe["base"]);
    damage(recipe, longer);
    ASSERT_EQ(plain.run(), Error::Ok);
    ASSERT_EQ(longer.run(), Error::Ok);
    EXPECT_EQ(plain.result, longer.result);
  }
}

}  // namespace
}  // namespace executorch::test
