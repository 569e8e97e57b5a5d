#include <executorch/devtools/etdump/data_sinks/file_data_sink.h>
#include <executorch/devtools/etdump/etdump_filter.h>
#include <executorch/devtools/etdump/etdump_flatcc.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/platform/runtime.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "src/format/etdump_generated.h"

namespace executorch::etdump {
namespace {

namespace fb = ::etdump_flatbuffer;
using runtime::Error;
using runtime::EValue;
using runtime::EventTracerEntry;
using runtime::LoggedEValueType;
using runtime::Span;

constexpr DelegateDebugIntId kNoNumber = runtime::kUnsetDelegateDebugIntId;

// The bytes of a dump, checked, with access to its tables.
class Dump {
 public:
  explicit Dump(ETDumpGen& gen) {
    const ETDumpResult result = gen.get_etdump_data();
    if (result.buf == nullptr) {
      return;
    }
    const auto* begin = static_cast<const uint8_t*>(result.buf);
    bytes_.assign(begin, begin + result.size);
    if (!gen.is_static_etdump()) {
      std::free(result.buf);
    }
    flatbuffers::Verifier verifier(bytes_.data(), bytes_.size());
    EXPECT_TRUE(fb::VerifySizePrefixedETDumpBuffer(verifier));
  }

  bool empty() const { return bytes_.empty(); }
  size_t size() const { return bytes_.size(); }
  size_t num_runs() const { return root().run_data()->size(); }
  const fb::RunData& run(size_t i) const { return *root().run_data()->Get(i); }
  const fb::Event& event(size_t i, size_t run_index = 0) const {
    return *run(run_index).events()->Get(i);
  }

 private:
  const fb::ETDump& root() const {
    return *fb::GetSizePrefixedETDump(bytes_.data());
  }
  std::vector<uint8_t> bytes_;
};

// A buffer, or the heap if the size is 0.
class EtdumpMemory : public testing::TestWithParam<size_t> {
 protected:
  EtdumpMemory() : memory_(GetParam()) {}
  Span<uint8_t> memory() {
    return GetParam() == 0 ? Span<uint8_t>(nullptr, size_t{0})
                           : Span<uint8_t>(memory_.data(), memory_.size());
  }
  std::vector<uint8_t> memory_;
};
INSTANTIATE_TEST_SUITE_P(, EtdumpMemory, testing::Values(0, 64 * 1024));

TEST_P(EtdumpMemory, KeepsEventsOfRuns) {
  ETDumpGen gen(memory());
  EXPECT_EQ(gen.is_static_etdump(), GetParam() != 0);
  EXPECT_EQ(gen.get_etdump_data().buf, nullptr) << "nothing was recorded";

  gen.set_bundled_input_index(3);
  gen.create_event_block("first");
  const auto allocator = gen.track_allocator("planned");
  gen.track_allocation(allocator, 100);
  gen.set_chain_debug_handle(1, 7);
  gen.end_profiling(gen.start_profiling("named"));
  gen.end_profiling(gen.start_profiling("placed", 2, 9));
  gen.create_event_block("second");
  gen.end_profiling(gen.start_profiling("other"));
  EXPECT_EQ(gen.get_num_blocks(), 2u);

  const Dump dump(gen);
  ASSERT_EQ(dump.num_runs(), 2u);
  EXPECT_EQ(dump.run(0).name()->str(), "first");
  EXPECT_EQ(dump.run(0).bundled_input_index(), 3);
  EXPECT_EQ(dump.run(0).allocators()->Get(allocator - 1)->name()->str(),
            "planned");
  EXPECT_EQ(dump.event(0).allocation_event()->allocation_size(), 100u);
  const fb::ProfileEvent& named = *dump.event(1).profile_event();
  EXPECT_EQ(named.name()->str(), "named");
  EXPECT_EQ(named.chain_index(), 1);
  EXPECT_EQ(named.instruction_id(), 7);
  EXPECT_GE(named.end_time(), named.start_time());
  EXPECT_EQ(dump.event(2).profile_event()->chain_index(), 2);
  EXPECT_EQ(dump.event(2).profile_event()->instruction_id(), 9);
  EXPECT_EQ(dump.run(1).name()->str(), "second");
  EXPECT_EQ(dump.run(1).events()->size(), 1u);
}

TEST_P(EtdumpMemory, BeginsAgainAfterADump) {
  ETDumpGen gen(memory());
  gen.create_event_block("a");
  EXPECT_FALSE(Dump(gen).empty());
  EXPECT_TRUE(Dump(gen).empty()) << "it was handed out";
  gen.end_profiling(gen.start_profiling("no block"));
  const Dump second(gen);
  ASSERT_FALSE(second.empty());
  EXPECT_EQ(second.num_runs(), 1u);
  EXPECT_EQ(second.run(0).name()->str(), "Default");
  gen.reset();
  EXPECT_EQ(gen.get_num_blocks(), 0u);
}

TEST_P(EtdumpMemory, TellsEventsOfDelegatesApart) {
  ETDumpGen gen(memory());
  gen.create_event_block("run");
  gen.set_chain_debug_handle(0, 4);
  gen.end_profiling_delegate(gen.start_profiling_delegate("conv", kNoNumber),
                             "abc", 3);
  gen.end_profiling_delegate(gen.start_profiling_delegate(nullptr, 12), nullptr,
                             0);
  gen.log_profiling_delegate("late", kNoNumber, 10, 20, nullptr, 0);
  // An event needs a name or a number.
  gen.end_profiling_delegate(gen.start_profiling_delegate("both", 1), nullptr,
                             0);
  gen.log_profiling_delegate(nullptr, kNoNumber, 10, 20, nullptr, 0);

  const Dump dump(gen);
  ASSERT_EQ(dump.run(0).events()->size(), 3u);
  const fb::ProfileEvent& conv = *dump.event(0).profile_event();
  EXPECT_EQ(conv.delegate_debug_id_str()->str(), "conv");
  EXPECT_EQ(conv.delegate_debug_id_int(), -1);
  EXPECT_EQ(conv.delegate_debug_metadata()->size(), 3u);
  EXPECT_EQ(conv.instruction_id(), 4);
  EXPECT_EQ(dump.event(1).profile_event()->delegate_debug_id_int(), 12);
  EXPECT_EQ(dump.event(1).profile_event()->delegate_debug_id_str(), nullptr);
  EXPECT_EQ(dump.event(2).profile_event()->start_time(), 10u);
  EXPECT_EQ(dump.event(2).profile_event()->end_time(), 20u);
}

TEST_P(EtdumpMemory, LogsValuesOfAllKinds) {
  ETDumpGen gen(memory());
  std::vector<uint8_t> debug(4096);
  ASSERT_TRUE(gen.set_debug_buffer({debug.data(), debug.size()}).ok());
  gen.create_event_block("run");
  auto tensor = extension::make_tensor_ptr({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto kOutput = LoggedEValueType::kProgramOutput;
  EXPECT_TRUE(*gen.log_evalue(EValue(*tensor), kOutput));
  EXPECT_TRUE(*gen.log_evalue(EValue(int64_t{5})));
  EXPECT_TRUE(*gen.log_evalue(EValue(2.5)));
  EXPECT_TRUE(*gen.log_evalue(EValue(true)));
  EXPECT_FALSE(*gen.log_evalue(EValue()));
  const aten::Tensor two[] = {*tensor, *tensor};
  EXPECT_TRUE(*gen.log_intermediate_output_delegate(
      "pair", kNoNumber, runtime::ArrayRef<aten::Tensor>(two, 2)));

  const Dump dump(gen);
  ASSERT_EQ(dump.run(0).events()->size(), 5u);
  const fb::Value& logged = *dump.event(0).debug_event()->debug_entry();
  EXPECT_EQ(logged.val(), fb::ValueType::Tensor);
  EXPECT_TRUE(logged.output()->bool_val());
  EXPECT_EQ(logged.tensor()->sizes()->Get(1), 3);
  EXPECT_EQ(logged.tensor()->strides()->Get(0), 3);
  EXPECT_EQ(std::memcmp(debug.data() + logged.tensor()->offset(),
                        tensor->const_data_ptr(), tensor->nbytes()),
            0);
  const auto value = [&](size_t i) -> const fb::Value& {
    return *dump.event(i).debug_event()->debug_entry();
  };
  EXPECT_EQ(value(1).int_value()->int_val(), 5);
  EXPECT_EQ(value(1).output(), nullptr);
  EXPECT_EQ(value(2).double_value()->double_val(), 2.5);
  EXPECT_TRUE(value(3).bool_value()->bool_val());
  EXPECT_EQ(value(4).tensor_list()->tensors()->size(), 2u);
  EXPECT_EQ(dump.event(4).debug_event()->delegate_debug_id_str()->str(),
            "pair");
}

// ---- too little memory

TEST(Etdump, ABufferTooSmallIsAnErrorOfTheDump) {
  for (const size_t size : {1, 100, 1000, 4000, 20000}) {
    std::vector<uint8_t> memory(size + 64, 0xee);
    ETDumpGen gen(Span<uint8_t>(memory.data(), size));
    for (int run = 0; run < 100; ++run) {
      gen.create_event_block("run");
      for (int i = 0; i < 10; ++i) {
        gen.end_profiling(gen.start_profiling("an event with a long name"));
      }
    }
    EXPECT_EQ(gen.status(), Error::MemoryAllocationFailed);
    EXPECT_TRUE(Dump(gen).empty());
    EXPECT_NE(std::strstr(runtime::last_error_message(), "too small"), nullptr);
    EXPECT_EQ(memory[size], 0xee) << "written behind the buffer";
    gen.reset();
    if (size >= 4000) {
      gen.create_event_block("run");
      EXPECT_FALSE(Dump(gen).empty());
    }
  }
}

TEST(Etdump, GrowsOnTheHeap) {
  ETDumpGen gen;
  const std::string metadata(100000, 'x');
  gen.create_event_block("run");
  for (int i = 0; i < 2000; ++i) {
    gen.end_profiling(gen.start_profiling("event"));
  }
  gen.end_profiling_delegate(gen.start_profiling_delegate(nullptr, 1),
                             metadata.data(), metadata.size());
  const Dump dump(gen);
  ASSERT_EQ(dump.run(0).events()->size(), 2001u);
  EXPECT_EQ(dump.event(2000).profile_event()->delegate_debug_metadata()->size(),
            metadata.size());
  EXPECT_EQ(gen.status(), Error::Ok);
}

TEST(Etdump, ADebugBufferTooSmallLosesValuesOnly) {
  ETDumpGen gen;
  alignas(64) uint8_t debug[100];
  ASSERT_TRUE(gen.set_debug_buffer({debug, sizeof(debug)}).ok());
  auto tensor = extension::make_tensor_ptr({20}, std::vector<float>(20));
  EXPECT_EQ(gen.log_evalue(EValue(*tensor)).error(), Error::Ok);
  const aten::Tensor two[] = {*tensor, *tensor};
  EXPECT_EQ(gen.log_intermediate_output_delegate(
                   nullptr, 1, runtime::ArrayRef<aten::Tensor>(two, 2))
                .error(),
            Error::OutOfResources);
  EXPECT_EQ(gen.log_evalue(EValue(*tensor)).error(), Error::OutOfResources);
  EXPECT_EQ(gen.status(), Error::OutOfResources);
  EXPECT_EQ(Dump(gen).run(0).events()->size(), 1u);
}

TEST(Etdump, WithoutASinkTensorsAreRefused) {
  ETDumpGen gen;
  auto tensor = extension::make_tensor_ptr({1}, std::vector<float>(1));
  EXPECT_EQ(gen.log_evalue(EValue(*tensor)).error(), Error::InvalidState);
  EXPECT_NE(std::strstr(runtime::last_error_message(), "set_debug_buffer"),
            nullptr);
}

// ---- filters and sinks

TEST(EtdumpFilter, MatchesNamesAndNumbers) {
  ETDumpFilter filter;
  EXPECT_TRUE(*filter.filter("anything", kNoNumber));
  ASSERT_TRUE(filter.add_regex("conv.*").ok());
  ASSERT_TRUE(filter.add_regex("(relu|add)\\d").ok());
  EXPECT_EQ(filter.add_regex("(").error(), Error::InvalidArgument);
  EXPECT_EQ(filter.get_n_regex(), 2u);
  EXPECT_TRUE(*filter.filter("conv2d", kNoNumber));
  EXPECT_TRUE(*filter.filter("add1", kNoNumber));
  EXPECT_FALSE(*filter.filter("my add1", kNoNumber));
  EXPECT_FALSE(*filter.filter(nullptr, 5));

  EXPECT_EQ(filter.set_debug_handle_range(5, 5).error(),
            Error::InvalidArgument);
  ASSERT_TRUE(filter.set_debug_handle_range(5, 7).ok());
  EXPECT_FALSE(*filter.filter(nullptr, 4));
  EXPECT_TRUE(*filter.filter(nullptr, 5));
  EXPECT_TRUE(*filter.filter(nullptr, 6));
  EXPECT_FALSE(*filter.filter(nullptr, 7));

  EXPECT_EQ(filter.filter(nullptr, kNoNumber).error(), Error::InvalidArgument);
  EXPECT_EQ(filter.filter("conv", 5).error(), Error::InvalidArgument);
}

TEST(EtdumpFilter, ChoosesWhatDelegatesLog) {
  ETDumpGen gen;
  ETDumpFilter filter;
  ASSERT_TRUE(filter.add_regex("keep").ok());
  gen.set_delegation_intermediate_output_filter(&filter);
  EXPECT_TRUE(*gen.log_intermediate_output_delegate("keep", kNoNumber, 1));
  EXPECT_FALSE(*gen.log_intermediate_output_delegate("drop", kNoNumber, 2.0));
  EXPECT_FALSE(*gen.log_intermediate_output_delegate("drop", kNoNumber, true));
  EXPECT_EQ(gen.log_intermediate_output_delegate("keep", 1, 1).error(),
            Error::InvalidArgument);
  EXPECT_EQ(Dump(gen).run(0).events()->size(), 1u);
}

TEST(DataSink, BufferAlignsEachPiece) {
  alignas(64) uint8_t memory[256];
  auto sink = BufferDataSink::create(memory + 1, 200, 64);
  ASSERT_TRUE(sink.ok());
  EXPECT_EQ(*sink->write("abc", 3), 63u);
  EXPECT_EQ(*sink->write("d", 1), 127u);
  EXPECT_EQ(std::memcmp(memory + 64, "abc", 3), 0);
  EXPECT_EQ(sink->get_used_bytes(), 128u);
  EXPECT_EQ(sink->write(memory, 10).error(), Error::OutOfResources);
  EXPECT_EQ(*sink->get_storage_size(), 200u);
  EXPECT_EQ(BufferDataSink::create(memory, 1, 3).error(),
            Error::InvalidArgument);
  EXPECT_EQ(BufferDataSink::create(memory, 1, 0).error(),
            Error::InvalidArgument);
  EXPECT_EQ(BufferDataSink::create(nullptr, 1).error(), Error::InvalidArgument);
}

TEST(DataSink, FileKeepsPiecesInOrder) {
  const std::string path = testing::TempDir() + "etdump_sink";
  auto sink = FileDataSink::create(path.c_str());
  ASSERT_TRUE(sink.ok());
  EXPECT_EQ(*sink->write("abc", 3), 0u);
  FileDataSink moved(std::move(*sink));
  EXPECT_EQ(*moved.write("de", 2), 3u);
  EXPECT_EQ(moved.get_used_bytes(), 5u);
  moved.close();
  EXPECT_EQ(moved.write("f", 1).error(), Error::AccessFailed);
  std::FILE* file = std::fopen(path.c_str(), "rb");
  char text[8] = {};
  EXPECT_EQ(std::fread(text, 1, sizeof(text), file), 5u);
  EXPECT_STREQ(text, "abcde");
  std::fclose(file);
  std::remove(path.c_str());
  EXPECT_EQ(FileDataSink::create("/no/such/folder/file").error(),
            Error::AccessFailed);
  EXPECT_EQ(FileDataSink::create(nullptr).error(), Error::InvalidArgument);
}

}  // namespace
}  // namespace executorch::etdump
