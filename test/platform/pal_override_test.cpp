// A hook that the application defines takes the place of the default.
#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/platform.h>
#include <executorch/runtime/platform/runtime.h>
#include <gtest/gtest.h>

#include <string>

static std::string line;
static int inits = 0;

extern "C" void et_pal_emit_log_message(et_timestamp_t, et_pal_log_level_t,
                                        const char*, const char*, size_t,
                                        const char* message, size_t length) {
  line.assign(message, length);
}

extern "C" void et_pal_init() { ++inits; }

TEST(PalOverrideTest, DefinitionsOfTheApplicationWin) {
  executorch::runtime::runtime_init();
  ET_LOG(Error, "hello %d", 42);
  EXPECT_EQ(line, "hello 42");
  EXPECT_EQ(inits, 1);
}
