#include "src/threadpool/cpu.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "src/threadpool/cpu_count.h"

namespace executorch::cpu {
namespace {

TEST(Isa, ASetIncludesThoseBelowIt) {
  EXPECT_TRUE(usable(Isa::baseline));
  EXPECT_GE(usable(Isa::avx2), usable(Isa::avx512));
  EXPECT_GE(usable(Isa::avx512), usable(Isa::avx512vnni));
  EXPECT_GE(usable(Isa::fp16), usable(Isa::dotprod));
  EXPECT_GE(usable(Isa::dotprod), usable(Isa::i8mm));
  EXPECT_FALSE(usable(Isa::avx2) && usable(Isa::fp16));
}

struct Table {
  Isa isa;
};

TEST(Isa, ChoosesTheFirstUsableTable) {
  constexpr Table best{Isa::avx512vnni}, good{Isa::avx2}, plain{Isa::baseline};
  const Table& chosen = choose({&best, &good, &plain});
  EXPECT_TRUE(usable(chosen.isa));
  EXPECT_TRUE(&chosen == &best || !usable(Isa::avx512vnni));
  EXPECT_TRUE(chosen_sets() & (1u << static_cast<unsigned>(chosen.isa)));
  EXPECT_EQ(&choose({&plain}), &plain);
}

// ctest runs this program with EXECUTORCH_ISA set to known and unknown names.
TEST(Isa, FollowsTheEnvironment) {
  const char* wanted = std::getenv("EXECUTORCH_ISA");
  if (wanted == nullptr || *wanted == '\0') {
    EXPECT_EQ(isa_error(), nullptr);
    return;
  }
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512, Isa::avx512vnni,
                        Isa::fp16, Isa::dotprod, Isa::i8mm}) {
    if (usable(isa) && isa_name(isa) == std::string(wanted)) {
      EXPECT_EQ(isa_error(), nullptr);
      for (int i = static_cast<int>(isa) + 1; i <= int(Isa::i8mm); ++i) {
        EXPECT_FALSE(usable(static_cast<Isa>(i)));
      }
      return;
    }
  }
  ASSERT_NE(isa_error(), nullptr);
  EXPECT_NE(std::string(isa_error()).find(wanted), std::string::npos);
  EXPECT_NE(std::string(isa_error()).find("baseline"), std::string::npos);
  EXPECT_FALSE(usable(Isa::avx2) || usable(Isa::fp16));
}

TEST(CpuCount, FollowsTheAffinityMask) {
  cpu_set_t all, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  EXPECT_GE(usable_cpus(), 1u);
  EXPECT_LE(usable_cpus(), static_cast<size_t>(CPU_COUNT(&all)));
  int cpu = 0;
  while (!CPU_ISSET(cpu, &all)) {
    ++cpu;
  }
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(usable_cpus(), 1u);
  sched_setaffinity(0, sizeof all, &all);
}

TEST(CpuCount, FollowsTheSmallestControlGroupLimit) {
  const std::filesystem::path root =
      std::filesystem::path(::testing::TempDir()) / "cgroups";
  const auto write = [&](const char* path, const char* text) {
    std::filesystem::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text;
  };
  write("cpu.max", "max 100000\n");
  write("a/cpu.max", "250000 100000\n");
  write("a/b/cpu.max", "400000 100000\n");
  write("a/half/cpu.max", "50000 100000\n");
  write("cpu,cpuacct/cpu.cfs_quota_us", "600000\n");
  write("cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  write("cpu,cpuacct/c/cpu.cfs_quota_us", "-1\n");
  write("cpu,cpuacct/c/cpu.cfs_period_us", "100000\n");
  write("junk/cpu.max", "many of them");
  const struct {
    const char* membership;
    size_t cpus;
  } cases[] = {
      {"0::/\n", 0},
      {"0::/a\n", 3},
      {"0::/a/b\n", 3},
      {"0::/a/half\n", 1},
      {"0::/not/mounted/here\n", 0},
      {"0::/junk\n", 0},
      {"5:memory:/a\n4:cpu,cpuacct:/c\n", 6},
      {"4:cpu,cpuacct:/host/path\n0::/a\n", 3},
      {"1:cpuset:/a\n", 0},
      {"", 0},
      {"nonsense", 0},
      {"::::\n:\n", 0},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(cgroup_cpus(c.membership, root), c.cpus) << c.membership;
  }
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace executorch::cpu
