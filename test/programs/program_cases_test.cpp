// Runs the stored programs of test/data/{fused,models,bugs,xnnpack}, one test per
// folder. A new case is a new folder; this program does not change.
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/platform/runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "test/support/program_case.h"

namespace executorch::test {
namespace {

namespace fs = std::filesystem;

// Whether the program hands something to XNNPACK: its name is in the file.
bool is_delegated(const ProgramCase& c) {
  std::ifstream file(c.folder / c.program, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  return bytes.find("XnnpackBackend") != std::string::npos;
}

class Case : public ::testing::Test {
 public:
  explicit Case(fs::path folder) : folder_(std::move(folder)) {}

  void TestBody() override {
    const ProgramCase c = read_program_case(folder_);
    if (c.outcome == Outcome::match && is_delegated(c) &&
        runtime::get_backend_class("XnnpackBackend") == nullptr) {
      GTEST_SKIP() << "built without backend_xnnpack";
    }
    EXPECT_EQ(run_program_case(c), "") << folder_;
  }

 private:
  const fs::path folder_;
};

void register_cases(const std::string& group) {
  std::vector<fs::path> folders;
  for (const auto& entry :
       fs::directory_iterator(fs::path(ET_TEST_DATA_DIR) / group)) {
    if (entry.is_directory()) {
      folders.push_back(entry.path());
    }
  }
  std::sort(folders.begin(), folders.end());
  for (const fs::path& folder : folders) {
    ::testing::RegisterTest(
        group.c_str(), folder.filename().c_str(), nullptr, nullptr, __FILE__,
        __LINE__, [=]() -> ::testing::Test* { return new Case(folder); });
  }
}

}  // namespace
}  // namespace executorch::test

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  executorch::runtime::runtime_init();
  executorch::test::register_cases("fused");
  executorch::test::register_cases("models");
  executorch::test::register_cases("bugs");
  executorch::test::register_cases("xnnpack");
  return RUN_ALL_TESTS();
}
