// A loaded delegate works with the threads that the shared pool has when it
// runs, whatever it had when the method was loaded, and in a forked child: the
// results stay what they were. That they are right is tested in test/programs.
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/extension/threadpool/threadpool.h>
#include <executorch/extension/threadpool/threadpool_guard.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace executorch::xnnpack {
namespace {

using extension::Module;
using extension::threadpool::NoThreadPoolGuard;
using extension::threadpool::set_num_threads;
using runtime::Error;

constexpr char kData[] = ET_TEST_DATA_DIR "/models/";

class Delegate : public ::testing::TestWithParam<const char*> {
 protected:
  // All inputs are ones, of their largest sizes.
  static std::vector<float> run(Module& module) {
    std::vector<runtime::EValue> inputs;
    const auto meta = module.method_meta("forward");
    EXPECT_TRUE(meta.ok());
    for (size_t i = 0; i < meta->num_inputs(); ++i) {
      const auto tensor = meta->input_tensor_meta(i);
      inputs.emplace_back(
          extension::ones({tensor->sizes().begin(), tensor->sizes().end()}));
    }
    const auto result = module.forward(inputs);
    EXPECT_TRUE(result.ok());
    if (!result.ok()) {
      return {};
    }
    const auto& output = result->at(0).toTensor();
    const auto* data = output.const_data_ptr<float>();
    return {data, data + output.numel()};
  }

  static void expect_close(const std::vector<float>& a,
                           const std::vector<float>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) {
      ASSERT_NEAR(a[i], b[i], 1e-5) << i;
    }
  }

  const std::string path = std::string(kData) + GetParam() + "/model.pte";
};

size_t threads_of_process() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator("/proc/self/task")) {
    ++count;
  }
  return count;
}

TEST_P(Delegate, FollowsTheNumberOfThreads) {
  ASSERT_EQ(set_num_threads(1), Error::Ok);
  const size_t others = threads_of_process() - 1;  // of sanitizers
  ASSERT_EQ(set_num_threads(2), Error::Ok);
  Module module(path);
  const std::vector<float> expected = run(module);
  for (const size_t count : {1, 4, 2, 7, 1}) {
    ASSERT_EQ(set_num_threads(count), Error::Ok);
    expect_close(run(module), expected);
    expect_close(run(module), expected);
    EXPECT_EQ(threads_of_process() - others, count);
    const NoThreadPoolGuard guard;
    expect_close(run(module), expected);
  }
}

// Neither ThreadSanitizer nor qemu lets a forked child start threads.
#if !defined(ET_TEST_NO_THREADS_AFTER_FORK)
TEST_P(Delegate, OfTheParentRunsAndEndsInAForkedChild) {
  for (const size_t count : {2, 8}) {
    ASSERT_EQ(set_num_threads(count), Error::Ok);
    auto module = std::make_unique<Module>(path);
    const std::vector<float> expected = run(*module);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // all asleep
    for (const bool runs : {true, false}) {
      const pid_t pid = fork();
      if (pid == 0) {
        alarm(20);
        if (runs) {
          expect_close(run(*module), expected);
        }
        module.reset();
        _exit(::testing::Test::HasFailure() ? 1 : 0);
      }
      int status = 0;
      waitpid(pid, &status, 0);
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << runs;
    }
  }
}
#endif

INSTANTIATE_TEST_SUITE_P(All, Delegate,
                         ::testing::Values("c_mobilenet", "c_mlp", "c_conv",
                                           "c_transformer"));

}  // namespace
}  // namespace executorch::xnnpack
