// Runs the operators on stored calls, one test per call:
//
//   op_corpus_test            all of test/data/ops*
//   op_corpus_test FOLDER     another corpus of the same format (FORMAT.md)
//
// With EXECUTORCH_ISA set it also checks that this instruction set is the one
// that ran, and is skipped (exit code 77) when the CPU lacks it. A new call is
// a new line of data; this program does not change.
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "test/support/forced_isa.h"
#include "test/support/op_file.h"

namespace executorch::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class Call : public ::testing::Test {
 public:
  Call(std::shared_ptr<OpFile> file, size_t index)
      : file_(std::move(file)), index_(index) {}

  void TestBody() override {
    const json& call = file_->calls[index_];
    EXPECT_EQ(OpCall(call, file_->raw).run(), "")
        << file_->op << " call " << call["id"] << ": " << call["note"];
  }

 private:
  const std::shared_ptr<OpFile> file_;
  const size_t index_;
};

void register_calls(const fs::path& corpus) {
  const std::string folder = corpus.filename();
  const size_t dash = std::min(folder.find('-'), folder.size() - 1);
  const std::string prefix =
      dash + 1 < folder.size() ? folder.substr(dash + 1) + "_" : "";
  const auto index = read_index(corpus);
  if (index.empty()) {
    std::fprintf(stderr, "%s: no calls in index.tsv\n", corpus.c_str());
    std::exit(1);
  }
  for (const auto& [op, stem] : index) {
    const auto file = read_op(corpus, op, stem);
    std::string suite = op;  // a colon separates patterns in --gtest_filter
    suite.replace(suite.find("::"), 2, ".");
    for (size_t i = 0; i < file->calls.size(); ++i) {
      const std::string name = prefix + file->calls[i]["id"].get<std::string>();
      ::testing::RegisterTest(
          suite.c_str(), name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
          [=]() -> ::testing::Test* { return new Call(file, i); });
    }
  }
}

// Both directions: no operator without data, no data without an operator. The
// data of those in elsewhere.txt is of another kind and in another folder.
TEST(OpCorpus, CoversExactlyTheRegisteredOperators) {
  std::set<std::string> with_data, registered;
  for (const fs::path& corpus : stored_corpora()) {
    for (const auto& [op, stem] : read_index(corpus)) {
      with_data.insert(op);
    }
  }
  std::ifstream elsewhere(ET_TEST_DATA_DIR "/ops/elsewhere.txt");
  for (std::string op; elsewhere >> op;) {
    with_data.insert(op);
  }
  for (const auto& kernel : runtime::get_registered_kernels()) {
    registered.insert(kernel.name_);
  }
  std::vector<std::string> differ;
  std::set_symmetric_difference(with_data.begin(), with_data.end(),
                                registered.begin(), registered.end(),
                                std::back_inserter(differ));
  for (const std::string& op : differ) {
    ADD_FAILURE() << op
                  << (registered.count(op) != 0 ? " has no data"
                                                : " is not registered");
  }
}

}  // namespace
}  // namespace executorch::test

int main(int argc, char** argv) {
  using namespace executorch;
  ::testing::InitGoogleTest(&argc, argv);
  runtime::runtime_init();
  if (!test::expect_forced_isa()) {
    return test::kSkipped;
  }
  if (argc > 1 && *argv[1] == '\0') {
    std::fprintf(stderr, "skipped: no folder given\n");
    return test::kSkipped;
  }
  if (argc > 1) {
    test::register_calls(argv[1]);
  } else {
    for (const auto& corpus : test::stored_corpora()) {
      test::register_calls(corpus);
    }
  }
  return RUN_ALL_TESTS();
}
