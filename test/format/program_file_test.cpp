// What Program::load() refuses. A row damages a sound program in one place.
#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/runtime/core/error_message.h>
#include <executorch/runtime/executor/program.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>
#include <string>

#include "test/support/program_model.h"

namespace executorch::test {
namespace {

using extension::BufferDataLoader;
using runtime::Error;
using runtime::Program;

constexpr int32_t kInput = 0;
constexpr int32_t kOutput = 1;
constexpr int32_t kNumber = 2;
constexpr int32_t kFlag = 3;
constexpr int32_t kNumbers = 4;
constexpr int32_t kTensors = 5;
constexpr int32_t kConstant = 6;

// A method with a value and an instruction of each kind.
ProgramModel sound_program() {
  ProgramModel program;
  MethodModel& m = program.method();
  m.add_planned({2, 3}, 0);
  m.add_planned({2, 3}, 32);
  m.add(int64_t{7});
  m.add(false);
  m.add(IntsModel{{kNumber, kNumber}});
  m.add(TensorsModel{{kInput, kOutput}});
  TensorModel constant;
  constant.sizes = {4};
  constant.data = 1;
  m.add(constant);
  m.add(TensorsModel{{kInput, -1}, /*optional=*/true});
  m.add(BoolsModel{{0, 1}});
  m.add(std::string("text"));
  m.add(2.5);
  m.add(std::monostate());
  m.inputs = {kInput};
  m.outputs = {kOutput};
  m.call("test::op.out", {kInput, kNumber, kNumbers, kOutput, kOutput});
  m.delegates.push_back({"Backend", 0, 0});
  m.code.push_back(DelegateCallModel{0, {kInput, kOutput}});
  m.code.push_back(MoveModel{kInput, kOutput});
  m.code.push_back(JumpModel{kFlag, 5});
  m.code.push_back(FreeModel{kInput});
  program.constants = {{}, bytes_of<float>({1, 2, 3, 4})};
  program.delegate_data = {{1, 2, 3}};
  program.segments = {bytes_of<float>({5, 6, 7, 8})};
  program.named_data = {{"weights", 0}};
  return program;
}

Error load(FileBytes file) {
  BufferDataLoader loader(file.data(), file.size());
  return Program::load(&loader).error();
}

TEST(ProgramFile, LoadsASoundProgram) {
  EXPECT_EQ(load(write_program(sound_program())), Error::Ok);
}

struct Damage {
  const char* what;
  std::function<void(ProgramModel&)> apply;
  // A part of the error line.
  const char* message;
};

TensorModel& tensor(ProgramModel& program, int32_t value) {
  return std::get<TensorModel>(program.method().values[value]);
}
template <class T>
T& instruction(ProgramModel& program, size_t index) {
  return std::get<T>(program.method().code[index]);
}
constexpr int32_t kMax = std::numeric_limits<int32_t>::max();

const Damage kDamages[] = {
    {"newer schema", [](ProgramModel& p) { p.version = 1; }, "newer"},
    {"no methods", [](ProgramModel& p) { p.methods.clear(); }, "no methods"},
    {"no name", [](ProgramModel& p) { p.method().name.reset(); }, "no name"},
    {"no chains", [](ProgramModel& p) { p.method().has_chains = false; },
     "no chain"},
    {"named data without a segment",
     [](ProgramModel& p) { p.named_data[0].second = 9; }, "segment 9 of 1"},
    {"constants in no segment",
     [](ProgramModel& p) {
       p.constant_segment = OffsetsModel{4, {0}};
     },
     "segment 4 of 1"},

    {"unknown dtype", [](ProgramModel& p) { tensor(p, 0).dtype = 99; },
     "unknown dtype"},
    {"negative dtype", [](ProgramModel& p) { tensor(p, 0).dtype = -1; },
     "unknown dtype"},
    {"no sizes", [](ProgramModel& p) { tensor(p, 0).sizes.reset(); },
     "missing"},
    {"no dim order", [](ProgramModel& p) { tensor(p, 0).dim_order.reset(); },
     "missing"},
    {"17 dimensions",
     [](ProgramModel& p) { tensor(p, 0).sizes->assign(17, 1); },
     "more than 16"},
    {"short dim order", [](ProgramModel& p) { tensor(p, 0).dim_order = {0}; },
     "length"},
    {"dimension twice",
     [](ProgramModel& p) {
       tensor(p, 0).dim_order = {1, 1};
     },
     "permutation"},
    {"dimension beyond",
     [](ProgramModel& p) {
       tensor(p, 0).dim_order = {0, 2};
     },
     "permutation"},
    {"negative size",
     [](ProgramModel& p) {
       tensor(p, 0).sizes = {-1, 3};
     },
     "negative"},
    {"bytes overflow",
     [](ProgramModel& p) {
       tensor(p, 0).sizes = {kMax, kMax, kMax};
     },
     "too large"},
    {"strides overflow",
     [](ProgramModel& p) {
       tensor(p, 0).sizes = {0, kMax, 2};
     },
     "too large"},
    {"unknown dynamism", [](ProgramModel& p) { tensor(p, 0).dynamism = 3; },
     "dynamism"},
    {"memory id 0", [](ProgramModel& p) { tensor(p, 0).place->memory_id = 0; },
     "memory id 0"},
    {"unknown memory id",
     [](ProgramModel& p) { tensor(p, 0).place->memory_id = 2; }, "memory id 2"},
    {"beyond the buffer",
     [](ProgramModel& p) { tensor(p, 0).place->offset = 240; }, "outside"},
    {"high half of the offset",
     [](ProgramModel& p) { tensor(p, 0).place->offset = uint64_t{1} << 32; },
     "outside"},
    {"offset that wraps",
     [](ProgramModel& p) {
       tensor(p, 0).place->offset = std::numeric_limits<uint64_t>::max() - 3;
     },
     "outside"},
    {"unaligned offset",
     [](ProgramModel& p) { tensor(p, 0).place->offset = 2; }, "multiple"},
    {"negative buffer", [](ProgramModel& p) { p.method().buffers[1] = -256; },
     "size -256"},
    {"no buffers", [](ProgramModel& p) { p.method().buffers.clear(); },
     "memory id"},
    {"unknown constant", [](ProgramModel& p) { tensor(p, kConstant).data = 2; },
     "data 2"},
    {"short constant",
     [](ProgramModel& p) { tensor(p, kConstant).sizes = {5}; }, "expected 20"},
    {"unknown first value", [](ProgramModel& p) { tensor(p, 0).data = 1; },
     "data 1"},
    {"external data without a name",
     [](ProgramModel& p) { tensor(p, kConstant).external = true; }, "no name"},

    {"value without content",
     [](ProgramModel& p) { p.method().values[kFlag] = MissingValue(); },
     "value 3 is missing"},
    {"list item beyond",
     [](ProgramModel& p) {
       std::get<IntsModel>(p.method().values[kNumbers]).items[1] = 12;
     },
     "expected an integer"},
    {"list item of another kind",
     [](ProgramModel& p) {
       std::get<IntsModel>(p.method().values[kNumbers]).items[1] = kFlag;
     },
     "expected an integer"},
    {"negative item",
     [](ProgramModel& p) {
       std::get<TensorsModel>(p.method().values[kTensors]).items[0] = -1;
     },
     "expected a tensor"},
    {"list of itself",
     [](ProgramModel& p) {
       std::get<TensorsModel>(p.method().values[kTensors]).items[0] = kTensors;
     },
     "expected a tensor"},
    {"bool that is 2",
     [](ProgramModel& p) {
       std::get<BoolsModel>(p.method().values[8]).items[0] = 2;
     },
     "expected 0 or 1"},
    {"input beyond", [](ProgramModel& p) { p.method().inputs[0] = 12; },
     "input 0"},
    {"negative output", [](ProgramModel& p) { p.method().outputs[0] = -1; },
     "output 0"},

    {"operator without a name",
     [](ProgramModel& p) { p.method().operators[0].name.reset(); }, "operator"},
    {"unknown operator",
     [](ProgramModel& p) { instruction<KernelModel>(p, 0).op = 1; },
     "operator 1"},
    {"argument beyond",
     [](ProgramModel& p) { instruction<KernelModel>(p, 0).args[1] = 12; },
     "argument"},
    {"too many items",
     [](ProgramModel& p) {
       instruction<KernelModel>(p, 0).args.assign(3000, kNumber);
       std::get<IntsModel>(p.method().values[kNumbers])
           .items.assign(3000, kNumber);
       for (int i = 0; i < 100; ++i) {
         p.method().code.push_back(
             KernelModel{0, std::vector<int32_t>(10, kNumbers)});
       }
     },
     "more items"},
    {"delegate without a name",
     [](ProgramModel& p) { p.method().delegates[0].backend.reset(); },
     "delegate 0"},
    {"delegate without data",
     [](ProgramModel& p) { p.method().delegates[0].index = 1; }, "delegate 0"},
    {"delegate data nowhere",
     [](ProgramModel& p) { p.method().delegates[0].location = 2; },
     "delegate 0"},
    {"unknown delegate",
     [](ProgramModel& p) { instruction<DelegateCallModel>(p, 1).delegate = 1; },
     "delegate 1"},
    {"move from nowhere",
     [](ProgramModel& p) { instruction<MoveModel>(p, 2).from = 12; }, "move"},
    {"move to another kind",
     [](ProgramModel& p) { instruction<MoveModel>(p, 2).to = kFlag; },
     "another kind"},
    {"jump on a list",
     [](ProgramModel& p) { instruction<JumpModel>(p, 3).condition = kNumbers; },
     "condition"},
    {"jump beyond the end",
     [](ProgramModel& p) { instruction<JumpModel>(p, 3).target = 6; },
     "jump target"},
    {"jump to itself",
     [](ProgramModel& p) { instruction<JumpModel>(p, 3).target = 3; },
     "never ends"},
    {"loop that cannot end",
     [](ProgramModel& p) { instruction<JumpModel>(p, 3).target = 0; },
     "never ends"},
    {"free of a number",
     [](ProgramModel& p) { instruction<FreeModel>(p, 4).value = kNumber; },
     "frees"},
    {"free of nothing",
     [](ProgramModel& p) { instruction<FreeModel>(p, 4).value = 12; }, "free"},
    {"empty instruction",
     [](ProgramModel& p) { p.method().code[0] = MissingInstruction(); },
     "missing"},
};

TEST(ProgramFile, RefusesDamagedTables) {
  for (const Damage& damage : kDamages) {
    SCOPED_TRACE(damage.what);
    ProgramModel program = sound_program();
    damage.apply(program);
    EXPECT_EQ(load(write_program(program)), Error::InvalidProgram);
    EXPECT_NE(std::strstr(runtime::last_error_message(), damage.message),
              nullptr)
        << runtime::last_error_message();
  }
}

TEST(ProgramFile, TakesALoopThatMayEnd) {
  ProgramModel program = sound_program();
  MethodModel& m = program.method();
  m.code.clear();
  m.call("test::condition", {kInput, kFlag});
  m.code.push_back(JumpModel{kFlag, 0});
  EXPECT_EQ(load(write_program(program)), Error::Ok);
}

TEST(ProgramFile, RefusesEveryCut) {
  FileBytes file = write_program(sound_program());
  for (size_t size = 0; size + 16 < file.size(); size += 4) {
    BufferDataLoader loader(file.data(), size);
    EXPECT_NE(Program::load(&loader).error(), Error::Ok) << size;
  }
}

TEST(ProgramFile, SurvivesEveryDamagedWord) {
  const FileBytes sound = write_program(sound_program());
  for (const uint32_t word : {0u, 1u, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
    for (size_t at = 0; at + 4 <= sound.size(); at += 4) {
      FileBytes file = sound;
      std::memcpy(file.data() + at, &word, sizeof(word));
      (void)load(std::move(file));
    }
  }
}

struct Header {
  const char* what;
  size_t at;
  uint64_t value;
  size_t size;
};

TEST(ProgramFile, RefusesDamagedHeaders) {
  constexpr uint64_t kHuge = std::numeric_limits<uint64_t>::max() - 15;
  const Header headers[] = {
      {"length", 12, 8, 4},
      {"no program", 16, 0, 8},
      {"huge program", 16, kHuge, 8},
      {"segments in the program", 24, 16, 8},
      {"segments beyond", 24, kHuge, 8},
      {"huge segments", 32, kHuge, 8},
  };
  for (const Header& header : headers) {
    SCOPED_TRACE(header.what);
    FileBytes file = write_program(sound_program());
    std::memcpy(file.data() + header.at, &header.value, header.size);
    EXPECT_EQ(load(std::move(file)), Error::InvalidProgram);
  }
}

TEST(ProgramFile, ReadsAShortHeader) {
  FileBytes file = write_program(sound_program());
  const uint32_t length = 24;  // without the size of the segments
  std::memcpy(file.data() + 12, &length, sizeof(length));
  EXPECT_EQ(load(std::move(file)), Error::Ok);
}

TEST(ProgramFile, LooksAtTheIdentifier) {
  using Status = Program::HeaderStatus;
  FileBytes file = write_program(sound_program());
  const auto check = [&file](size_t size) {
    return Program::check_header(file.data(), size);
  };
  EXPECT_EQ(check(Program::kMinHeadBytes), Status::CompatibleVersion);
  EXPECT_EQ(check(Program::kMinHeadBytes - 1), Status::ShortData);
  std::memcpy(file.data() + 4, "ET99", 4);
  EXPECT_EQ(check(64), Status::IncompatibleVersion);
  EXPECT_EQ(load(file), Error::InvalidProgram);
  std::memcpy(file.data() + 4, "EXEC", 4);
  EXPECT_EQ(check(64), Status::NotPresent);
  EXPECT_EQ(load(file), Error::InvalidProgram);
}

}  // namespace
}  // namespace executorch::test
