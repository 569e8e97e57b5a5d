// Backends by name, their options, and the contexts that they get.
#include <executorch/runtime/backend/backend_options_map.h>
#include <executorch/runtime/backend/interface.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace executorch::runtime {
namespace {

class FakeBackend final : public BackendInterface {
 public:
  bool is_available() const override { return true; }
  Result<DelegateHandle*> init(BackendInitContext&, FreeableBuffer*,
                               ArrayRef<CompileSpec>) const override {
    return nullptr;
  }
  Error execute(BackendExecutionContext&, DelegateHandle*,
                Span<EValue*>) const override {
    return Error::Ok;
  }
  Error set_option(BackendOptionContext&,
                   const Span<BackendOption>& options) override {
    seen = options.size();
    return seen == 1 ? Error::Ok : Error::InvalidArgument;
  }
  Error get_option(BackendOptionContext&,
                   Span<BackendOption>& options) override {
    for (BackendOption& option : options) {
      option.value = 42;
    }
    return Error::Ok;
  }
  size_t seen = 0;
};

TEST(BackendRegistry, FindsWhatWasRegistered) {
  FakeBackend backend, other;
  std::string name = "Found";
  const Backend found{name.c_str(), &backend};
  const size_t before = get_num_registered_backends();
  EXPECT_EQ(get_backend_class("Found"), nullptr);
  ASSERT_EQ(register_backend(found), Error::Ok);
  EXPECT_EQ(register_backend({"Found", &other}), Error::InvalidArgument);
  EXPECT_EQ(get_backend_class("Found"), &backend);
  EXPECT_EQ(get_num_registered_backends(), before + 1);
  EXPECT_STREQ(*get_backend_name(before), "Found");
  EXPECT_EQ(get_backend_name(before + 1).error(), Error::InvalidArgument);

  unregister_backend({"Found", &other});
  EXPECT_EQ(get_backend_class("Found"), &backend);
  unregister_backend(found);
  EXPECT_EQ(get_backend_class("Found"), nullptr);
  EXPECT_EQ(get_num_registered_backends(), before);
}

TEST(BackendRegistry, RefusesNull) {
  FakeBackend backend;
  EXPECT_EQ(register_backend({nullptr, &backend}), Error::InvalidArgument);
  EXPECT_EQ(register_backend({"Null", nullptr}), Error::InvalidArgument);
  EXPECT_EQ(get_backend_class(nullptr), nullptr);
  EXPECT_EQ(get_backend_class("Null"), nullptr);
}

TEST(BackendRegistry, ManyFromManyThreads) {
  static FakeBackend backend;
  const size_t before = get_num_registered_backends();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 100; ++i) {
        const std::string name =
            "Thread" + std::to_string(t) + "_" + std::to_string(i);
        EXPECT_EQ(register_backend({name.c_str(), &backend}), Error::Ok);
        EXPECT_EQ(get_backend_class(name.c_str()), &backend);
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(get_num_registered_backends(), before + 400);
}

TEST(BackendRegistry, OptionsReachTheBackend) {
  static FakeBackend backend;
  ASSERT_EQ(register_backend({"Options", &backend}), Error::Ok);
  BackendOptions<2> options;
  ASSERT_EQ(options.set_option("level", 7), Error::Ok);
  EXPECT_EQ(set_option("Options", options.view()), Error::Ok);
  EXPECT_EQ(backend.seen, 1u);
  ASSERT_EQ(options.set_option("other", true), Error::Ok);
  EXPECT_EQ(set_option("Options", options.view()), Error::InvalidArgument);
  EXPECT_EQ(get_option("Options", options.view()), Error::Ok);
  int level = 0;
  EXPECT_EQ(options.get_option("level", level), Error::Ok);
  EXPECT_EQ(level, 42);
  EXPECT_EQ(set_option("Nobody", options.view()), Error::NotFound);
  EXPECT_EQ(get_option(nullptr, options.view()), Error::NotFound);
}

TEST(BackendOptions, ValuesByType) {
  BackendOptions<3> options;
  EXPECT_EQ(options.set_option("flag", true), Error::Ok);
  EXPECT_EQ(options.set_option("count", 3), Error::Ok);
  EXPECT_EQ(options.set_option("text", "abc"), Error::Ok);
  EXPECT_EQ(options.set_option("full", 1), Error::InvalidArgument);
  EXPECT_EQ(options.set_option("count", 4), Error::Ok);
  EXPECT_EQ(options.set_option("text", static_cast<const char*>(nullptr)),
            Error::InvalidArgument);
  EXPECT_EQ(options.view().size(), 3u);

  bool flag = false;
  int count = 0;
  const char* text = nullptr;
  EXPECT_EQ(options.get_option("flag", flag), Error::Ok);
  EXPECT_TRUE(flag);
  EXPECT_EQ(options.get_option("count", count), Error::Ok);
  EXPECT_EQ(count, 4);
  EXPECT_EQ(options.get_option("text", text), Error::Ok);
  EXPECT_STREQ(text, "abc");
  EXPECT_EQ(options.get_option("text", count), Error::InvalidArgument);
  EXPECT_EQ(options.get_option("absent", count), Error::NotFound);

  const std::string longer(kMaxOptionValueLength + 10, 'x');
  EXPECT_EQ(options.set_option("text", longer.c_str()), Error::Ok);
  EXPECT_EQ(options.get_option("text", text), Error::Ok);
  EXPECT_EQ(std::strlen(text), kMaxOptionValueLength - 1);
}

TEST(LoadBackendOptionsMap, ByBackend) {
  BackendOptions<1> options;
  ASSERT_EQ(options.set_option("level", 1), Error::Ok);
  LoadBackendOptionsMap map;
  EXPECT_EQ(map.set_options("", options.view()), Error::InvalidArgument);
  EXPECT_EQ(map.set_options(nullptr, options.view()), Error::InvalidArgument);
  EXPECT_EQ(map.set_options(std::string(64, 'x').c_str(), options.view()),
            Error::InvalidArgument);
  EXPECT_EQ(map.set_options("A", options.view()), Error::Ok);
  EXPECT_EQ(map.set_options("A", options.view()), Error::Ok);
  EXPECT_EQ(map.size(), 1u);
  EXPECT_TRUE(map.has_options("A"));
  EXPECT_FALSE(map.has_options("B"));
  EXPECT_FALSE(map.has_options(nullptr));
  EXPECT_EQ(map.get_options("A").size(), 1u);
  EXPECT_EQ(map.get_options("B").size(), 0u);
  EXPECT_STREQ(map.entry_at(0).backend_id, "A");
  EXPECT_EQ(map.entry_at(1).backend_id, nullptr);
}

TEST(BackendContexts, GiveWhatTheyGot) {
  uint8_t pool[64];
  MemoryAllocator allocator(sizeof pool, pool);
  BackendOptions<1> options;
  ASSERT_EQ(options.set_option("level", 5), Error::Ok);
  BackendInitContext init(
      &allocator, nullptr, "forward", nullptr,
      Span<const BackendOption>(options.view().data(), options.view().size()));
  EXPECT_EQ(init.get_runtime_allocator(), &allocator);
  EXPECT_STREQ(init.get_method_name(), "forward");
  EXPECT_EQ(*init.get_runtime_spec<int>("level"), 5);
  EXPECT_EQ(init.get_runtime_spec<bool>("level").error(),
            Error::InvalidArgument);
  EXPECT_EQ(init.get_runtime_spec<int>("absent").error(), Error::NotFound);

  BackendExecutionContext execution(nullptr, &allocator, "forward");
  EXPECT_NE(execution.allocate(16), nullptr);
  EXPECT_EQ(execution.allocate(1000), nullptr);
  EXPECT_EQ(BackendExecutionContext().allocate(1), nullptr);
}

}  // namespace
}  // namespace executorch::runtime
