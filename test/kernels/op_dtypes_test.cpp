// The dtypes that operators say they take, tried on stored calls: the dtype of
// the first tensor, and those that must be like it, are changed. What an
// operator names must work in one of its calls at least; all else is refused,
// and nothing is written.
#include <executorch/extension/inspect/program_info.h>
#include <executorch/runtime/platform/log_sink.h>
#include <executorch/runtime/platform/runtime.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "test/support/numbers.h"
#include "test/support/op_file.h"

namespace executorch::test {
namespace {

using nlohmann::json;

// Of the operator of this name.
std::vector<aten::ScalarType> named_dtypes(const std::string& op) {
  for (const auto& kernel : runtime::get_registered_kernels()) {
    if (op == kernel.name_) {
      return extension::inspect::dtypes_of(kernel);
    }
  }
  return {};
}

// Calls f(tensor, is an output) for each tensor of a call.
template <class F>
void for_each_tensor(json& call, F f) {
  for (json& argument : call["args"]) {
    const std::string kind = argument["kind"];
    const bool is_out = kind == "out" || kind == "outs";
    if (argument.contains("dtype")) {
      f(argument, is_out);
    } else if (argument.contains("items")) {
      for (json& item : argument["items"]) {
        if (!item.is_null()) {
          f(item, is_out);
        }
      }
    }
  }
}

// Of the first tensor; empty if there is none.
std::string first_dtype(json call) {
  std::string first;
  for_each_tensor(call, [&](const json& tensor, bool) {
    first = first.empty() ? tensor["dtype"].get<std::string>() : first;
  });
  return first;
}

// What follows the first tensor to another dtype.
struct Way {
  bool inputs;       // those that had its dtype
  bool numbers;      // those that are the number of its dtype
  bool all_outs;     // else those that had its dtype
  std::string outs;  // what these become; empty: they do not follow
};

constexpr size_t kBytes = 1 << 19;  // of data for the largest changed tensor

json changed(json call, const std::string& to, const Way& way, size_t at) {
  const std::string from = first_dtype(call);
  const DType& type = dtype_by_name(to);
  bool is_first = true;
  for_each_tensor(call, [&](json& tensor, bool is_out) {
    const bool same = tensor["dtype"] == from;
    if (is_out && !is_first) {
      const bool follows = !way.outs.empty() && (same || way.all_outs);
      tensor["dtype"] = follows ? json(way.outs) : tensor["dtype"];
    } else if (is_first || (same && way.inputs)) {
      size_t bytes = type.size;
      for (const size_t size : tensor["shape"]) {
        bytes *= size;
      }
      ASSERT_LE(bytes, kBytes);
      tensor["dtype"] = to;
      tensor["at"] = at;
      tensor["nbytes"] = bytes;
    }
    is_first = false;
  });
  for (json& argument : call["args"]) {
    if (way.numbers && argument["kind"] == "int" &&
        argument["v"] == static_cast<int>(dtype_by_name(from).type)) {
      argument["v"] = static_cast<int>(type.type);
    }
  }
  call["outs"] = json::array();
  return call;
}

class Dtypes : public ::testing::Test {
 public:
  explicit Dtypes(std::shared_ptr<OpFile> file)
      : file_(std::move(file)), at_(file_->raw.size()) {
    file_->raw.resize(at_ + kBytes, 1);
    for (const json& call : file_->calls) {
      if (call["expect"] == "ok" && !first_dtype(call).empty()) {
        calls_.push_back(&call);
      }
    }
  }

  void TestBody() override {
    const auto named = named_dtypes(file_->op);
    for (const DType& dtype : kDTypes) {
      const bool is_named =
          std::find(named.begin(), named.end(), dtype.type) != named.end();
      if (!is_named) {
        expect_refused(dtype.name);
      } else if (!calls_.empty()) {
        EXPECT_TRUE(is_stored(dtype.name) || works(dtype.name)) << dtype.name;
      }
    }
  }

 private:
  bool is_stored(const std::string& dtype) const {
    return std::any_of(calls_.begin(), calls_.end(), [&](const json* call) {
      return first_dtype(*call) == dtype;
    });
  }

  bool works(const std::string& dtype) const {
    for (const json* call : calls_) {
      for (const std::string& outs :
           {dtype, std::string(), std::string("int64")}) {
        for (int bits = 0; bits < 8; ++bits) {
          const Way way{(bits & 1) == 0, (bits & 2) != 0, (bits & 4) != 0,
                        outs};
          if (run(*call, dtype, way).empty()) {
            return true;
          }
        }
      }
    }
    return false;
  }

  void expect_refused(const std::string& dtype) const {
    const size_t step = 1 + calls_.size() / 8;
    for (size_t i = 0; i < calls_.size(); i += step) {
      for (int bits = 0; bits < 4; ++bits) {
        const Way way{(bits & 1) == 0, (bits & 2) != 0, false,
                      (bits & 1) == 0 ? dtype : ""};
        json call = *calls_[i];
        EXPECT_NE(first_dtype(call), dtype) << call["id"];
        call["expect"] = "error";
        EXPECT_EQ(run(call, dtype, way), "") << dtype << " in " << call["id"];
      }
    }
  }

  std::string run(const json& call, const std::string& dtype,
                  const Way& way) const {
    const json other = changed(call, dtype, way, at_);
    return OpCall(other, file_->raw).run();
  }

  const std::shared_ptr<OpFile> file_;
  const size_t at_;  // in the data, where it ends
  std::vector<const json*> calls_;
};

// Operators of the runtime compute with numbers, or only look at tensors.
TEST(OpDtypes, AreNamedByKernelLibraries) {
  for (const auto& kernel : runtime::get_registered_kernels()) {
    const bool is_ours = extension::inspect::library_of(kernel).find(
                             "executorch_kernels_") != std::string::npos;
    EXPECT_EQ(extension::inspect::dtypes_of(kernel).empty(), !is_ours)
        << kernel.name_;
  }
}

void nothing(runtime::KernelRuntimeContext&, runtime::Span<runtime::EValue*>) {}

TEST(OpDtypes, AreNotKnownOfKernelsOfAnApplication) {
  const runtime::Kernel kernel("test::nothing.out", &nothing);
  ASSERT_EQ(runtime::register_kernels({&kernel, 1}), runtime::Error::Ok);
  EXPECT_TRUE(extension::inspect::dtypes_of(kernel).empty());
  EXPECT_TRUE(
      extension::inspect::dtypes_of(runtime::Kernel("aten::add.out", &nothing))
          .empty());
  runtime::unregister_kernels({&kernel, 1});
}

void register_operators(const std::filesystem::path& corpus) {
  for (const auto& [op, stem] : read_index(corpus)) {
    if (named_dtypes(op).empty()) {
      continue;
    }
    const auto file = read_op(corpus, op, stem);
    std::string name = op;  // a colon separates patterns in --gtest_filter
    name.replace(name.find("::"), 2, ".");
    ::testing::RegisterTest(
        corpus.filename().c_str(), name.c_str(), nullptr, nullptr, __FILE__,
        __LINE__, [=]() -> ::testing::Test* { return new Dtypes(file); });
  }
}

}  // namespace
}  // namespace executorch::test

int main(int argc, char** argv) {
  using namespace executorch;
  ::testing::InitGoogleTest(&argc, argv);
  runtime::runtime_init();
  runtime::set_log_level(runtime::LogLevel::Fatal);  // all the refusals
  for (const auto& corpus : test::stored_corpora()) {
    test::register_operators(corpus);
  }
  return RUN_ALL_TESTS();
}
