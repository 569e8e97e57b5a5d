// For programs that ctest runs once per instruction set.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "src/threadpool/cpu.h"

namespace executorch::test {

inline constexpr int kSkipped = 77;  // exit code

class ForcedIsa : public ::testing::Environment {
 public:
  explicit ForcedIsa(cpu::Isa isa) : bit_(1u << static_cast<unsigned>(isa)) {}
  void TearDown() override {
    EXPECT_TRUE(cpu::chosen_sets() & bit_) << "no table of this set ran";
    EXPECT_LT(cpu::chosen_sets(), 2 * bit_) << "a better set ran";
  }

 private:
  const uint32_t bit_;
};

inline std::optional<cpu::Isa> isa_by_name(const char* name) {
  for (int i = 0; i <= static_cast<int>(cpu::Isa::i8mm); ++i) {
    const auto isa = static_cast<cpu::Isa>(i);
    if (std::strcmp(name, cpu::isa_name(isa)) == 0) {
      return isa;
    }
  }
  return std::nullopt;
}

// If EXECUTORCH_ISA is set, lets the program fail unless that set is the one
// that runs. False: this CPU lacks it, the program is to be skipped.
inline bool expect_forced_isa() {
  if (const char* name = std::getenv("EXECUTORCH_ISA")) {
    const auto isa = isa_by_name(name);
    if (!isa || !cpu::usable(*isa)) {
      std::fprintf(stderr, "skipped: %s\n", cpu::isa_error());
      return false;
    }
    ::testing::AddGlobalTestEnvironment(new ForcedIsa(*isa));
  }
  return true;
}

}  // namespace executorch::test
