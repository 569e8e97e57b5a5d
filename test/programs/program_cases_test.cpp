// Runs the stored programs of test/data/{fused,models,bugs,xnnpack}, one test
// per folder and another in several threads. A new case is a new folder; this
// program does not change. Folders that are arguments are run instead of them.
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/backend/options.h>
#include <executorch/runtime/platform/runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "test/support/cpu_float16.h"
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

bool takes_float16(const ProgramCase& c) {
  for (const ProgramRun& run : c.runs) {
    for (const ProgramValue& input : run.inputs) {
      if (input.dtype == "float16") {
        return true;
      }
    }
  }
  return false;
}

constexpr char kXnnpack[] = "XnnpackBackend";

using RunCase = void (*)(const ProgramCase& c);

class Case : public ::testing::Test {
 public:
  Case(fs::path folder, RunCase run) : folder_(std::move(folder)), run_(run) {}

  void TestBody() override {
    const ProgramCase c = read_program_case(folder_);
    if (c.outcome == Outcome::match && is_delegated(c) &&
        runtime::get_backend_class(kXnnpack) == nullptr) {
      GTEST_SKIP() << "built without backend_xnnpack";
    }
    SCOPED_TRACE(folder_);
    if (is_delegated(c) && takes_float16(c) && !cpu_has_float16()) {
      EXPECT_EQ(run_program_case(c),
                "run 0: load_method: Error::NotSupported");
      return;
    }
    run_(c);
  }

 private:
  const fs::path folder_;
  const RunCase run_;
};

// Who succeeds says nothing, nor do the libraries below us.
void alone(const ProgramCase& c) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run_program_case(c), "");
  const std::string said = ::testing::internal::GetCapturedStderr();
  if (c.outcome == Outcome::match) {
    EXPECT_EQ(said, "");
  }
}

// What delegates share: nothing, or workspace and packed weights.
void set_sharing(int workspace_mode, bool weight_cache) {
  runtime::BackendOptions<2> options;
  ASSERT_EQ(options.set_option("workspace_sharing_mode", workspace_mode),
            runtime::Error::Ok);
  ASSERT_EQ(options.set_option("weight_cache_enabled", weight_cache),
            runtime::Error::Ok);
  ASSERT_EQ(runtime::set_option(kXnnpack, options.view()), runtime::Error::Ok);
}

void in_threads(const ProgramCase& c) {
  for (const bool share : {false, true}) {
    EXPECT_EQ(run_program_case_in_threads(c, share), "") << share;
  }
  if (is_delegated(c)) {
    set_sharing(2, true);
    EXPECT_EQ(run_program_case_in_threads(c, true), "");
    set_sharing(1, false);
  }
}

void register_case(const std::string& suite, const fs::path& folder,
                   RunCase run) {
  ::testing::RegisterTest(
      suite.c_str(), folder.filename().c_str(), nullptr, nullptr, __FILE__,
      __LINE__, [=]() -> ::testing::Test* { return new Case(folder, run); });
}

void register_cases(const std::string& group, const std::string& suite,
                    RunCase run) {
  std::vector<fs::path> folders;
  for (const auto& entry :
       fs::directory_iterator(fs::path(ET_TEST_DATA_DIR) / group)) {
    if (entry.is_directory()) {
      folders.push_back(entry.path());
    }
  }
  std::sort(folders.begin(), folders.end());
  for (const fs::path& folder : folders) {
    register_case(suite, folder, run);
  }
}

}  // namespace
}  // namespace executorch::test

int main(int argc, char** argv) {
  using namespace executorch::test;
  ::testing::InitGoogleTest(&argc, argv);
  executorch::runtime::runtime_init();
  for (int i = 1; i < argc; ++i) {
    register_case("argument", argv[i], alone);
  }
  if (argc > 1) {
    return RUN_ALL_TESTS();
  }
  for (const char* group : {"fused", "models", "bugs", "xnnpack"}) {
    register_cases(group, group, alone);
  }
  for (const char* group : {"fused", "models", "xnnpack"}) {
    register_cases(group, std::string(group) + "_in_threads", in_threads);
  }
  return RUN_ALL_TESTS();
}
