// Log lines: levels, sinks, the last error of a thread, and hooks.
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/platform/abort.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/clock.h>
#include <executorch/runtime/platform/log_sink.h>
#include <executorch/runtime/platform/platform.h>
#include <executorch/runtime/platform/profiler.h>
#include <executorch/runtime/platform/runtime.h>
#include <executorch/runtime/platform/system.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace executorch::runtime {
namespace {

struct Kept {
  LogLevel level;
  std::string file, message;
};

class LogTest : public testing::Test {
 protected:
  LogTest() {
    set_log_sink(
        [](const LogLine& line, void* user) {
          ASSERT_EQ(line.message[line.length], '\0');
          static_cast<std::vector<Kept>*>(user)->push_back(
              {line.level, line.filename, line.message});
        },
        &lines);
  }
  ~LogTest() override {
    set_log_sink(nullptr);
    set_log_level(LogLevel::Debug);
  }
  std::vector<Kept> lines;
};

TEST_F(LogTest, LevelsFilterAtCompileTimeAndAtRunTime) {
  ET_LOG(Debug, "not compiled");
  ET_LOG(Info, "info %d", 1);
  set_log_level(LogLevel::Error);
  EXPECT_EQ(log_level(), LogLevel::Error);
  ET_LOG(Info, "filtered");
  ET_LOG(Error, "error");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].message, "info 1");
  EXPECT_EQ(lines[0].file, "log_test.cpp");
  EXPECT_EQ(lines[1].level, LogLevel::Error);
}

TEST_F(LogTest, LastErrorIsKeptPerThreadWhateverTheLevel) {
  set_log_level(LogLevel::Fatal);
  ET_LOG(Error, "input %d: expected %s", 3, "Float");
  ET_LOG(Info, "no error");
  EXPECT_STREQ(last_error_message(), "input 3: expected Float");
  EXPECT_TRUE(lines.empty());
  std::thread([] {
    EXPECT_STREQ(last_error_message(), "");
    ET_LOG(Error, "other");
    EXPECT_STREQ(last_error_message(), "other");
  }).join();
  EXPECT_STREQ(last_error_message(), "input 3: expected Float");
}

TEST_F(LogTest, FailedChecksNameTheirCondition) {
  const auto check = [](int value) {
    ET_CHECK_OR_RETURN_FALSE(value % 2 == 0, "got %d", value);
    return true;
  };
  EXPECT_TRUE(check(2));
  EXPECT_FALSE(check(3));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].message, "Check failed (value % 2 == 0): got 3");
  set_log_sink(nullptr);
  EXPECT_DEATH(ET_CHECK(lines.empty()), "Assert failed .lines.empty.");
  EXPECT_DEATH(ET_CHECK_MSG(false, "%s", "why"), ": why");
}

TEST_F(LogTest, LongLinesAreCut) {
  const std::string text(10000, 'x');
  ET_LOG(Error, "%s", text.c_str());
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].message.size(), 4095u);
  EXPECT_EQ(std::strlen(last_error_message()), 4095u);
  internal::log_failed_check("f", "g", 1, text.c_str(), "%s", text.c_str());
  EXPECT_EQ(lines[1].message.size(), 4095u);
}

TEST(LogSinkTest, ChangesWhileOthersWrite) {
  std::atomic<int> seen{0};
  const LogSink count = [](const LogLine&, void* user) {
    ++*static_cast<std::atomic<int>*>(user);
  };
  set_log_sink(count, &seen);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 200; ++j) {
        ET_LOG(Info, "line");
        set_log_sink(count, &seen);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  set_log_sink(nullptr);
  EXPECT_EQ(seen, 800);
}

std::string hooked;

TEST(PalTest, RegisteredHooksReplaceOnlyThemselves) {
  const PalImpl before = *get_pal_impl();
  EXPECT_TRUE(register_pal(PalImpl::create(
      [](et_timestamp_t, et_pal_log_level_t level, const char*, const char*,
         size_t, const char* message, size_t length) {
        hooked = static_cast<char>(level) + std::string(message, length);
      },
      __FILE__)));
  ET_LOG(Error, "through the hook");
  EXPECT_EQ(hooked, "Ethrough the hook");
  EXPECT_EQ(get_pal_impl()->allocate, before.allocate);
  EXPECT_STREQ(get_pal_impl()->source_filename, __FILE__);
  register_pal(before);
  runtime_init();
}

TEST(PalTest, DefaultsWork) {
  const et_timestamp_t start = pal_current_ticks();
  EXPECT_GE(pal_current_ticks(), start);
  EXPECT_EQ(ticks_to_ns(1000), 1000u);
  void* memory = pal_allocate(32);
  ASSERT_NE(memory, nullptr);
  pal_free(memory);
  pal_free(nullptr);
  EXPECT_DEATH(runtime_abort(), "");
}

TEST(PalTest, LibrariesAreNamed) {
  static int here;
  EXPECT_NE(std::strstr(et_pal_get_shared_library_name(&here), "_test"),
            nullptr);
  EXPECT_STREQ(et_pal_get_shared_library_name(nullptr),
               DYNAMIC_LIBRARY_NOT_FOUND);
}

TEST(ProfilerTest, RecordsNothing) {
  prof_result_t result;
  EXECUTORCH_SCOPE_PROF("scope");
  EXPECT_EQ(EXECUTORCH_TRACK_ALLOCATOR("name"), -1);
  EXECUTORCH_DUMP_PROFILE_RESULTS(&result);
  EXPECT_EQ(result.num_bytes, 0u);
}

}  // namespace
}  // namespace executorch::runtime
